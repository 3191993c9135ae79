/* Pipes.  A pipe argument is the address of its description (PIPE_... in abi.def): counters, a record for each slot, and the
 * packets.  Packets have numbers, which grow and wrap; a number's low bits are its slot, so there are 2^k slots, at least
 * as many as packets.
 *
 * Nothing waits for another work-item.  A reservation takes numbers from a counter, if there are so many, by
 * compare-exchange.  A commit marks the numbers as done, and then whoever finds the oldest one that is not counted yet
 * marked moves the second counter on, so packets become visible in order however commits are ordered. */
#include "abi/abi.h"
#include "builtins.h"

OVL size_t get_local_linear_id(void);
OVL __attribute__((convergent)) void barrier(cl_mem_fence_flags flags);
OVL __attribute__((convergent)) uint work_group_broadcast(uint x, size_t i, size_t j, size_t k);
OVL uint get_sub_group_local_id(void);
OVL __attribute__((convergent)) uint sub_group_broadcast(uint x, uint i);
OVL __attribute__((convergent)) void sub_group_barrier(cl_mem_fence_flags flags);

typedef volatile __global uint *words;

/* Conversions known to the compiler by name; a reservation is its first packet's slot, plus 1. */
words __cy_pipe_ro(read_only pipe uchar p) __attribute__((const));
words __cy_pipe_wo(write_only pipe uchar p) __attribute__((const));
reserve_id_t __cy_reserve_id(uint slot) __attribute__((const));
uint __cy_reserve_slot(reserve_id_t id) __attribute__((const));

/* The two directions: the counters of numbers that are reserved and done, the mark of a number that is done, and how many
 * numbers there are to reserve. */
enum { WRITE, READ };
INTERNAL words reserved(words p, uint way) { return p + (way == WRITE ? CY_PIPE_WRITE_RESERVED : CY_PIPE_READ_RESERVED) / 4; }
INTERNAL words done(words p, uint way) { return p + (way == WRITE ? CY_PIPE_WRITE_DONE : CY_PIPE_READ_DONE) / 4; }
INTERNAL words record(words p, uint slot, uint field) { return p + (CY_PIPE_RECORDS + slot * CY_PIPE_RECORD_BYTES + field) / 4; }
INTERNAL words mark(words p, uint slot, uint way)
{
    return record(p, slot, way == WRITE ? CY_PIPE_RECORD_WRITTEN : CY_PIPE_RECORD_READ);
}
INTERNAL uint available(words p, uint way, uint next)
{
    return way == WRITE ? p[CY_PIPE_PACKETS / 4] - (next - __cy_load_g(done(p, READ))) : __cy_load_g(done(p, WRITE)) - next;
}

/* 0: there are not so many. */
INTERNAL uint reserve(words p, uint way, uint count)
{
    uint next = __cy_load_g(reserved(p, way));
    for (;;) {
        if (!count || available(p, way, next) < count || count > p[CY_PIPE_PACKETS / 4])
            return 0;
        uint seen = __cy_cas_g(reserved(p, way), next, next + count);
        if (seen == next)
            break;
        next = seen;
    }
    __cy_fence(memory_order_seq_cst);
    uint slot = next & p[CY_PIPE_MASK / 4];
    *record(p, slot, CY_PIPE_RECORD_START) = next;
    *record(p, slot, CY_PIPE_RECORD_COUNT) = count;
    return slot + 1;
}

INTERNAL void commit(words p, uint way, uint id)
{
    uint mask = p[CY_PIPE_MASK / 4], start = *record(p, (id - 1) & mask, CY_PIPE_RECORD_START);
    uint count = *record(p, (id - 1) & mask, CY_PIPE_RECORD_COUNT);
    __cy_fence(memory_order_seq_cst);
    for (uint i = 0; i < count; i++)
        __cy_store_g(mark(p, (start + i) & mask, way), start + i + 1);
    __cy_fence(memory_order_seq_cst);
    for (;;) {
        uint oldest = __cy_load_g(done(p, way));
        if (__cy_load_g(mark(p, oldest & mask, way)) != oldest + 1)
            break;
        __cy_cas_g(done(p, way), oldest, oldest + 1);
    }
}

#define COPY(T)                                                                                                        \
    for (uint i = 0; i < size / sizeof(T); i++)                                                                        \
    ((T *)to)[i] = ((const T *)from)[i]
INTERNAL void copy(void *to, const void *from, uint size, uint align)
{
    if (align % 4 == 0)
        COPY(uint);
    else if (align % 2 == 0)
        COPY(ushort);
    else
        COPY(uchar);
}

