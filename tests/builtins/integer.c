/* Integer functions of every type against references in 128-bit arithmetic, every width against the scalar function; and
 * the 64-bit helpers of the compiler against the host's operations. */
#include "support/test.h"

#include <math.h>
#include <mpfr.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* Modulo 2^128; what matters always fits.  (The sanitizer's checked product needs a library that gcc's is not.) */
static wide times(wide x, wide y)
{
    return (wide)((unsigned_wide)x * (unsigned_wide)y);
}

struct type {
    unsigned bits;
    bool is_signed;
};
static wide least(struct type t)
{
    return t.is_signed ? -((wide)1 << (t.bits - 1)) : 0;
}
static wide most(struct type t)
{
    return ((wide)1 << (t.bits - t.is_signed)) - 1;
}
/* The bits of x as a value of the type. */
static wide wrap(struct type t, wide x)
{
    wide mask = ((wide)1 << t.bits) - 1;
    x &= mask;
    return t.is_signed && (x >> (t.bits - 1)) ? x - mask - 1 : x;
}
static wide saturate(struct type t, wide x)
{
    return x < least(t) ? least(t) : x > most(t) ? most(t) : x;
}
static wide half_of(wide x)
{
    return x >= 0 ? x / 2 : -((1 - x) / 2); /* toward minus infinity */
}
static bool bit(wide x, unsigned i)
{
    return x >> i & 1;
}

#define REF(name) static wide ref_##name(struct type t, wide x, wide y, wide z)
#define UNUSED (void)t, (void)x, (void)y, (void)z
REF(abs)
{
    UNUSED;
    return x < 0 ? -x : x;
}
REF(clz)
{
    UNUSED;
    unsigned n = 0;
    while (n < t.bits && !bit(x, t.bits - 1 - n))
        n++;
    return n;
}
REF(ctz)
{
    UNUSED;
    unsigned n = 0;
    while (n < t.bits && !bit(x, n))
        n++;
    return n;
}
REF(popcount)
{
    UNUSED;
    wide n = 0;
    for (unsigned i = 0; i < t.bits; i++)
        n += bit(x, i);
    return n;
}
REF(bit_reverse)
{
    UNUSED;
    wide r = 0;
    for (unsigned i = 0; i < t.bits; i++)
        r |= (wide)bit(x, i) << (t.bits - 1 - i);
    return r;
}
REF(abs_diff)
{
    UNUSED;
    return x > y ? x - y : y - x;
}
REF(add_sat)
{
    UNUSED;
    return saturate(t, x + y);
}
REF(sub_sat)
{
    UNUSED;
    return saturate(t, x - y);
}
REF(hadd)
{
    UNUSED;
    return half_of(x + y);
}
REF(rhadd)
{
    UNUSED;
    return half_of(x + y + 1);
}
REF(max)
{
    UNUSED;
    return x > y ? x : y;
}
REF(min)
{
    UNUSED;
    return x < y ? x : y;
}
/* The product of two 64-bit unsigned values needs all 128 bits: its high half by parts. */
REF(mul_hi)
{
    UNUSED;
    wide low = y & 0xffffffff, high = y >> 32; /* y = high 2^32 + low */
    wide sum = times(x, high) + (times(x, low) >> 32);
    return t.bits == 64 ? sum >> 32 : times(x, y) >> t.bits;
}
REF(rotate)
{
    UNUSED;
    unsigned by = (unsigned)(y & (t.bits - 1));
    wide bits = x & (((wide)1 << t.bits) - 1), r = bits;
    for (unsigned i = 0; i < by; i++)
        r = (r << 1 | bit(r, t.bits - 1)) & (((wide)1 << t.bits) - 1);
    return r;
}
REF(clamp)
{
    UNUSED;
    wide m = x > y ? x : y;
    return m < z ? m : z;
}
REF(mad_hi)
{
    return ref_mul_hi(t, x, y, 0) + z;
}
REF(mad_sat)
{
    UNUSED;
    if (t.bits == 64 && !t.is_signed && ref_mul_hi(t, x, y, 0)) /* beyond 128 bits, or nearly */
        return most(t);
    return saturate(t, times(x, y) + z);
}
REF(bitselect)
{
    UNUSED;
    return (x & ~z) | (y & z);
}

/* ---- values ---- */

static uint64_t seed = 88172645463325252u;
static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
/* Small, large, near powers of two, any. */
static uint64_t value(void)
{
    uint64_t r = random64();
    unsigned shift = (unsigned)(r >> 58);
    switch (r & 7) {
    case 0: return (uint64_t)1 << shift;
    case 1: return ((uint64_t)1 << shift) - 1;
    case 2: return ~((uint64_t)1 << shift);
    case 3: return (uint64_t)((int64_t)(r >> 20 & 0xf) - 8);
    case 4: return random64() >> shift;
    case 5: return ~(random64() >> shift);
    default: return random64();
    }
}

