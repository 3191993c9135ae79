/* Included by every file of the device library: types, the compiler's intrinsics, and the macros that generate a
 * function's vector widths.
 *
 * A function of n components is built from two functions of n/2 components (SPLIT*); only the scalar one is written
 * out. Where the operators of OpenCL C suffice, one body serves all widths (WIDTHS).  The compiler inlines all of it
 * and splits the vectors into scalars, so neither costs anything in the kernel. */
#ifndef CY_BUILTINS_H
#define CY_BUILTINS_H

#include <opencl-c-base.h>

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVL __attribute__((overloadable))
#define CONST __attribute__((const)) /* for functions defined in another file */
#define INTERNAL static inline __attribute__((always_inline, unused))

/* The floating-point type of a file: some are compiled for each of the three.  INT and UINT have its size, FRACTION is the
 * number of bits of its fraction. */
#if defined(CY_DOUBLE)
#define REAL     double
#define INT      long
#define UINT     ulong
#define FRACTION 52
#elif defined(CY_HALF)
#define REAL     half
#define INT      short
#define UINT     ushort
#define FRACTION 10
#else
#define REAL     float
#define INT      int
#define UINT     uint
#define FRACTION 23
#endif
#define CY_IS_FLOAT (FRACTION == 23)
#define REALS(n)    CAT(REAL, n)
#define INTS(n)     CAT(INT, n)
#define UINTS(n)    CAT(UINT, n)
#define BIAS        ((1 << (8 * (int)sizeof(REAL) - 2 - FRACTION)) - 1)

/* ---- intrinsics, known to the compiler by name ---- */

/* __cy_csr_<name>.  An argument with the number would not do: LLVM merges several calls in branches into one with a
 * variable. */
#define CY_CSRS(M) M(tid) M(numt) M(knl) M(wid) M(lds) M(gidx) M(gidy) M(gidz)
#define CY_CSR(name) uint __cy_csr_##name(void) __attribute__((const));
CY_CSRS(CY_CSR)
#undef CY_CSR
uint __cy_lane(void) __attribute__((const));
void __cy_barrier(uint imm5) __attribute__((convergent));
void __cy_fence(uint order); /* a memory_order; if it is not constant, the strongest */
/* Within a warp.  LLVM may neither merge two calls nor move one to where other lanes are active. */
#define MEETS __attribute__((convergent, nomerge))
void __cy_warp_barrier(uint imm5) MEETS;
uint __cy_exchange(__local uint *mine, uint x, __local uint *theirs) MEETS; /* *mine = x, then *theirs */
uint __cy_unite(__local uint *word, uint x) MEETS; /* x of all active lanes, combined by or; changes *word */
__local void *__cy_scratch(uint bytes) __attribute__((const)); /* of a constant size, the same for all callers */
/* __cy_late_NAME is __cy_NAME of this library, linked only after LLVM has merged calls: the bodies branch. */
uint __cy_late_subgroup_lane(void) __attribute__((const));
uint __cy_late_subgroup_size(void) __attribute__((const));
float __cy_fexp(float x) __attribute__((const)); /* e^x within 1 ulp */
/* Not LLVM's minnum and maxnum (__builtin_fminf, __builtin_elementwise_max): src/cc/llvm/opaque.c says why. */
float __cy_fmin(float x, float y) __attribute__((const));
float __cy_fmax(float x, float y) __attribute__((const));
double __cy_dmin(double x, double y) __attribute__((const));
double __cy_dmax(double x, double y) __attribute__((const));

#define CY_AMO_OPS(M) M(add) M(swap) M(and) M(or) M(xor) M(min) M(max) M(minu) M(maxu)
#define CY_AMO(op)                                                                                                     \
    uint __cy_amo_##op##_g(volatile __global uint *p, uint v);                                                         \
    uint __cy_amo_##op##_l(volatile __local uint *p, uint v);                                                          \
    uint __cy_amo_##op##_p(volatile __generic uint *p, uint v);
CY_AMO_OPS(CY_AMO)
#undef CY_AMO
uint __cy_cas_g(volatile __global uint *p, uint expected, uint desired);
uint __cy_cas_l(volatile __local uint *p, uint expected, uint desired);
uint __cy_cas_p(volatile __generic uint *p, uint expected, uint desired);
#define CY_AMO(op)                                                                                                     \
    ulong __cy_amo64_##op##_g(volatile __global ulong *p, ulong v);                                                    \
    ulong __cy_amo64_##op##_l(volatile __local ulong *p, ulong v);                                                     \
    ulong __cy_amo64_##op##_p(volatile __generic ulong *p, ulong v);
CY_AMO_OPS(CY_AMO)
#undef CY_AMO
ulong __cy_cas64_g(volatile __global ulong *p, ulong expected, ulong desired);
ulong __cy_cas64_l(volatile __local ulong *p, ulong expected, ulong desired);
ulong __cy_cas64_p(volatile __generic ulong *p, ulong expected, ulong desired);

