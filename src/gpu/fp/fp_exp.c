/* e^x: vfexp.v, in fixed point.
 *
 * e^x = 2^(k + i/64 + r) with k and i integers and 0 <= r < 1/64: 2^(i/64) comes from a table, 2^r from the beginning
 * of its Taylor series.  binary16 and binary32 compute in 64 bits, and in 128 where that does not decide the rounding:
 * eight of all binary32 numbers, all below 2^-19.  binary64 always computes in 128 bits; the error of the 128-bit
 * computation is below 2^-120.  e^x is irrational for x != 0: results are always inexact, never on a tie. */
#include "gpu/fp/fp_format.h"

struct wide {
    uint64_t high, low;
};

/* log2(e) in units of 2^-191, high word first. */
static const uint64_t log2_e[3] = {
    UINT64_C(0xb8aa3b295c17f0bb),
    UINT64_C(0xbe87fed0691d3e88),
    UINT64_C(0xeb577aa8dd695a58),
};

/* 2^(i/64) in units of 2^-127. */
static const struct wide powers[64] = {
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)},
    {UINT64_C(0x8164d1f3bc030773), UINT64_C(0x7be56527bd14def4)},
    {UINT64_C(0x82cd8698ac2ba1d7), UINT64_C(0x3e2a475b46520bff)},
    {UINT64_C(0x843a28c3acde4046), UINT64_C(0x1af92eca13fd1582)},
    {UINT64_C(0x85aac367cc487b14), UINT64_C(0xc5c95b8c2154c1b2)},
    {UINT64_C(0x871f61969e8d1010), UINT64_C(0x3a1727c57b52a956)},
    {UINT64_C(0x88980e8092da8527), UINT64_C(0x5df8d76c98c67562)},
    {UINT64_C(0x8a14d575496efd9a), UINT64_C(0x080ca1d92c3680c2)},
    {UINT64_C(0x8b95c1e3ea8bd6e6), UINT64_C(0xfbe4628758a53c90)},
    {UINT64_C(0x8d1adf5b7e5ba9e5), UINT64_C(0xb4c7b4968e41ad36)},
    {UINT64_C(0x8ea4398b45cd53c0), UINT64_C(0x2dc0144c8783d4c5)},
    {UINT64_C(0x9031dc431466b1dc), UINT64_C(0x775814a8494e87e2)},
    {UINT64_C(0x91c3d373ab11c336), UINT64_C(0x0fd6d8e0ae5ac9d8)},
    {UINT64_C(0x935a2b2f13e6e92b), UINT64_C(0xd339940e9d924ee7)},
    {UINT64_C(0x94f4efa8fef70961), UINT64_C(0x2e8afad12551de54)},
    {UINT64_C(0x96942d3720185a00), UINT64_C(0x48ea9b683a9c22c4)},
    {UINT64_C(0x9837f0518db8a96f), UINT64_C(0x46ad23182e42f6f6)},
    {UINT64_C(0x99e0459320b7fa64), UINT64_C(0xe43086cb34b5fcae)},
    {UINT64_C(0x9b8d39b9d54e5538), UINT64_C(0xa2a817a2a3cc3f1f)},
    {UINT64_C(0x9d3ed9a72cffb750), UINT64_C(0xde494cf050e99b0b)},
    {UINT64_C(0x9ef5326091a111ad), UINT64_C(0xa0911f09ebb9fdd1)},
    {UINT64_C(0xa0b0510fb9714fc2), UINT64_C(0x192dc79edb0fd9a9)},
    {UINT64_C(0xa27043030c496818), UINT64_C(0x9b7a04ef80cfdea7)},
    {UINT64_C(0xa43515ae09e6809e), UINT64_C(0x0d1db4831781e1ee)},
    {UINT64_C(0xa5fed6a9b15138ea), UINT64_C(0x1cbd7f621710701b)},
    {UINT64_C(0xa7cd93b4e9653569), UINT64_C(0x9ec5b4d5039f72af)},
    {UINT64_C(0xa9a15ab4ea7c0ef8), UINT64_C(0x541e24ec3531fa73)},
    {UINT64_C(0xab7a39b5a93ed337), UINT64_C(0x658023b2759e0079)},
    {UINT64_C(0xad583eea42a14ac6), UINT64_C(0x4980a8c8f59a2ec4)},
    {UINT64_C(0xaf3b78ad690a4374), UINT64_C(0xdf26101ccbb35032)},
    {UINT64_C(0xb123f581d2ac258f), UINT64_C(0x87d037e96d215d8e)},
    {UINT64_C(0xb311c412a9112489), UINT64_C(0x3ecf14dc798a519b)},
    {UINT64_C(0xb504f333f9de6484), UINT64_C(0x597d89b3754abe9f)},
    {UINT64_C(0xb6fd91e328d17791), UINT64_C(0x07165f0ddd541a59)},
    {UINT64_C(0xb8fbaf4762fb9ee9), UINT64_C(0x1b879778566b65a1)},
    {UINT64_C(0xbaff5ab2133e45fb), UINT64_C(0x74d519d24593838c)},
    {UINT64_C(0xbd08a39f580c36be), UINT64_C(0xa8811fb66d0faf7a)},
    {UINT64_C(0xbf1799b67a731082), UINT64_C(0xe815d0abcbf0b850)},
    {UINT64_C(0xc12c4cca66709456), UINT64_C(0x7c457d59a50087b5)},
    {UINT64_C(0xc346ccda24976407), UINT64_C(0x20ec856128b83a42)},
    {UINT64_C(0xc5672a115506dadd), UINT64_C(0x3e2ad0c964dd9f37)},
    {UINT64_C(0xc78d74c8abb9b15c), UINT64_C(0xc13a2e3976c0277e)},
    {UINT64_C(0xc9b9bd866e2f27a2), UINT64_C(0x80e1f92a0511697e)},
    {UINT64_C(0xcbec14fef2727c5c), UINT64_C(0xf4907c8f45ebf6dc)},
    {UINT64_C(0xce248c151f8480e3), UINT64_C(0xe235838f95f2c6ed)},
    {UINT64_C(0xd06333daef2b2594), UINT64_C(0xd6d45c6559a4d502)},
    {UINT64_C(0xd2a81d91f12ae45a), UINT64_C(0x12248e57c3de4028)},
    {UINT64_C(0xd4f35aabcfedfa1f), UINT64_C(0x5921deffa6262c5a)},
    {UINT64_C(0xd744fccad69d6af4), UINT64_C(0x39a68bb9902d3fde)},
    {UINT64_C(0xd99d15c278afd7b5), UINT64_C(0xfe873deca3e12bab)},
    {UINT64_C(0xdbfbb797daf23755), UINT64_C(0x3d840d5a9e29aa64)},
    {UINT64_C(0xde60f4825e0e9123), UINT64_C(0xdd07a2d9e8466859)},
    {UINT64_C(0xe0ccdeec2a94e111), UINT64_C(0x065895048dd333ca)},
    {UINT64_C(0xe33f8972be8a5a51), UINT64_C(0x09bfe90795980eec)},
    {UINT64_C(0xe5b906e77c8348a8), UINT64_C(0x1e5e8f4a4edbb0ec)},
    {UINT64_C(0xe8396a503c4bdc68), UINT64_C(0x791790d0ac70c7dd)},
    {UINT64_C(0xeac0c6e7dd24392e), UINT64_C(0xd02d75b3706e54fa)},
    {UINT64_C(0xed4f301ed9942b84), UINT64_C(0x600d2db6a64bfb12)},
    {UINT64_C(0xefe4b99bdcdaf5cb), UINT64_C(0x46561cf6948db912)},
    {UINT64_C(0xf281773c59ffb139), UINT64_C(0xe8980a9cc8f47a4b)},
    {UINT64_C(0xf5257d152486cc2c), UINT64_C(0x7b9d0c7aed980fc3)},
    {UINT64_C(0xf7d0df730ad13bb8), UINT64_C(0xfe90d496d60fb6ea)},
    {UINT64_C(0xfa83b2db722a033a), UINT64_C(0x7c25bb14315d7fcc)},
    {UINT64_C(0xfd3e0c0cf486c174), UINT64_C(0x853f3a5931e0ee03)},
};

