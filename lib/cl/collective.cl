/* Workgroup collective functions: every work-item writes its value to local memory that the compiler reserves for this,
 * and barriers separate writing from reading.  The last barrier allows the next call to write again.  Work-items are
 * ordered by linear local id, as the specification requires for scans. */
#include "builtins.h"

enum { MOST_ITEMS = 1024 };

OVL size_t get_local_id(uint dim);
OVL size_t get_local_linear_id(void);
OVL size_t get_local_size(uint dim);
OVL __attribute__((convergent)) void barrier(cl_mem_fence_flags flags);

#define COLLECTIVE       OVL __attribute__((convergent))
#define SCRATCH(T, name) __local T *name = (__local T *)__cy_scratch(MOST_ITEMS * sizeof(T))
#define MEET             barrier(CLK_LOCAL_MEM_FENCE)

INTERNAL uint group_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

/* ---- predicates ---- */

/* All work-items for which it holds write the same value. */
#define PREDICATE(name, start, has)                                                                                    \
    COLLECTIVE int name(int predicate)                                                                                 \
    {                                                                                                                  \
        SCRATCH(int, result);                                                                                          \
        *result = start;                                                                                               \
        MEET;                                                                                                          \
        if (has)                                                                                                       \
            *result = !start;                                                                                          \
        MEET;                                                                                                          \
        int all = *result;                                                                                             \
        MEET;                                                                                                          \
        return all;                                                                                                    \
    }
#if CY_IS_FLOAT
PREDICATE(work_group_all, 1, !predicate)
PREDICATE(work_group_any, 0, predicate)
#endif

/* ---- broadcasts ---- */

#define BROADCAST(T, ...)                                                                                              \
    INTERNAL T broadcast_##T(T x, bool is_sender)                                                                      \
    {                                                                                                                  \
        SCRATCH(T, sent);                                                                                              \
        if (is_sender)                                                                                                 \
            *sent = x;                                                                                                 \
        MEET;                                                                                                          \
        x = *sent;                                                                                                     \
        MEET;                                                                                                          \
        return x;                                                                                                      \
    }                                                                                                                  \
    COLLECTIVE T work_group_broadcast(T x, size_t i) { return broadcast_##T(x, get_local_id(0) == i); }                \
    COLLECTIVE T work_group_broadcast(T x, size_t i, size_t j)                                                         \
    {                                                                                                                  \
        return broadcast_##T(x, get_local_id(0) == i && get_local_id(1) == j);                                         \
    }                                                                                                                  \
    COLLECTIVE T work_group_broadcast(T x, size_t i, size_t j, size_t k)                                               \
    {                                                                                                                  \
        return broadcast_##T(x, get_local_id(0) == i && get_local_id(1) == j && get_local_id(2) == k);                 \
    }
#if CY_IS_FLOAT
BROADCAST(int)
BROADCAST(uint)
BROADCAST(long)
BROADCAST(ulong)
#endif
#define BROADCAST_REAL(T) BROADCAST(T)
BROADCAST_REAL(REAL)

/* ---- reductions and scans ---- */

#define ADD(a, b) ((a) + (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))

/* A scan doubles the distance at each step: after the step of distance d a work-item holds the combination of up to 2d
 * values. */
#define FOLD(T, name, op, neutral)                                                                                     \
    COLLECTIVE T work_group_reduce_##name(T x)                                                                         \
    {                                                                                                                  \
        SCRATCH(T, sums);                                                                                              \
        uint i = get_local_linear_id(), count = group_items();                                                         \
        sums[i] = x;                                                                                                   \
        MEET;                                                                                                          \
        while (count > 1) {                                                                                            \
            uint half_way = (count + 1) / 2;                                                                           \
            if (i + half_way < count)                                                                                  \
                sums[i] = op(sums[i], sums[i + half_way]);                                                             \
            count = half_way;                                                                                          \
            MEET;                                                                                                      \
        }                                                                                                              \
        x = sums[0];                                                                                                   \
        MEET;                                                                                                          \
        return x;                                                                                                      \
    }                                                                                                                  \
    COLLECTIVE T work_group_scan_inclusive_##name(T x)                                                                 \
    {                                                                                                                  \
        SCRATCH(T, sums);                                                                                              \
        uint i = get_local_linear_id(), count = group_items();                                                         \
        sums[i] = x;                                                                                                   \
        MEET;                                                                                                          \
        for (uint distance = 1; distance < count; distance *= 2) {                                                     \
            if (i >= distance)                                                                                         \
                x = op(sums[i - distance], x);                                                                         \
            MEET;                                                                                                      \
            sums[i] = x;                                                                                               \
            MEET;                                                                                                      \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    COLLECTIVE T work_group_scan_exclusive_##name(T x)                                                                 \
    {                                                                                                                  \
        SCRATCH(T, sums);                                                                                              \
        uint i = get_local_linear_id();                                                                                \
        work_group_scan_inclusive_##name(x); /* also leaves the sums in local memory */                                \
        x = i ? sums[i - 1] : neutral;                                                                                 \
        MEET;                                                                                                          \
        return x;                                                                                                      \
    }
#define FOLDS(T, least, most)                                                                                          \
    FOLD(T, add, ADD, (T)0)                                                                                            \
    FOLD(T, min, MIN, most)                                                                                            \
    FOLD(T, max, MAX, least)
#if CY_IS_FLOAT
FOLDS(int, INT_MIN, INT_MAX)
FOLDS(uint, 0u, UINT_MAX)
FOLDS(long, LONG_MIN, LONG_MAX)
FOLDS(ulong, 0ul, ULONG_MAX)
#endif
#define FOLDS_REAL(T) FOLDS(T, -INFINITY, INFINITY)
FOLDS_REAL(REAL)
