/* Atomic functions: those of OpenCL C 1.x (atomic_add ..., atom_add ...) and those of 2.0 and later on atomic types, for
 * global, local and generic pointers.  Compiled for 32-bit words, and for 64 bits (CY_DOUBLE). */
#include "builtins.h"

#ifdef CY_DOUBLE
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define AMO(op, s) __cy_amo64_##op##_##s
#define CAS(s)     __cy_cas64_##s
#define FMIN       __cy_dmin
#define FMAX       __cy_dmax
/* Two words: not by an ordinary load or store. */
#define READ(space, s, p)     AMO(or, s)(WORD(space, p), 0)
#define WRITE(space, s, p, v) AMO(swap, s)(WORD(space, p), v)
#else
#define AMO(op, s)            __cy_amo_##op##_##s
#define CAS(s)                __cy_cas_##s
#define FMIN                  __cy_fmin
#define FMAX                  __cy_fmax
#define READ(space, s, p)     __cy_load_##s(WORD(space, p))
#define WRITE(space, s, p, v) __cy_store_##s(WORD(space, p), v)
#endif

#define WORD(space, p) ((volatile space UINT *)(p))

/* ---- OpenCL C 1.x: M(space, suffix of the intrinsics) ---- */

#define OLD_OP(prefix, name, T, amo, space, s)                                                                         \
    OVL T prefix##name(volatile space T *p, T v)                                                                       \
    {                                                                                                                  \
        return (T)AMO(amo, s)(WORD(space, p), (UINT)v);                                             \
    }
#define OLD_INT(prefix, T, min_op, max_op, space, s)                                                                   \
    OLD_OP(prefix, add, T, add, space, s)                                                                              \
    OLD_OP(prefix, xchg, T, swap, space, s)                                                                            \
    OLD_OP(prefix, and, T, and, space, s)                                                                              \
    OLD_OP(prefix, or, T, or, space, s)                                                                                \
    OLD_OP(prefix, xor, T, xor, space, s)                                                                              \
    OLD_OP(prefix, min, T, min_op, space, s)                                                                           \
    OLD_OP(prefix, max, T, max_op, space, s)                                                                           \
    OVL T prefix##sub(volatile space T *p, T v) { return prefix##add(p, (T)(0 - (UINT)v)); }                           \
    OVL T prefix##inc(volatile space T *p) { return prefix##add(p, (T)1); }                                            \
    OVL T prefix##dec(volatile space T *p) { return prefix##add(p, (T)-1); }                                           \
    OVL T prefix##cmpxchg(volatile space T *p, T expected, T desired)                                                  \
    {                                                                                                                  \
        return (T)CAS(s)(WORD(space, p), (UINT)expected, (UINT)desired);                               \
    }
#ifdef CY_DOUBLE
#define OLD(space, s)                                                                                                  \
    OLD_INT(atom_, long, min, max, space, s)                                                                           \
    OLD_INT(atom_, ulong, minu, maxu, space, s)
#else
#define OLD(space, s)                                                                                                  \
    OLD_INT(atomic_, int, min, max, space, s)                                                                          \
    OLD_INT(atomic_, uint, minu, maxu, space, s)                                                                       \
    OLD_INT(atom_, int, min, max, space, s)                                                                            \
    OLD_INT(atom_, uint, minu, maxu, space, s)                                                                         \
    OVL float atomic_xchg(volatile space float *p, float v)                                                            \
    {                                                                                                                  \
        return AS(float, AMO(swap, s)(WORD(space, p), AS(uint, v)));                                                   \
    }
#endif
OLD(__global, g)
OLD(__local, l)

/* ---- OpenCL C 2.0 and later ---- */

/* The machine performs a work-item's memory accesses in program order; a fence orders them for other work-items.  All
 * scopes are treated alike, except by a checker.  Every sequentially consistent operation has a full fence before it, so that none
 * is needed after it. */
INTERNAL void before(memory_order order, memory_scope scope, bool is_store)
{
    if (order == memory_order_seq_cst)
        __cy_fence(memory_order_seq_cst);
    else if (order == memory_order_release || order == memory_order_acq_rel)
        __cy_fence(memory_order_release);
    __cy_note_order((uint)order | (uint)scope << 8 | (uint)is_store << 16);
}
INTERNAL void after(memory_order order)
{
    __cy_note_order_end(0);
    if (order != memory_order_relaxed && order != memory_order_release)
        __cy_fence(memory_order_acquire);
}