/* Atomic loads and stores; and notes to a checker, which are nothing in other programs (src/cc/llvm/check.c). */
uint __cy_load_g(volatile __global uint *p);
uint __cy_load_l(volatile __local uint *p);
uint __cy_load_p(volatile __generic uint *p);
void __cy_store_g(volatile __global uint *p, uint v);
void __cy_store_l(volatile __local uint *p, uint v);
void __cy_store_p(volatile __generic uint *p, uint v);
void __cy_note_async_to(uint address);
void __cy_note_async_from(uint address);
void __cy_note_async(uint count);
void __cy_note_async_end(uint zero);
void __cy_note_wait(uint count);
void __cy_note_async_size(uint bytes);
void __cy_note_async_to_step(uint bytes);
void __cy_note_async_from_step(uint bytes);
uint __cy_note_event(uint given); /* what the copy returns: the event that it was given, or for a checker a new one */
void __cy_note_wait_event(uint event);
void __cy_note_order(uint order); /* of the next atomic operations: order | scope << 8 | is a plain store << 16 */
void __cy_note_order_end(uint zero);
void __cy_note_fence(uint fence); /* flags | order << 8 | scope << 16 */

/* ---- helpers that the compiler also calls (int64.cl, rem.cl) ---- */

long __cy_sdiv64(long a, long b) CONST;
long __cy_srem64(long a, long b) CONST;
ulong __cy_udiv64(ulong a, ulong b) CONST;
ulong __cy_urem64(ulong a, ulong b) CONST;
float __cy_i64_to_f32(long x) CONST;
float __cy_u64_to_f32(ulong x) CONST;
long __cy_f32_to_i64(float x) CONST;
ulong __cy_f32_to_u64(float x) CONST;
ulong __cy_f32_to_f64_bits(float x) CONST;
float __cy_fmod(float x, float y) CONST;
double __cy_f32_to_f64(float x) CONST;
float __cy_f64_to_f32(double x) CONST;
double __cy_f16_to_f64(ushort x) CONST;
ushort __cy_f64_to_f16(double x) CONST;
float __cy_f16_to_f32(ushort x) CONST;
ushort __cy_f32_to_f16(float x) CONST;
#define CY_TO_HALF(mode)                                                                                               \
    ushort __cy_half_##mode##_float(float x) CONST;                                                                    \
    ushort __cy_half_##mode##_double(double x) CONST;
CY_TO_HALF(rtz)
CY_TO_HALF(rtp)
CY_TO_HALF(rtn)
#undef CY_TO_HALF
double __cy_fmod64(double x, double y) CONST;

/* ---- lists of types ---- */

/* M(type, unsigned type, bits) */
#define SIGNED_TYPES(M)   M(char, uchar, 8) M(short, ushort, 16) M(int, uint, 32) M(long, ulong, 64)
#define UNSIGNED_TYPES(M) M(uchar, uchar, 8) M(ushort, ushort, 16) M(uint, uint, 32) M(ulong, ulong, 64)
#define INTEGER_TYPES(M)  SIGNED_TYPES(M) UNSIGNED_TYPES(M)

/* M(n): the suffixes of a type's vectors */
#define VECTORS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define WIDTHS(M, ...)  M(, __VA_ARGS__) VECTORS(M, __VA_ARGS__)

/* The name of a vector type, its parts expanded first. */
#define CAT_(a, b)    a##b
#define CAT(a, b)     CAT_(a, b)
#define AS(type, x)   __builtin_astype((x), type)
#define CONV(type, x) __builtin_convertvector((x), type)

/* ---- vectors from halves: the types may be macros ---- */

#define SPLIT1(R, f, A)       SPLIT1_OF(R, f, A)
#define SPLIT2(R, f, A, B)    SPLIT2_OF(R, f, A, B)
#define SPLIT3(R, f, A, B, C) SPLIT3_OF(R, f, A, B, C)

/* f(A) -> R */
#define SPLIT1_N(n, R, f, A) OVL R##n f(A##n a) { return (R##n)(f(a.lo), f(a.hi)); }
#define SPLIT1_OF(R, f, A)                                                                                                \
    SPLIT1_N(2, R, f, A)                                                                                               \
    OVL R##3 f(A##3 a) { return (R##3)(f(a.s0), f(a.s1), f(a.s2)); }                                                   \
    SPLIT1_N(4, R, f, A) SPLIT1_N(8, R, f, A) SPLIT1_N(16, R, f, A)

/* f(A, B) -> R */
#define SPLIT2_N(n, R, f, A, B) OVL R##n f(A##n a, B##n b) { return (R##n)(f(a.lo, b.lo), f(a.hi, b.hi)); }
#define SPLIT2_OF(R, f, A, B)                                                                                             \
    SPLIT2_N(2, R, f, A, B)                                                                                            \
    OVL R##3 f(A##3 a, B##3 b) { return (R##3)(f(a.s0, b.s0), f(a.s1, b.s1), f(a.s2, b.s2)); }                         \
    SPLIT2_N(4, R, f, A, B) SPLIT2_N(8, R, f, A, B) SPLIT2_N(16, R, f, A, B)

