/* Reductions and scans over a sub-group.  The active work-items are numbered without gaps, by rank; a scan over ranks
 * doubles its distance at each step, and the last rank of an inclusive scan holds the reduction. */
#include "subgroup.h"

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))

struct place {
    uint rank, count; /* among those that take part */
    uint base;        /* the first slot they use */
};

INTERNAL struct place in_subgroup(void)
{
    return (struct place){get_sub_group_local_id(), get_sub_group_size(), 0};
}
INTERNAL __attribute__((convergent)) struct place among_active(void)
{
    ulong lanes = lanes_with(true);
    return (struct place){count_lanes(lanes & lanes_below(get_sub_group_local_id())), count_lanes(lanes), 0};
}
/* The active ones of a cluster. */
INTERNAL __attribute__((convergent)) struct place in_cluster(uint size)
{
    uint own = get_sub_group_local_id(), base = own & ~(size - 1);
    ulong lanes = lanes_with(true) >> base & (size >= 64 ? ~0ul : (1ul << size) - 1);
    return (struct place){count_lanes(lanes & lanes_below(own - base)), count_lanes(lanes), base};
}

/* In a full sub-group the steps are written out: an engine that knows the lanes then moves values between registers. */
#define STEPS(STEP, T, op) STEP(T, op, 1) STEP(T, op, 2) STEP(T, op, 4) STEP(T, op, 8) STEP(T, op, 16) STEP(T, op, 32)
#define FOLD_STEP(T, op, d)                                                                                            \
    if (d < size) {                                                                                                    \
        T other = move_##T(all + lane, x, all + (lane ^ d));                                                           \
        x = (T)op(other, x);                                                                                           \
    }
#define SCAN_STEP(T, op, d)                                                                                            \
    if (d < __cy_csr_numt()) {                                                                                         \
        bool reaches = lane >= d;                                                                                      \
        T before = move_##T(all + lane, x, all + (lane - (reaches ? d : 0)));                                          \
        x = reaches ? (T)op(before, x) : x;                                                                            \
    }
#define FULL(T, name, op)                                                                                              \
    /* Each step combines pairs, and all lanes of a cluster end with its result. */                                    \
    INTERNAL __attribute__((convergent)) T fold_##name##_##T(T x, uint size)                                           \
    {                                                                                                                  \
        __local uint *all = slots();                                                                                   \
        uint lane = __cy_lane();                                                                                       \
        STEPS(FOLD_STEP, T, op)                                                                                        \
        return x;                                                                                                      \
    }                                                                                                                  \
    INTERNAL __attribute__((convergent)) T full_scan_##name##_##T(T x)                                                 \
    {                                                                                                                  \
        __local uint *all = slots();                                                                                   \
        uint lane = __cy_lane();                                                                                       \
        STEPS(SCAN_STEP, T, op)                                                                                        \
        return x;                                                                                                      \
    }                                                                                                                  \
    INTERNAL __attribute__((convergent)) T full_before_##name##_##T(T x, T neutral)                                    \
    {                                                                                                                  \
        __local uint *all = slots();                                                                                   \
        uint lane = __cy_lane();                                                                                       \
        x = full_scan_##name##_##T(x);                                                                                 \
        x = move_##T(all + lane, x, all + (lane - (lane ? 1 : 0)));                                                    \
        return lane ? x : neutral;                                                                                     \
    }