/* (ln 2)^n / n! for n = 1, 2, ... in units of 2^-128: the series of 2^r without its 1. */
static const struct wide series[] = {
    {UINT64_C(0xb17217f7d1cf79ab), UINT64_C(0xc9e3b39803f2f6af)},
    {UINT64_C(0x3d7f7bff058b1d50), UINT64_C(0xde2d60dd92e6bf95)},
    {UINT64_C(0x0e35846b82505fc5), UINT64_C(0x99d3b15d995e96f7)},
    {UINT64_C(0x0276556df749cee5), UINT64_C(0x39977c16a7dd58a0)},
    {UINT64_C(0x005761ff9e299cc4), UINT64_C(0x41c5fda69452fb0c)},
    {UINT64_C(0x000a184897c363c3), UINT64_C(0xb7a58544c3591a0f)},
    {UINT64_C(0x0000ffe5fe2c4586), UINT64_C(0x34358a8e643ec734)},
    {UINT64_C(0x0000162c0223a5c8), UINT64_C(0x23fd8ffe606da77c)},
    {UINT64_C(0x000001b5253d395e), UINT64_C(0x7c3da4a70e5a4ff9)},
    {UINT64_C(0x0000001e4cf5158b), UINT64_C(0x8ec9f6fda1d952e7)},
    {UINT64_C(0x00000001e8cac735), UINT64_C(0x1bb24c0f57995e47)},
    {UINT64_C(0x000000001c3bd650), UINT64_C(0xfc2985e2b5687e17)},
    {UINT64_C(0x0000000001816193), UINT64_C(0x166d0f96281ac300)},
    {UINT64_C(0x0000000000131496), UINT64_C(0x4d5878a973f14362)},
};
enum { TERMS_64 = 8, TERMS_128 = 14 };
_Static_assert(sizeof(series) / sizeof(series[0]) == TERMS_128, "one coefficient for each term");

