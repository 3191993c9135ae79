// Minima and maxima of minima and maxima and of another function of the same numbers: functions whose every bit is defined.
// LLVM 19's simplifier takes the other function for a minimum, too (src/cc/opaque.c); here integers tell whether one was.
//
// options: -w
// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fabs_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=10ac00a7adb537a0 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: ceil_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=fcb606f3d7844914 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: floor_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=2f333be1e6e648ac in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: rint_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=d4c3095ceb55bd62 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: round_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=d4c3095ceb55bd62 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: trunc_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=2f333be1e6e648ac in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: sqrt_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=2db3339f69b1c9ef in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fmin_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=bbf041995f4d1538 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fmax_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=18ce513c90566d91 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fdim_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=5736c4f61866131f in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fmod_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=51ab29d7056977dd in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: copysign_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=40b713ff2ca3f994 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: nextafter_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=5fbb24f147db859a in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: remainder_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=f85b79bf78ebb355 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: maxmag_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=18ce513c90566d91 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: minmag_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=bbf041995f4d1538 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: min_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=bbf041995f4d1538 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: max_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=18ce513c90566d91 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fdim_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=5fb4a87af7ff03bb in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fmod_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=804bdb24238e5a4e in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: copysign_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=163abe86bc365e15 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: nextafter_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=a6bacb3b2932838f in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fma_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=1249aee62e5a0d90 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: fma_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=1249aee62e5a0d90 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: clamp_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=4860cf5ed3bbfeb6 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: ldexp_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=5a2f2f3ebdf2219f in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: neg_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=0019ea4b44bf7ddf in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: sum_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=80d66bd1be948134 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: select__ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=2ba7bcd0b437e694 in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: bits_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=29fb733fb085adbe in=b8f7e30170c17cd4

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random 0.01 3
// run: convert_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=2f333be1e6e648ac in=b8f7e30170c17cd4


/* Floats in the order of integers, -0 below 0. */
int key(float x)
{
    int i = as_int(x);
    return i ^ ((i >> 31) & 0x7fffffff);
}

#define TELL(got, expected) r = got, sum = sum * 31 + as_uint(r), wrong |= key(r) ^ expected;

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
    kernel void name##_(global int *out, global uint *sums, global const float *in)                                    \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        float a = in[i], b = in[i + 5], c = in[i + 11], g = other;                                                     \
        int ka = key(a), kb = key(b), kc = key(c), kg = key(g);                                                        \
        int wrong = 0;                                                                                                 \
        uint sum = 0;                                                                                                  \
        nests                                                                                                          \
        out[i] = wrong;                                                                                                \
        sums[i] = sum;                                                                                                 \
    }

KERNEL(fabs, fabs(a), SOME)
KERNEL(ceil, ceil(a), SOME)
KERNEL(floor, floor(a), SOME)
KERNEL(rint, rint(a), SOME)
KERNEL(round, round(a), SOME)
KERNEL(trunc, trunc(a), SOME)
KERNEL(sqrt, sqrt(a), SOME)
KERNEL(fmin, fmin(a, b), ALL)
KERNEL(fmax, fmax(a, b), ALL)
KERNEL(fdim, fdim(a, b), ALL)
KERNEL(fmod, fmod(a, b), ALL)
KERNEL(copysign, copysign(a, b), ALL)
KERNEL(nextafter, nextafter(a, b), ALL)
KERNEL(remainder, remainder(a, b), ALL)
KERNEL(maxmag, maxmag(a, b), ALL)
KERNEL(minmag, minmag(a, b), ALL)
KERNEL(min, min(a, b), ALL)
KERNEL(max, max(a, b), ALL)
KERNEL(fdim_ba, fdim(b, a), ALL)
KERNEL(fmod_ba, fmod(b, a), ALL)
KERNEL(copysign_ba, copysign(b, a), ALL)
KERNEL(nextafter_ba, nextafter(b, a), ALL)
KERNEL(fma, fma(a, b, c), ALL)
KERNEL(fma_ba, fma(b, a, c), ALL)
KERNEL(clamp, clamp(c, fmin(a, b), fmax(a, b)), ALL)
KERNEL(ldexp, ldexp(a, 3), SOME)
KERNEL(neg, -a, ALL)
KERNEL(sum, a + b, ALL)
KERNEL(select_, select(a, b, isless(a, c)), ALL)
KERNEL(bits, bitselect(a, b, a), ALL)
KERNEL(convert, convert_float(convert_int(a)), SOME)