INTERNAL int move(words p, uint way, uint id, uint index, void *packet, uint size, uint align)
{
    uint mask = p[CY_PIPE_MASK / 4], stride = p[CY_PIPE_PACKET_BYTES / 4];
    if (!id || size > stride || index >= *record(p, (id - 1) & mask, CY_PIPE_RECORD_COUNT))
        return -1;
    void *place = (__global uchar *)p + p[CY_PIPE_DATA / 4] + ((id - 1 + index) & mask) * stride;
    copy(way == WRITE ? place : packet, way == WRITE ? packet : place, size, align);
    return 0;
}

INTERNAL int move_one(words p, uint way, void *packet, uint size, uint align)
{
    uint id = reserve(p, way, 1);
    if (!id)
        return -1;
    int result = move(p, way, id, 0, packet, size, align);
    commit(p, way, id);
    return result;
}

/* ---- what clang calls ---- */

OVL bool is_valid_reserve_id(reserve_id_t id) { return __cy_reserve_slot(id) != 0; }

#define MEETS_ALL __attribute__((convergent))
#define PIPE(access, direction, way, suffix)                                                                           \
    int __##direction##_pipe_2(access pipe uchar p, void *packet, uint size, uint align)                               \
    {                                                                                                                  \
        return move_one(__cy_pipe_##suffix(p), way, packet, size, align);                                              \
    }                                                                                                                  \
    int __##direction##_pipe_4(access pipe uchar p, reserve_id_t id, uint index, void *packet, uint size, uint align)  \
    {                                                                                                                  \
        return move(__cy_pipe_##suffix(p), way, __cy_reserve_slot(id), index, packet, size, align);                    \
    }                                                                                                                  \
    reserve_id_t __reserve_##direction##_pipe(access pipe uchar p, uint count, uint size, uint align)                  \
    {                                                                                                                  \
        return __cy_reserve_id(reserve(__cy_pipe_##suffix(p), way, count));                                            \
    }                                                                                                                  \
    void __commit_##direction##_pipe(access pipe uchar p, reserve_id_t id, uint size, uint align)                      \
    {                                                                                                                  \
        commit(__cy_pipe_##suffix(p), way, __cy_reserve_slot(id));                                                     \
    }                                                                                                                  \
    MEETS_ALL reserve_id_t __work_group_reserve_##direction##_pipe(access pipe uchar p, uint count, uint size,         \
                                                                   uint align)                                         \
    {                                                                                                                  \
        uint id = 0;                                                                                                   \
        if (!get_local_linear_id())                                                                                    \
            id = reserve(__cy_pipe_##suffix(p), way, count);                                                           \
        id = work_group_broadcast(id, 0, 0, 0);                                                                        \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                                 \
        return __cy_reserve_id(id);                                                                                    \
    }                                                                                                                  \
    MEETS_ALL void __work_group_commit_##direction##_pipe(access pipe uchar p, reserve_id_t id, uint size, uint align) \
    {                                                                                                                  \
        barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                           \
        if (!get_local_linear_id())                                                                                    \
            commit(__cy_pipe_##suffix(p), way, __cy_reserve_slot(id));                                                 \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                                 \
    }                                                                                                                  \
    MEETS_ALL reserve_id_t __sub_group_reserve_##direction##_pipe(access pipe uchar p, uint count, uint size,          \
                                                                  uint align)                                          \
    {                                                                                                                  \
        uint id = 0;                                                                                                   \
        if (!get_sub_group_local_id())                                                                                 \
            id = reserve(__cy_pipe_##suffix(p), way, count);                                                           \
        id = sub_group_broadcast(id, 0);                                                                               \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);                                                                       \
        return __cy_reserve_id(id);                                                                                    \
    }                                                                                                                  \
    MEETS_ALL void __sub_group_commit_##direction##_pipe(access pipe uchar p, reserve_id_t id, uint size, uint align)  \
    {                                                                                                                  \
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                 \
        if (!get_sub_group_local_id())                                                                                 \
            commit(__cy_pipe_##suffix(p), way, __cy_reserve_slot(id));                                                 \
    }                                                                                                                  \
    uint __get_pipe_num_packets_##suffix(access pipe uchar p, uint size, uint align)                                   \
    {                                                                                                                  \
        words w = __cy_pipe_##suffix(p);                                                                               \
        return __cy_load_g(done(w, WRITE)) - __cy_load_g(reserved(w, READ));                                           \
    }                                                                                                                  \
    uint __get_pipe_max_packets_##suffix(access pipe uchar p, uint size, uint align)                                   \
    {                                                                                                                  \
        return __cy_pipe_##suffix(p)[CY_PIPE_PACKETS / 4];                                                             \
    }
PIPE(read_only, read, READ, ro)
PIPE(write_only, write, WRITE, wo)
