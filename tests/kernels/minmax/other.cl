// Minima and maxima of minima and maxima and of another function of the same numbers: all other functions of floats.
// LLVM 19's simplifier takes the other function for a minimum, too (src/cc/llvm/opaque.c); here integers tell whether one was.
//
// options: -w
// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: acos_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: acosh_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: acospi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: asin_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: asinh_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: asinpi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: atan_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: atanh_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: atanpi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: cbrt_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: cos_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: cosh_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: cospi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: degrees_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: erf_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: erfc_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: exp_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: exp10_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: exp2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: expm1_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: lgamma_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: log_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: log10_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: log1p_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: log2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: logb_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: radians_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: rsqrt_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: sign_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: sin_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: sinh_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: sinpi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: tan_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: tanh_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: tanpi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: tgamma_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_cos_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_exp_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_exp10_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_exp2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_log_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_log10_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_log2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_recip_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_rsqrt_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_sin_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_sqrt_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_tan_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_cos_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_exp_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_exp10_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_exp2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_log_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_log10_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_log2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_recip_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_rsqrt_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_sin_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_sqrt_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_tan_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: atan2_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: atan2pi_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: hypot_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: pow_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: powr_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_divide_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: native_powr_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_divide_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: half_powr_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: step_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: atan2_ba_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: pow_ba_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: step_ba_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: mad__ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: muladd_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: negmuladd_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: mix__ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: smooth_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: pown__ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: rootn__ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: quotient_ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: length__ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d

// data: out int[32] zero
// data: in float[48] random 0.01 3
// run: dot__ 32/32 out in
// gives: out=8421ae126c7ced25 in=7e7b9f7cd9aceb2d


/* Floats in the order of integers, -0 below 0. */
int key(float x)
{
    int i = as_int(x);
    return i ^ ((i >> 31) & 0x7fffffff);
}

#define TELL(got, expected) r = got, wrong |= key(r) ^ expected;

#define LESS(x, y) ((x) < (y) ? (x) : (y))
#define LOW(x, y)  ((x) < (y) ? (x) : (y))
#define HIGH(x, y) ((x) < (y) ? (y) : (x))

/* Two and three in one another, with the other function in each place. */
#define NEST(F, KF, H, KH)                                                                                             \
    {                                                                                                                  \
        float h = H(a, b), s = H(b, a), x = F(h, c), y = H(g, c), r;                                                   \
        int k = KH(ka, kb);                                                                                            \
        TELL(F(h, g), KF(k, kg))                                                                                       \
        TELL(F(g, s), KF(k, kg))                                                                                       \
        TELL(H(x, g), KH(KF(k, kc), kg))                                                                               \
        TELL(F(s, y), KF(k, KH(kg, kc)))                                                                               \
    }
#define WITH(F, KF)                                                                                                    \
    NEST(F, KF, fmin, LOW) NEST(F, KF, fmax, HIGH) NEST(F, KF, LESS, LOW)
#define ALL  WITH(fmin, LOW) WITH(fmax, HIGH) NEST(min, LOW, min, LOW) NEST(max, HIGH, max, HIGH) NEST(LESS, LOW, LESS, LOW)
#define SOME NEST(fmin, LOW, fmin, LOW) NEST(max, HIGH, max, HIGH)
#define KERNEL(name, other, nests)                                                                                     \
    kernel void name##_(global int *out, global const float *in)                                                       \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        float a = in[i], b = in[i + 5], c = in[i + 11], g = other;                                                     \
        int ka = key(a), kb = key(b), kc = key(c), kg = key(g);                                                        \
        int wrong = 0;                                                                                                 \
        nests                                                                                                          \
        out[i] = wrong;                                                                                                \
    }

