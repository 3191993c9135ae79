/* Work-item, synchronisation, atomic and copy functions for system.c. */

/* r: for each dimension (0 to 3) global id, local id, group id, global size, local size, groups, offset, enqueued size */
void call_work_item(uint *r)
{
    for (uint d = 0; d < 4; d++, r += 8) {
        r[0] = get_global_id(d);
        r[1] = get_local_id(d);
        r[2] = get_group_id(d);
        r[3] = get_global_size(d);
        r[4] = get_local_size(d);
        r[5] = get_num_groups(d);
        r[6] = get_global_offset(d);
        r[7] = get_enqueued_local_size(d);
    }
    r[0] = get_work_dim();
    r[1] = get_global_linear_id();
    r[2] = get_local_linear_id();
}

void call_barrier(uint flags) { barrier(flags); }
void call_work_group_barrier(uint flags) { work_group_barrier(flags); }
void call_scoped_barrier(uint flags, memory_scope scope) { work_group_barrier(flags, scope); }
void call_wait(void)
{
    event_t e;
    wait_group_events(1, &e);
}
void call_fences(void)
{
    mem_fence(CLK_LOCAL_MEM_FENCE);
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

/* ---- atomics: each stores what it returned; the order of operations is system.c's ---- */

#define OLD(prefix, T, space, suffix)                                                                                  \
    void old_##prefix##suffix(space T *p, T v, T *r)                                                                   \
    {                                                                                                                  \
        r[0] = prefix##_add(p, v);                                                                                     \
        r[1] = prefix##_sub(p, (T)3);                                                                                  \
        r[2] = prefix##_xchg(p, v);                                                                                    \
        r[3] = prefix##_inc(p);                                                                                        \
        r[4] = prefix##_dec(p);                                                                                        \
        r[5] = prefix##_cmpxchg(p, v, (T)77);                                                                          \
        r[6] = prefix##_cmpxchg(p, v, (T)78);                                                                          \
        r[7] = prefix##_min(p, (T)-5);                                                                                 \
        r[8] = prefix##_max(p, (T)-9);                                                                                 \
        r[9] = prefix##_and(p, (T)0xff0f);                                                                             \
        r[10] = prefix##_or(p, (T)0x10000);                                                                            \
        r[11] = prefix##_xor(p, (T)0x10101);                                                                           \
        r[12] = *p;                                                                                                    \
    }
OLD(atomic, int, volatile __global, _int_global)
OLD(atomic, uint, volatile __global, _uint_global)
OLD(atomic, int, volatile __local, _int_local)
OLD(atomic, uint, volatile __local, _uint_local)
OLD(atom, int, volatile __global, _int_global)
OLD(atom, uint, volatile __local, _uint_local)
float call_xchg_float(volatile __global float *p, float v) { return atomic_xchg(p, v); }

#define NEW(T, space, suffix)                                                                                          \
    void new_##suffix(space atomic_##T *p, T v, T *r)                                                                  \
    {                                                                                                                  \
        T expected = v;                                                                                                \
        atomic_init(p, v);                                                                                             \
        r[0] = atomic_fetch_add(p, (T)5);                                                                              \
        r[1] = atomic_fetch_sub_explicit(p, (T)2, memory_order_acq_rel);                                               \
        r[2] = atomic_compare_exchange_strong(p, &expected, (T)1);                                                     \
        r[3] = expected;                                                                                               \
        r[4] = atomic_compare_exchange_weak_explicit(p, &expected, (T)-7, memory_order_acq_rel, memory_order_relaxed,  \
                                                     memory_scope_work_group);                                         \
        r[5] = atomic_fetch_min(p, (T)-6);                                                                             \
        r[6] = atomic_fetch_max_explicit(p, (T)-3, memory_order_relaxed, memory_scope_device);                         \
        r[7] = atomic_exchange(p, (T)0x1234);                                                                          \
        r[8] = atomic_fetch_and(p, (T)0xff0);                                                                          \
        r[9] = atomic_fetch_or(p, (T)0xf);                                                                             \
        r[10] = atomic_fetch_xor(p, (T)0xff);                                                                          \
        r[11] = atomic_load(p);                                                                                        \
        atomic_store(p, v);                                                                                            \
        r[12] = atomic_load_explicit(p, memory_order_acquire);                                                         \
    }
NEW(int, volatile __global, int_global)
NEW(uint, volatile __local, uint_local)
NEW(int, volatile, int_generic)
NEW(uint, volatile, uint_generic)

float call_float_atomics(volatile __global atomic_float *p)
{
    atomic_store(p, 1.5f);
    float old = atomic_exchange(p, 2.5f);
    return old + 10.0f * atomic_load(p);
}
uint call_flag(volatile __global atomic_flag *p)
{
    uint first = atomic_flag_test_and_set(p), second = atomic_flag_test_and_set(p);
    atomic_flag_clear(p);
    return first | second << 1 | (uint)atomic_flag_test_and_set(p) << 2;
}

/* ---- copies: one work-item's share ---- */

#define COPY(T)                                                                                                        \
    void copy_##T(T *to, T *from, uint count, uint stride, uint kind)                                                  \
    {                                                                                                                  \
        event_t none;                                                                                                  \
        if (kind == 0)                                                                                                 \
            async_work_group_copy((__local T *)to, (const __global T *)from, count, none);                             \
        else if (kind == 1)                                                                                            \
            async_work_group_copy((__global T *)to, (const __local T *)from, count, none);                             \
        else if (kind == 2)                                                                                            \
            async_work_group_strided_copy((__local T *)to, (const __global T *)from, count, stride, none);             \
        else                                                                                                           \
            async_work_group_strided_copy((__global T *)to, (const __local T *)from, count, stride, none);             \
        prefetch((const __global T *)from, count);                                                                     \
    }
COPY(uchar)
COPY(int)
COPY(long)
COPY(float)
COPY(float4)
