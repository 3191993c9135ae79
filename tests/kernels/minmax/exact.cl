// Minima and maxima of minima and maxima and of another function of the same numbers: functions with fully specified results.
// LLVM 19's simplifier takes the other function for a minimum, too (src/cc/llvm/opaque.c); here integers tell whether one was.
//
// options: -w
// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fabs_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=8d8674a4f22b61a6 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: ceil_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=f49add6924917d43 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: floor_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=feb18c541c0ca14a in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: rint_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=0988f78d05982af6 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: round_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=0988f78d05982af6 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: trunc_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=369115248a5ca685 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: sqrt_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=8d8674a4f22b61a6 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fmin_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=354e1daeda5f343c in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fmax_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=0950940c8121cf6b in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fdim_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=d0f28cca3eab85d8 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fmod_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=f1c03474a169376e in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: copysign_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=85133c52e2c076c3 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: nextafter_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=fb0203c94c50e231 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: remainder_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=d452279306429438 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: maxmag_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=5248fbecbe7b3443 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: minmag_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=9572310cc12d9dfc in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: min_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=354e1daeda5f343c in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: max_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=0950940c8121cf6b in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fdim_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=9d2d8122b87fd283 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fmod_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=29a2fa24a707e85c in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: copysign_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=0810edf9a55b53eb in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: nextafter_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=a9a86952aa741a60 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fma_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=a7366f4f1a365a42 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: fma_ba_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=a7366f4f1a365a42 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: clamp_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=2fea5f16473352d2 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: ldexp_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=4d6d7946c48a3fa3 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: neg_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=77d783fd31f0c7d8 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: sum_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=406838e792c1b75e in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: select__ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=44eb32877e5880dd in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: bits_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=ed40b561da6073e0 in=1f7ac8bd46773125

// data: out int[32] zero
// data: sums uint[32] zero
// data: in float[48] random -3 3
// run: convert_ 32/32 out sums in
// gives: out=8421ae126c7ced25 sums=369115248a5ca685 in=1f7ac8bd46773125


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
KERNEL(sqrt, sqrt(a * a), SOME)
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