KERNEL(acos, acos(a * 0.3f), SOME)
KERNEL(acosh, acosh(a + 1.0f), SOME)
KERNEL(acospi, acospi(a * 0.3f), SOME)
KERNEL(asin, asin(a * 0.3f), SOME)
KERNEL(asinh, asinh(a), SOME)
KERNEL(asinpi, asinpi(a * 0.3f), SOME)
KERNEL(atan, atan(a), SOME)
KERNEL(atanh, atanh(a * 0.3f), SOME)
KERNEL(atanpi, atanpi(a), SOME)
KERNEL(cbrt, cbrt(a), SOME)
KERNEL(cos, cos(a), SOME)
KERNEL(cosh, cosh(a), SOME)
KERNEL(cospi, cospi(a), SOME)
KERNEL(degrees, degrees(a), SOME)
KERNEL(erf, erf(a), SOME)
KERNEL(erfc, erfc(a), SOME)
KERNEL(exp, exp(a), SOME)
KERNEL(exp10, exp10(a), SOME)
KERNEL(exp2, exp2(a), SOME)
KERNEL(expm1, expm1(a), SOME)
KERNEL(lgamma, lgamma(a), SOME)
KERNEL(log, log(a), SOME)
KERNEL(log10, log10(a), SOME)
KERNEL(log1p, log1p(a), SOME)
KERNEL(log2, log2(a), SOME)
KERNEL(logb, logb(a), SOME)
KERNEL(radians, radians(a), SOME)
KERNEL(rsqrt, rsqrt(a), SOME)
KERNEL(sign, sign(a), SOME)
KERNEL(sin, sin(a), SOME)
KERNEL(sinh, sinh(a), SOME)
KERNEL(sinpi, sinpi(a), SOME)
KERNEL(tan, tan(a), SOME)
KERNEL(tanh, tanh(a), SOME)
KERNEL(tanpi, tanpi(a), SOME)
KERNEL(tgamma, tgamma(a), SOME)
KERNEL(native_cos, native_cos(a), SOME)
KERNEL(native_exp, native_exp(a), SOME)
KERNEL(native_exp10, native_exp10(a), SOME)
KERNEL(native_exp2, native_exp2(a), SOME)
KERNEL(native_log, native_log(a), SOME)
KERNEL(native_log10, native_log10(a), SOME)
KERNEL(native_log2, native_log2(a), SOME)
KERNEL(native_recip, native_recip(a), SOME)
KERNEL(native_rsqrt, native_rsqrt(a), SOME)
KERNEL(native_sin, native_sin(a), SOME)
KERNEL(native_sqrt, native_sqrt(a), SOME)
KERNEL(native_tan, native_tan(a), SOME)
KERNEL(half_cos, half_cos(a), SOME)
KERNEL(half_exp, half_exp(a), SOME)
KERNEL(half_exp10, half_exp10(a), SOME)
KERNEL(half_exp2, half_exp2(a), SOME)
KERNEL(half_log, half_log(a), SOME)
KERNEL(half_log10, half_log10(a), SOME)
KERNEL(half_log2, half_log2(a), SOME)
KERNEL(half_recip, half_recip(a), SOME)
KERNEL(half_rsqrt, half_rsqrt(a), SOME)
KERNEL(half_sin, half_sin(a), SOME)
KERNEL(half_sqrt, half_sqrt(a), SOME)
KERNEL(half_tan, half_tan(a), SOME)
KERNEL(atan2, atan2(a, b), ALL)
KERNEL(atan2pi, atan2pi(a, b), ALL)
KERNEL(hypot, hypot(a, b), ALL)
KERNEL(pow, pow(a, b), ALL)
KERNEL(powr, powr(a, b), ALL)
KERNEL(native_divide, native_divide(a, b), ALL)
KERNEL(native_powr, native_powr(a, b), ALL)
KERNEL(half_divide, half_divide(a, b), ALL)
KERNEL(half_powr, half_powr(a, b), ALL)
KERNEL(step, step(a, b), ALL)
KERNEL(atan2_ba, atan2(b, a), ALL)
KERNEL(pow_ba, pow(b, a), ALL)
KERNEL(step_ba, step(b, a), ALL)
KERNEL(mad_, mad(a, b, c), ALL)
KERNEL(muladd, a * b + c, ALL)
KERNEL(negmuladd, c - a * b, ALL)
KERNEL(mix_, mix(a, b, c), ALL)
KERNEL(smooth, smoothstep(a, b, c), ALL)
KERNEL(pown_, pown(a, 3), SOME)
KERNEL(rootn_, rootn(a, 3), SOME)
KERNEL(quotient, a / b, ALL)
KERNEL(length_, length((float2)(a, b)), ALL)
KERNEL(dot_, dot((float2)(a, b), (float2)(b, a)), ALL)
