/* Conversions between all types with all roundings, scalars against MPFR, vectors against scalars. */
#include "support/test.h"

#include <math.h>
#include <mpfr.h>

enum rounding { DEFAULT, RTE, RTZ, RTP, RTN };

enum type { char_, uchar_, short_, ushort_, int_, uint_, long_, ulong_, float_ };
static const struct {
    const char *name;
    unsigned bytes;
    bool is_signed;
} types[] = {{"char", 1, true},  {"uchar", 1, false}, {"short", 2, true},  {"ushort", 2, false}, {"int", 4, true},
             {"uint", 4, false}, {"long", 8, true},   {"ulong", 8, false}, {"float", 4, true}};

static uint64_t seed = 2463534242u;
static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}
static uint64_t integer_sample(unsigned i)
{
    uint64_t r = random64();
    switch (i % 4) {
    case 0: return ((uint64_t)1 << (r >> 58)) + (r & 3) - 2;
    case 1: return ~(((uint64_t)1 << (r >> 58)) + (r & 3) - 2);
    case 2: return random64() >> (r >> 58);
    default: return random64();
    }
}
/* Near the bounds of the types, halves, any. */
static float float_sample(unsigned i)
{
    static const float edges[] = {0,         0.25f,
                                  0.5f,      0.75f,
                                  1,         1.5f,
                                  2.5f,      126.5f,
                                  127,       127.5f,
                                  128,       128.5f,
                                  254.5f,    255,
                                  255.5f,    256,
                                  32767,     32767.5f,
                                  32768,     32768.5f,
                                  65535,     65535.5f,
                                  65536,     0x1.fffffep30f,
                                  0x1p31f,   0x1.fffffep31f,
                                  0x1p32f,   0x1.fffffep62f,
                                  0x1p63f,   0x1.fffffep63f,
                                  0x1p64f,   1e30f,
                                  0x1p-149f, INFINITY,
                                  NAN};
    unsigned count = sizeof(edges) / sizeof(edges[0]);
    if (i < 2 * count)
        return i & 1 ? -edges[i / 2] : edges[i / 2];
    int32_t digits = (int32_t)random64();
    float f = ldexpf((float)digits, (int)(random64() % 68) - 35);
    return i % 3 ? f : floorf(f) + 0.5f;
}

/* x as an integer of the type, when the conversion is defined; the result in `out`. */
static bool to_integer(const mpfr_t x, enum rounding rounding, bool saturates, double low, double above, mpfr_t out)
{
    static const mpfr_rnd_t modes[] = {MPFR_RNDZ, MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
    if (mpfr_nan_p(x)) {
        mpfr_set_ui(out, 0, MPFR_RNDN);
        return saturates;
    }
    mpfr_rint(out, x, modes[rounding]);
    if (mpfr_cmp_d(out, low) < 0) {
        mpfr_set_d(out, low, MPFR_RNDN);
        return saturates;
    }
    if (mpfr_cmp_d(out, above) >= 0) {
        mpfr_set_d(out, above, MPFR_RNDN);
        mpfr_sub_ui(out, out, 1, MPFR_RNDN);
        return saturates;
    }
    return true;
}

/* ---- values in memory ---- */

static uint64_t get_bits(enum type type, const void *p)
{
    uint64_t bits = 0;
    memcpy(&bits, p, types[type].bytes); /* little endian */
    return bits;
}
static int64_t get_signed(enum type type, const void *p)
{
    unsigned unused = 64 - 8 * types[type].bytes;
    return (int64_t)(get_bits(type, p) << unused) >> unused;
}
static float get_float(const void *p)
{
    float f;
    memcpy(&f, p, sizeof(f));
    return f;
}
static void set_sample(enum type type, void *p, unsigned i)
{
    uint64_t bits = integer_sample(i);
    float f = float_sample(i);
    memcpy(p, type == float_ ? (void *)&f : (void *)&bits, types[type].bytes);
}
static void to_mpfr(enum type type, const void *p, mpfr_t x)
{
    if (type == float_)
        mpfr_set_flt(x, get_float(p), MPFR_RNDN);
    else if (types[type].is_signed)
        mpfr_set_sj(x, get_signed(type, p), MPFR_RNDN);
    else
        mpfr_set_uj(x, get_bits(type, p), MPFR_RNDN);
}

/* ---- checks ---- */

static bool is_right(enum type to, enum type from, bool saturates, enum rounding rounding, const void *source,
                     const void *result, mpfr_t x, mpfr_t wanted)
{
    to_mpfr(from, source, x);
    if (to == float_) {
        static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
        float f = mpfr_get_flt(x, modes[rounding]), r = get_float(result);
        return isnan(f) ? isnan(r) : f == r;
    }
    int bits = (int)types[to].bytes * 8;
    double low = types[to].is_signed ? -ldexp(1, bits - 1) : 0, above = ldexp(1, bits - types[to].is_signed);
    if (to_integer(x, rounding, saturates, low, above, wanted))
        return types[to].is_signed ? get_signed(to, result) == mpfr_get_sj(wanted, MPFR_RNDN)
                                   : get_bits(to, result) == mpfr_get_uj(wanted, MPFR_RNDN);
    /* Integers without saturation wrap; floats out of range give anything. */
    return from == float_ || !((get_bits(to, result) ^ (uint64_t)get_signed(from, source)) << (64 - bits));
}

#define COUNT 300
typedef void call(unsigned count, const void *x, void *r);
typedef unsigned widths(unsigned count, const void *x, const void *expected);
struct conversion {
    enum type to, from;
    const char *suffix;
    bool saturates;
    enum rounding rounding;
    call *call;
    widths *widths;
};
#define CONVERSION(D, S, suffix, saturates, rounding)                                                                  \
    call call_##D##_##S##suffix;                                                                                       \
    widths widths_##D##_##S##suffix;
#include "convert.def"
#undef CONVERSION

static const struct conversion conversions[] = {
#define CONVERSION(D, S, suffix, saturates, rounding)                                                                  \
    {D##_, S##_, #suffix, saturates, rounding, call_##D##_##S##suffix, widths_##D##_##S##suffix},
#include "convert.def"
#undef CONVERSION
};

int main(void)
{
    static _Alignas(16) unsigned char x[COUNT * 8], r[COUNT * 8];
    mpfr_t exact, wanted;
    mpfr_inits2(200, exact, wanted, (mpfr_ptr)0); /* any float between 2^-149 and 2^64 */
    for (size_t k = 0; k < sizeof(conversions) / sizeof(conversions[0]); k++) {
        const struct conversion *c = &conversions[k];
        unsigned from = types[c->from].bytes, to = types[c->to].bytes;
        for (unsigned i = 0; i < COUNT; i++)
            set_sample(c->from, x + i * from, i);
        c->call(COUNT, x, r);
        for (unsigned i = 0; i < COUNT; i++)
            if (!CHECK(is_right(c->to, c->from, c->saturates, c->rounding, x + i * from, r + i * to, exact, wanted)))
                fprintf(stderr, "    convert_%s%s(%s 0x%" PRIx64 ") = 0x%" PRIx64 "\n", types[c->to].name, c->suffix,
                        types[c->from].name, get_bits(c->from, x + i * from), get_bits(c->to, r + i * to));
        CHECK_EQ(c->widths(COUNT, x, r), 0);
    }
    mpfr_clears(exact, wanted, (mpfr_ptr)0);
    return test_finish();
}