/* The three spellings of a function: plain (sequentially consistent), with an order, with order and scope.
 * P: parameters, A: arguments, both in parentheses. */
#define UNWRAP(...) __VA_ARGS__
#define SPELL(R, name, P, A)                                                                                           \
    OVL R name(UNWRAP P) { return name##_explicit(UNWRAP A, memory_order_seq_cst, memory_scope_device); }              \
    OVL R name##_explicit(UNWRAP P, memory_order order)                                                                \
    {                                                                                                                  \
        return name##_explicit(UNWRAP A, order, memory_scope_device);                                                  \
    }


#define FETCH(name, T, V, amo, operand, space, s)                                                                      \
    OVL T name##_explicit(volatile space atomic_##T *p, V v, memory_order order, memory_scope scope)                   \
    {                                                                                                                  \
        before(order, scope, false);                                                                                          \
        UINT old = AMO(amo, s)(WORD(space, p), operand);                                                        \
        after(order);                                                                                                  \
        return AS(T, old);                                                                                             \
    }                                                                                                                  \
    SPELL(T, name, (volatile space atomic_##T * p, V v), (p, v))

#define LOAD_STORE(T, space, s)                                                                                        \
    OVL void atomic_init(volatile space atomic_##T *p, T v) { *WORD(space, p) = AS(UINT, v); }                         \
    OVL T atomic_load_explicit(volatile space atomic_##T *p, memory_order order, memory_scope scope)                   \
    {                                                                                                                  \
        before(order, scope, false);                                                                                          \
        UINT v = READ(space, s, p);                                                                                    \
        after(order);                                                                                                  \
        return AS(T, v);                                                                                               \
    }                                                                                                                  \
    SPELL(T, atomic_load, (volatile space atomic_##T * p), (p))                                                        \
    OVL void atomic_store_explicit(volatile space atomic_##T *p, T v, memory_order order, memory_scope scope)          \
    {                                                                                                                  \
        before(order, scope, true);                                                                                           \
        WRITE(space, s, p, AS(UINT, v));                                                                               \
        after(order);                                                                                                  \
    }                                                                                                                  \
    SPELL(void, atomic_store, (volatile space atomic_##T * p, T v), (p, v))                                            \
    FETCH(atomic_exchange, T, T, swap, AS(UINT, v), space, s)

#define EXCHANGE_IF(name, T, expected_space, space, s)                                                                 \
    OVL bool name##_explicit(volatile space atomic_##T *p, expected_space T *expected, T desired,                      \
                             memory_order success, memory_order failure, memory_scope scope)                           \
    {                                                                                                                  \
        UINT wanted = AS(UINT, *expected);                                                                             \
        before(success, scope, false);                                                                                        \
        UINT old = CAS(s)(WORD(space, p), wanted, AS(UINT, desired));                                            \
        after(success);                                                                                                \
        if (old != wanted)                                                                                             \
            *expected = AS(T, old);                                                                                    \
        return old == wanted;                                                                                          \
    }                                                                                                                  \
    OVL bool name##_explicit(volatile space atomic_##T *p, expected_space T *expected, T desired,                      \
                             memory_order success, memory_order failure)                                               \
    {                                                                                                                  \
        return name##_explicit(p, expected, desired, success, failure, memory_scope_device);                           \
    }                                                                                                                  \
    OVL bool name(volatile space atomic_##T *p, expected_space T *expected, T desired)                                 \
    {                                                                                                                  \
        return name##_explicit(p, expected, desired, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device); \
    }
#define EXCHANGE_IFS(T, expected_space, space, s)                                                                      \
    EXCHANGE_IF(atomic_compare_exchange_strong, T, expected_space, space, s)                                           \
    EXCHANGE_IF(atomic_compare_exchange_weak, T, expected_space, space, s)

#define NEW_ANY(T, space, s)                                                                                           \
    LOAD_STORE(T, space, s)                                                                                            \
    EXCHANGE_IFS(T, __private, space, s)                                                                               \
    EXCHANGE_IFS(T, __global, space, s)                                                                                \
    EXCHANGE_IFS(T, __local, space, s)                                                                                 \
    EXCHANGE_IFS(T, __generic, space, s)
/* An atomic_uintptr_t is an atomic_uint or atomic_ulong and changes by a ptrdiff_t, which is signed: V is the type of the operand. */
#define FETCHES(T, V, min_op, max_op, space, s)                                                                        \
    FETCH(atomic_fetch_add, T, V, add, (UINT)v, space, s)                                                              \
    FETCH(atomic_fetch_sub, T, V, add, 0 - (UINT)v, space, s)                                                          \
    FETCH(atomic_fetch_and, T, V, and, (UINT)v, space, s)                                                              \
    FETCH(atomic_fetch_or, T, V, or, (UINT)v, space, s)                                                                \
    FETCH(atomic_fetch_xor, T, V, xor, (UINT)v, space, s)                                                              \
    FETCH(atomic_fetch_min, T, V, min_op, (UINT)v, space, s)                                                           \
    FETCH(atomic_fetch_max, T, V, max_op, (UINT)v, space, s)
#define NEW_INT(T, V, min_op, max_op, space, s)                                                                        \
    NEW_ANY(T, space, s)                                                                                               \
    FETCHES(T, T, min_op, max_op, space, s)                                                                            \
    FETCHES(T, V, min_op, max_op, space, s)

/* Of floating-point numbers the machine only has exchange: retry until no other work-item interfered. */
#define FETCH_REAL(name, T, expression, space, s)                                                                      \
    OVL T name##_explicit(volatile space atomic_##T *p, T v, memory_order order, memory_scope scope)                   \
    {                                                                                                                  \
        before(order, scope, false);                                                                                          \
        UINT seen = READ(space, s, p), old;                                                                            \
        do {                                                                                                           \
            old = seen;                                                                                                \
            T x = AS(T, old);                                                                                          \
            seen = CAS(s)(WORD(space, p), old, AS(UINT, (expression)));                                                \
        } while (seen != old);                                                                                         \
        after(order);                                                                                                  \
        return AS(T, old);                                                                                             \
    }                                                                                                                  \
    SPELL(T, name, (volatile space atomic_##T * p, T v), (p, v))
#define NEW_REAL(T, space, s)                                                                                          \
    NEW_ANY(T, space, s)                                                                                               \
    FETCH_REAL(atomic_fetch_add, T, x + v, space, s)                                                                   \
    FETCH_REAL(atomic_fetch_sub, T, x - v, space, s)                                                                   \
    FETCH_REAL(atomic_fetch_min, T, FMIN(x, v), space, s)                                                              \
    FETCH_REAL(atomic_fetch_max, T, FMAX(x, v), space, s)

#ifdef CY_DOUBLE
#define NEW(space, s)                                                                                                  \
    NEW_INT(long, ulong, min, max, space, s)                                                                           \
    NEW_INT(ulong, long, minu, maxu, space, s)                                                                         \
    NEW_REAL(double, space, s)
#else
#define NEW(space, s)                                                                                                  \
    NEW_INT(int, uint, min, max, space, s)                                                                             \
    NEW_INT(uint, int, minu, maxu, space, s)                                                                           \
    NEW_REAL(float, space, s)                                                                                          \
    OVL bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p, memory_order order, memory_scope scope)  \
    {                                                                                                                  \
        before(order, scope, false);                                                                                          \
        uint old = AMO(swap, s)(WORD(space, p), 1);                                                                     \
        after(order);                                                                                                  \
        return old != 0;                                                                                               \
    }                                                                                                                  \
    SPELL(bool, atomic_flag_test_and_set, (volatile space atomic_flag * p), (p))                                       \
    OVL void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order, memory_scope scope)         \
    {                                                                                                                  \
        before(order, scope, true);                                                                                           \
        __cy_store_##s(WORD(space, p), 0);                                                                             \
        after(order);                                                                                                  \
    }                                                                                                                  \
    SPELL(void, atomic_flag_clear, (volatile space atomic_flag * p), (p))
#endif
NEW(__global, g)
NEW(__local, l)
NEW(__generic, p)