/* f(A, B, C) -> R */
#define SPLIT3_N(n, R, f, A, B, C)                                                                                     \
    OVL R##n f(A##n a, B##n b, C##n c) { return (R##n)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }
#define SPLIT3_OF(R, f, A, B, C)                                                                                          \
    SPLIT3_N(2, R, f, A, B, C)                                                                                         \
    OVL R##3 f(A##3 a, B##3 b, C##3 c)                                                                                 \
    {                                                                                                                  \
        return (R##3)(f(a.s0, b.s0, c.s0), f(a.s1, b.s1, c.s1), f(a.s2, b.s2, c.s2));                                  \
    }                                                                                                                  \
    SPLIT3_N(4, R, f, A, B, C) SPLIT3_N(8, R, f, A, B, C) SPLIT3_N(16, R, f, A, B, C)

/* f(T, A, __private P *) -> T with the A operands named in the list (empty or `, a.part`): two forms. */
#define SPLIT_OUT1_N(n, T, f, P)                                                                                          \
    OVL T##n f(T##n a, __private P##n *out)                                                                    \
    {                                                                                                                  \
        __typeof__(out->lo) lo, hi;                                                                                    \
        T##n r = (T##n)(f(a.lo, &lo), f(a.hi, &hi));                                                           \
        *out = (P##n)(lo, hi);                                                                                         \
        return r;                                                                                                      \
    }
#define SPLIT_OUT2_N(n, T, f, P)                                                                                          \
    OVL T##n f(T##n a, T##n b, __private P##n *out)                                                        \
    {                                                                                                                  \
        __typeof__(out->lo) lo, hi;                                                                                    \
        T##n r = (T##n)(f(a.lo, b.lo, &lo), f(a.hi, b.hi, &hi));                                               \
        *out = (P##n)(lo, hi);                                                                                         \
        return r;                                                                                                      \
    }

/* The same function with its result pointer in the other address spaces. */
#define OUT1_SPACE(n, T, f, P, space)                                                                                     \
    OVL T##n f(T##n a, space P##n *out)                                                                        \
    {                                                                                                                  \
        P##n value;                                                                                                    \
        T##n r = f(a, &value);                                                                                     \
        *out = value;                                                                                                  \
        return r;                                                                                                      \
    }
#define OUT2_SPACE(n, T, f, P, space)                                                                                     \
    OVL T##n f(T##n a, T##n b, space P##n *out)                                                            \
    {                                                                                                                  \
        P##n value;                                                                                                    \
        T##n r = f(a, b, &value);                                                                                  \
        *out = value;                                                                                                  \
        return r;                                                                                                      \
    }
#define OUT1_OF(T, f, P)                                                                                                     \
    SPLIT_OUT1_N(2, T, f, P)                                                                                              \
    OVL T##3 f(T##3 a, __private P##3 *out)                                                                        \
    {                                                                                                                  \
        P x, y, z;                                                                                                     \
        T##3 r = (T##3)(f(a.s0, &x), f(a.s1, &y), f(a.s2, &z));                                                    \
        *out = (P##3)(x, y, z);                                                                                        \
        return r;                                                                                                      \
    }                                                                                                                  \
    SPLIT_OUT1_N(4, T, f, P) SPLIT_OUT1_N(8, T, f, P) SPLIT_OUT1_N(16, T, f, P)                                                 \
    WIDTHS(OUT1_SPACE, T, f, P, __global) WIDTHS(OUT1_SPACE, T, f, P, __local) WIDTHS(OUT1_SPACE, T, f, P, __generic)
#define OUT2_OF(T, f, P)                                                                                                     \
    SPLIT_OUT2_N(2, T, f, P)                                                                                              \
    OVL T##3 f(T##3 a, T##3 b, __private P##3 *out)                                                              \
    {                                                                                                                  \
        P x, y, z;                                                                                                     \
        T##3 r = (T##3)(f(a.s0, b.s0, &x), f(a.s1, b.s1, &y), f(a.s2, b.s2, &z));                                  \
        *out = (P##3)(x, y, z);                                                                                        \
        return r;                                                                                                      \
    }                                                                                                                  \
    SPLIT_OUT2_N(4, T, f, P) SPLIT_OUT2_N(8, T, f, P) SPLIT_OUT2_N(16, T, f, P)                                                 \
    WIDTHS(OUT2_SPACE, T, f, P, __global) WIDTHS(OUT2_SPACE, T, f, P, __local) WIDTHS(OUT2_SPACE, T, f, P, __generic)

#define OUT1_IN(T, f, P) OUT1_OF(T, f, P)
#define OUT2_IN(T, f, P) OUT2_OF(T, f, P)
#define OUT1(f, P)       OUT1_IN(REAL, f, P)
#define OUT2(f, P)       OUT2_IN(REAL, f, P)

#endif