#define COUNT 3000
static uint64_t raw[3][COUNT];

#define TYPE_LIST(M)                                                                                                   \
    M(char, int8_t, 8, true)                                                                                           \
    M(uchar, uint8_t, 8, false)                                                                                        \
    M(short, int16_t, 16, true)                                                                                        \
    M(ushort, uint16_t, 16, false)                                                                                     \
    M(int, int32_t, 32, true)                                                                                          \
    M(uint, uint32_t, 32, false)                                                                                       \
    M(long, int64_t, 64, true)                                                                                         \
    M(ulong, uint64_t, 64, false)

#define ONE_FUNCTION(name, T, C, bits_, signed_)                                                                       \
    void call_##name##_##T(unsigned count, const C *x, const C *y, const C *z, C *r);                                  \
    unsigned widths_##name##_##T(unsigned count, const C *x, const C *y, const C *z, const C *expected);               \
    static void test_##name##_##T(void)                                                                                \
    {                                                                                                                  \
        static C x[COUNT], y[COUNT], z[COUNT], r[COUNT];                                                               \
        struct type t = {bits_, signed_};                                                                              \
        for (unsigned i = 0; i < COUNT; i++)                                                                           \
            x[i] = (C)raw[0][i], y[i] = (C)raw[1][i], z[i] = (C)raw[2][i];                                             \
        call_##name##_##T(COUNT, x, y, z, r);                                                                          \
        for (unsigned i = 0; i < COUNT; i++)                                                                           \
            if (!CHECK((C)wrap(t, ref_##name(t, (wide)x[i], (wide)y[i], (wide)z[i])) == r[i]))                         \
                fprintf(stderr, "    " #name "(" #T ") of %" PRIx64 ", %" PRIx64 ", %" PRIx64 " = %" PRIx64 "\n",      \
                        (uint64_t)x[i], (uint64_t)y[i], (uint64_t)z[i], (uint64_t)r[i]);                               \
        CHECK_EQ(widths_##name##_##T(COUNT, x, y, z, r), 0);                                                           \
    }
#define UNARY(name) NAMED(name)
#define BINARY(name) NAMED(name)
#define TERNARY(name) NAMED(name)
#define NAMED(name)                                                                                                    \
    ONE_FUNCTION(name, char, int8_t, 8, true)                                                                          \
    ONE_FUNCTION(name, uchar, uint8_t, 8, false)                                                                       \
    ONE_FUNCTION(name, short, int16_t, 16, true)                                                                       \
    ONE_FUNCTION(name, ushort, uint16_t, 16, false)                                                                    \
    ONE_FUNCTION(name, int, int32_t, 32, true)                                                                         \
    ONE_FUNCTION(name, uint, uint32_t, 32, false)                                                                      \
    ONE_FUNCTION(name, long, int64_t, 64, true)                                                                        \
    ONE_FUNCTION(name, ulong, uint64_t, 64, false)
#include "integer.def"
#undef NAMED

#define UPSAMPLE(H, CH, CL, CR, width)                                                                                 \
    void call_upsample_##H(unsigned count, const CH *x, const CL *y, CR *r);                                           \
    unsigned widths_upsample_##H(unsigned count, const CH *x, const CL *y, const CR *expected);                        \
    static void test_upsample_##H(void)                                                                                \
    {                                                                                                                  \
        static CH x[COUNT];                                                                                            \
        static CL y[COUNT];                                                                                            \
        static CR r[COUNT];                                                                                            \
        for (unsigned i = 0; i < COUNT; i++)                                                                           \
            x[i] = (CH)raw[0][i], y[i] = (CL)raw[1][i];                                                                \
        call_upsample_##H(COUNT, x, y, r);                                                                             \
        for (unsigned i = 0; i < COUNT; i++)                                                                           \
            CHECK(times((wide)x[i], (wide)1 << width) + y[i] == (wide)r[i]);                                           \
        CHECK_EQ(widths_upsample_##H(COUNT, x, y, r), 0);                                                              \
    }
UPSAMPLE(char, int8_t, uint8_t, int16_t, 8)
UPSAMPLE(uchar, uint8_t, uint8_t, uint16_t, 8)
UPSAMPLE(short, int16_t, uint16_t, int32_t, 16)
UPSAMPLE(ushort, uint16_t, uint16_t, uint32_t, 16)
UPSAMPLE(int, int32_t, uint32_t, int64_t, 32)
UPSAMPLE(uint, uint32_t, uint32_t, uint64_t, 32)

#define MIXED(T, C, ...)                                                                                               \
    unsigned mixed_##T(const C *x);                                                                                    \
    static void test_mixed_##T(void)                                                                                   \
    {                                                                                                                  \
        C x[80];                                                                                                       \
        for (unsigned i = 0; i < 80; i++)                                                                              \
            x[i] = (C)raw[0][i];                                                                                       \
        CHECK_EQ(mixed_##T(x), 0);                                                                                     \
    }
TYPE_LIST(MIXED)

/* ---- the compiler's helpers ---- */

uint64_t __cy_udiv64(uint64_t a, uint64_t b);
uint64_t __cy_urem64(uint64_t a, uint64_t b);
int64_t __cy_sdiv64(int64_t a, int64_t b);
int64_t __cy_srem64(int64_t a, int64_t b);
float __cy_i64_to_f32(int64_t x);
float __cy_u64_to_f32(uint64_t x);
int64_t __cy_f32_to_i64(float x);
uint64_t __cy_f32_to_u64(float x);
uint64_t __cy_f32_to_f64_bits(float x);
int32_t call_mul24(int32_t a, int32_t b);
uint32_t call_umul24(uint32_t a, uint32_t b);
int32_t call_mad24(int32_t a, int32_t b, int32_t c);

static void test_division(void)
{
    for (unsigned i = 0; i < 300000; i++) {
        uint64_t a = value(), b = value();
        if (!b)
            continue;
        CHECK_EQ((intmax_t)__cy_udiv64(a, b), (intmax_t)(a / b));
        CHECK_EQ((intmax_t)__cy_urem64(a, b), (intmax_t)(a % b));
        if ((int64_t)a == INT64_MIN && (int64_t)b == -1)
            continue;
        CHECK_EQ(__cy_sdiv64((int64_t)a, (int64_t)b), (int64_t)a / (int64_t)b);
        CHECK_EQ(__cy_srem64((int64_t)a, (int64_t)b), (int64_t)a % (int64_t)b);
    }
}

static void test_float_conversions(void)
{
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t a = value();
        CHECK(__cy_u64_to_f32(a) == (float)a);
        CHECK(__cy_i64_to_f32((int64_t)a) == (float)(int64_t)a);
        float f = i & 1 ? (float)a : (float)(int64_t)a;
        uint32_t bits = (uint32_t)random64();
        if (i % 4 == 3)
            memcpy(&f, &bits, sizeof(f));
        double d = f;
        uint64_t unsigned_ = isnan(f) || f < 1 ? 0 : f >= 0x1p64f ? UINT64_MAX : (uint64_t)f;
        int64_t signed_ = isnan(f) ? 0 : f >= 0x1p63f ? INT64_MAX : f < -0x1p63f ? INT64_MIN : (int64_t)f;
        CHECK_EQ((intmax_t)__cy_f32_to_u64(f), (intmax_t)unsigned_);
        CHECK_EQ(__cy_f32_to_i64(f), signed_);
        uint64_t image = __cy_f32_to_f64_bits(f);
        double back;
        memcpy(&back, &image, sizeof(back));
        CHECK(isnan(f) ? isnan(back) : memcmp(&back, &d, sizeof(d)) == 0);
    }
}

static void test_24(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        int32_t a = (int32_t)(random64() & 0xffffff) - 0x800000, b = (int32_t)(random64() & 0xffffff) - 0x800000;
        CHECK_EQ(call_mul24(a >> 9, b >> 9), (a >> 9) * (b >> 9));
        CHECK_EQ(call_mad24(a >> 10, b >> 10, b), (a >> 10) * (b >> 10) + b);
        CHECK_EQ(call_umul24((uint32_t)(a & 0xffff), (uint32_t)(b & 0xffff)),
                 (uint32_t)(a & 0xffff) * (uint32_t)(b & 0xffff));
    }
}

int main(void)
{
    for (unsigned i = 0; i < COUNT; i++)
        raw[0][i] = value(), raw[1][i] = value(), raw[2][i] = value();
#define RUN(name, T) test_##name##_##T();
#define NAMED(name)                                                                                                    \
    RUN(name, char)                                                                                                    \
    RUN(name, uchar) RUN(name, short) RUN(name, ushort) RUN(name, int) RUN(name, uint) RUN(name, long) RUN(name, ulong)
#include "integer.def"
    NAMED(mixed)
    RUN(upsample, char)
    RUN(upsample, uchar)
    RUN(upsample, short) RUN(upsample, ushort) RUN(upsample, int) RUN(upsample, uint) test_division();
    test_float_conversions();
    test_24();
    return test_finish();
}