static inline fp_u128 join(struct wide w)
{
    return (fp_u128)w.high << 64 | w.low;
}

FP_INLINE uint64_t mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)((fp_u128)a * b >> 64);
}

FP_INLINE fp_u128 mul_high_128(fp_u128 a, fp_u128 b)
{
    uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a, b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    fp_u128 m = (fp_u128)a1 * b0, n = (fp_u128)a0 * b1;
    fp_u128 carry = mul_high(a0, b0) + (fp_u128)(uint64_t)m + (uint64_t)n;
    return (fp_u128)a1 * b1 + (m >> 64) + (n >> 64) + (carry >> 64);
}

/* 2^fraction, fraction in units of 2^-64, the result in units of 2^-63. */
static uint64_t exp2_64(uint64_t fraction)
{
    uint64_t r = fraction & UINT64_MAX >> 6, sum = series[TERMS_64 - 1].high;
    for (int n = TERMS_64 - 2; n >= 0; n--)
        sum = series[n].high + mul_high(sum, r);
    uint64_t power = powers[fraction >> 58].high;
    return power + mul_high(power, mul_high(sum, r));
}

/* The same in units of 2^-128 and 2^-127. */
static fp_u128 exp2_128(fp_u128 fraction)
{
    fp_u128 r = fraction & ~(fp_u128)0 >> 6, sum = join(series[TERMS_128 - 1]);
    for (int n = TERMS_128 - 2; n >= 0; n--)
        sum = join(series[n]) + mul_high_128(sum, r);
    fp_u128 power = join(powers[(unsigned)(fraction >> 122)]);
    return power + mul_high_128(power, mul_high_128(sum, r));
}

/* |x| * log2(e): the integer part, and the fraction in units of 2^-128.  |x| = sig * 2^(exp - 62), -64 < exp < 11. */
FP_INLINE int times_log2_e(uint64_t sig, int exp, fp_u128 *fraction)
{
    fp_u128 p0 = (fp_u128)sig * log2_e[2], p1 = (fp_u128)sig * log2_e[1], p2 = (fp_u128)sig * log2_e[0];
    /* The product without its lowest word: units of 2^(exp - 62 - 191 + 64), so bit 189 - exp is worth 1. */
    p1 += p0 >> 64;
    p2 += p1 >> 64;
    fp_u128 high = p2;
    uint64_t low = (uint64_t)p1;
    int up = 128 - (189 - exp - 64); /* moves bit 0 of the integer to the bit above `high` */
    *fraction = up > 0 ? high << up | low >> (64 - up) : high >> -up;
    return up > 0 ? (int)(high >> (128 - up)) : 0;
}

FP_INLINE uint64_t exponential(struct cy_fp *fp, struct fp_format f, uint64_t a)
{
    if (FP_UNLIKELY(fp_is_nan(f, a)))
        return fp_nan_from(fp, f, a, a);
    bool sign = fp_sign(f, a);
    if (FP_UNLIKELY(fp_abs(f, a) == fp_inf(f)))
        return sign ? 0 : a;
    if (FP_UNLIKELY(fp_abs(f, a) == 0))
        return (uint64_t)fp_bias(f) << f.mant;
    struct fp_parts x = fp_unpack(f, a);
    int exp = x.exp - fp_bias(f);
    if (FP_UNLIKELY(exp < -f.mant - 3)) /* 1 + x plus less than a quarter ulp */
        return fp_round(fp, f, false, fp_bias(f) - sign, sign ? 2 * FP_ONE - 1 : FP_ONE + 1);
    if (FP_UNLIKELY(exp >= f.exp_bits)) /* overflows, or is below half the smallest subnormal */
        return fp_round(fp, f, false, sign ? -fp_exp_max(f) : fp_exp_max(f), FP_ONE + 1);
    fp_u128 fraction;
    int k = times_log2_e(x.sig, exp, &fraction);
    if (sign) {
        fraction = ~fraction;
        k = -k - 1;
    }
    /* In 64 bits the error is a few units; if rounding could change within 16 of them, 128 bits decide. */
    const uint64_t below_tie = (UINT64_C(1) << (62 - f.mant)) - 1;
    uint64_t sig = f.mant <= 23 ? exp2_64((uint64_t)(fraction >> 64)) : 0;
    if (f.mant > 23 || FP_UNLIKELY(((sig + 16) & below_tie) < 32))
        sig = (uint64_t)(exp2_128(fraction) >> 64);
    return fp_round(fp, f, false, fp_bias(f) + k, sig >> 1 | 1);
}

uint16_t cy_f16_exp(struct cy_fp *fp, uint16_t a)
{
    return (uint16_t)exponential(fp, FP_16, a);
}

uint32_t cy_f32_exp(struct cy_fp *fp, uint32_t a)
{
    return (uint32_t)exponential(fp, FP_32, a);
}

uint64_t cy_f64_exp(struct cy_fp *fp, uint64_t a)
{
    return exponential(fp, FP_64, a);
}