/* A step that reaches before the first one combines a value with itself, which is not used. */
#define SCAN(T, name, op)                                                                                              \
    INTERNAL __attribute__((convergent)) T scan_##name##_##T(T x, struct place at, uint most)                          \
    {                                                                                                                  \
        __local uint *own = slot(at.base + at.rank);                                                                   \
        for (uint d = 1; d < most; d *= 2) {                                                                           \
            bool reaches = at.rank >= d;                                                                               \
            T before = move_##T(own, x, own - (reaches ? d : 0));                                                      \
            x = reaches ? (T)op(before, x) : x;                                                                        \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    INTERNAL __attribute__((convergent)) T last_##name##_##T(T x, struct place at, uint most)                          \
    {                                                                                                                  \
        x = scan_##name##_##T(x, at, most);                                                                            \
        return move_##T(slot(at.base + at.rank), x, slot(at.base + at.count - 1));                                     \
    }                                                                                                                  \
    INTERNAL __attribute__((convergent)) T before_##name##_##T(T x, struct place at, uint most, T neutral)             \
    {                                                                                                                  \
        x = scan_##name##_##T(x, at, most);                                                                            \
        __local uint *own = slot(at.base + at.rank);                                                                   \
        x = move_##T(own, x, own - (at.rank ? 1 : 0));                                                                 \
        return at.rank ? x : neutral;                                                                                  \
    }

INTERNAL bool is_full(struct place at) { return at.count == __cy_csr_numt(); }

#define UNIFORM(T, name, neutral)                                                                                      \
    COLLECTIVE T sub_group_reduce_##name(T x)                                                                          \
    {                                                                                                                  \
        struct place at = in_subgroup();                                                                               \
        return is_full(at) ? fold_##name##_##T(x, __cy_csr_numt()) : last_##name##_##T(x, at, at.count);               \
    }                                                                                                                  \
    COLLECTIVE T sub_group_scan_inclusive_##name(T x)                                                                  \
    {                                                                                                                  \
        struct place at = in_subgroup();                                                                               \
        return is_full(at) ? full_scan_##name##_##T(x) : scan_##name##_##T(x, at, at.count);                           \
    }                                                                                                                  \
    COLLECTIVE T sub_group_scan_exclusive_##name(T x)                                                                  \
    {                                                                                                                  \
        struct place at = in_subgroup();                                                                               \
        return is_full(at) ? full_before_##name##_##T(x, neutral) : before_##name##_##T(x, at, at.count, neutral);     \
    }

#define NON_UNIFORM(T, name, neutral, in)                                                                              \
    COLLECTIVE T sub_group_non_uniform_reduce_##name(T x)                                                              \
    {                                                                                                                  \
        struct place at = among_active();                                                                              \
        return is_full(at) ? fold_##name##_##T(in(x), __cy_csr_numt()) : last_##name##_##T(in(x), at, at.count);       \
    }                                                                                                                  \
    COLLECTIVE T sub_group_non_uniform_scan_inclusive_##name(T x)                                                      \
    {                                                                                                                  \
        struct place at = among_active();                                                                              \
        return scan_##name##_##T(in(x), at, at.count);                                                                     \
    }                                                                                                                  \
    COLLECTIVE T sub_group_non_uniform_scan_exclusive_##name(T x)                                                      \
    {                                                                                                                  \
        struct place at = among_active();                                                                              \
        return before_##name##_##T(in(x), at, at.count, neutral);                                                          \
    }                                                                                                                  \
    COLLECTIVE T sub_group_clustered_reduce_##name(T x, uint size)                                                     \
    {                                                                                                                  \
        return is_full(among_active()) ? fold_##name##_##T(in(x), size)                                                \
                                       : last_##name##_##T(in(x), in_cluster(size), size);                             \
    }

#define SAME(x)  (x)
#define TRUTH(x) ((x) != 0)
#define BOTH(T, name, op, neutral)    FULL(T, name, op) SCAN(T, name, op) UNIFORM(T, name, neutral) NON_UNIFORM(T, name, neutral, SAME)
#define ONLY(T, name, op, neutral)    FULL(T, name, op) SCAN(T, name, op) NON_UNIFORM(T, name, neutral, SAME)
#define LOGICAL(name, op, neutral)    FULL(int, name, op) SCAN(int, name, op) NON_UNIFORM(int, name, neutral, TRUTH)

#define NUMBERS(T, least, most)                                                                                        \
    BOTH(T, add, ADD, (T)0) BOTH(T, min, MIN, most) BOTH(T, max, MAX, least) ONLY(T, mul, MUL, (T)1)
#define INTEGERS(T, least, most)                                                                                       \
    NUMBERS(T, least, most)                                                                                            \
    ONLY(T, and, AND, (T)-1) ONLY(T, or, OR, (T)0) ONLY(T, xor, XOR, (T)0)
#if defined CY_DOUBLE
NUMBERS(double, -(double)INFINITY, (double)INFINITY)
#elif defined CY_HALF
NUMBERS(half, -(half)INFINITY, (half)INFINITY)
#else
INTEGERS(char, CHAR_MIN, CHAR_MAX)
INTEGERS(uchar, 0, UCHAR_MAX)
INTEGERS(short, SHRT_MIN, SHRT_MAX)
INTEGERS(ushort, 0, USHRT_MAX)
INTEGERS(int, INT_MIN, INT_MAX)
INTEGERS(uint, 0, UINT_MAX)
INTEGERS(long, LONG_MIN, LONG_MAX)
INTEGERS(ulong, 0, ULONG_MAX)
NUMBERS(float, -INFINITY, INFINITY)
LOGICAL(logical_and, AND, 1)
LOGICAL(logical_or, OR, 0)
LOGICAL(logical_xor, XOR, 0)
#endif
