/* The exact functions against this host's floating-point unit: binary32 and binary64, the four rounding modes that it
 * has, results and flags. */
#include "values.h"
#include "support/test.h"

#include <fenv.h>
#include <math.h>

static unsigned host_flags(void)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INEXACT ? CY_FP_NX : 0u) | (raised & FE_UNDERFLOW ? CY_FP_UF : 0u) |
           (raised & FE_OVERFLOW ? CY_FP_OF : 0u) | (raised & FE_DIVBYZERO ? CY_FP_DZ : 0u) |
           (raised & FE_INVALID ? CY_FP_NV : 0u);
}

enum operation { ADD, SUB, MUL, DIV, SQRT, FMA, OPERATIONS };
static const char *const names[] = {"add", "sub", "mul", "div", "sqrt", "fma"};

/* Operands and result are volatile: the operation happens between feclearexcept and fetestexcept. */
#define HOST(type, bits, root, fused)                                                                                  \
    static uint64_t host_##type(enum operation op, uint64_t a, uint64_t b, uint64_t c, unsigned *flags)                \
    {                                                                                                                  \
        bits in[3] = {(bits)a, (bits)b, (bits)c}, out;                                                                 \
        volatile type x, y, z, r;                                                                                      \
        type value;                                                                                                    \
        memcpy(&value, &in[0], sizeof(value)), x = value;                                                              \
        memcpy(&value, &in[1], sizeof(value)), y = value;                                                              \
        memcpy(&value, &in[2], sizeof(value)), z = value;                                                              \
        feclearexcept(FE_ALL_EXCEPT);                                                                                  \
        switch (op) {                                                                                                  \
        case ADD: r = x + y; break;                                                                                    \
        case SUB: r = x - y; break;                                                                                    \
        case MUL: r = x * y; break;                                                                                    \
        case DIV: r = x / y; break;                                                                                    \
        case SQRT: r = root(x); break;                                                                                 \
        default: r = fused(x, y, z); break;                                                                            \
        }                                                                                                              \
        *flags = host_flags();                                                                                         \
        value = r;                                                                                                     \
        memcpy(&out, &value, sizeof(out));                                                                             \
        return out;                                                                                                    \
    }
HOST(float, uint32_t, sqrtf, fmaf)
HOST(double, uint64_t, sqrt, fma)

static void check(const struct format *f, enum operation op, uint64_t a, uint64_t b, uint64_t c)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (uint8_t rm = 0; rm <= CY_FP_RUP; rm++) {
        struct cy_fp fp = {rm, 0};
        uint64_t got = 0;
        switch (op) {
        case ADD: got = f->add(&fp, a, b); break;
        case SUB: got = f->sub(&fp, a, b); break;
        case MUL: got = f->mul(&fp, a, b); break;
        case DIV: got = f->div(&fp, a, b); break;
        case SQRT: got = f->sqrt(&fp, a); break;
        default: got = f->fma(&fp, a, b, c); break;
        }
        unsigned flags;
        fesetround(modes[rm]);
        uint64_t host = f == &f32 ? host_float(op, a, b, c, &flags) : host_double(op, a, b, c, &flags);
        fesetround(FE_TONEAREST);
        if (value_is_nan(f, host))
            host = f->inf | f->quiet;
#if defined(__aarch64__)
        /* Tininess before rounding: UF also for what is rounded up to the smallest normal number. */
        if ((got & ~f->sign) == UINT64_C(1) << f->mant && flags & CY_FP_UF)
            flags = (flags & ~(unsigned)CY_FP_UF) | (fp.flags & CY_FP_UF);
#elif defined(__x86_64__)
        /* The library's fma, where there is no instruction, need not raise NV for 0 * inf + NaN. */
        if (op == FMA && value_is_nan(f, c))
            flags = (flags & ~(unsigned)CY_FP_NV) | (fp.flags & CY_FP_NV);
#endif
        if (test_record(got == host && fp.flags == flags))
            fprintf(stderr,
                    "%s %s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") rm %u: %" PRIx64 " flags %x, host %" PRIx64
                    " flags %x\n",
                    f->name, names[op], a, b, c, rm, got, fp.flags, host, flags);
    }
}

static void test_edges(void)
{
    for (int n = 1; n < FORMATS; n++) {
        const struct format *f = formats[n];
        uint64_t v[MAX_EDGES];
        int count = edge_values(f, v);
        for (int i = 0; i < count; i++) {
            check(f, SQRT, v[i], 0, 0);
            for (int j = 0; j < count; j++) {
                for (enum operation op = ADD; op <= DIV; op++)
                    check(f, op, v[i], v[j], 0);
                for (int k = (i + j) % 3; k < count; k += 3)
                    check(f, FMA, v[i], v[j], v[k]);
            }
        }
    }
}

static void test_random(void)
{
    for (int n = 1; n < FORMATS; n++) {
        const struct format *f = formats[n];
        uint64_t state = UINT64_C(0x5851f42d4c957f2d);
        for (int i = 0; i < 150000; i++) {
            uint64_t a = random_operand(f, &state, (uint64_t)f->bias << f->mant), b = random_operand(f, &state, a);
            struct cy_fp fp = {0, 0};
            uint64_t c = random_operand(f, &state, f->mul(&fp, a, b));
            for (enum operation op = ADD; op < OPERATIONS; op++)
                check(f, op, a, b, c);
            check(f, SQRT, a & ~f->sign, 0, 0);
        }
    }
}

/* Roots next to squares: where the computed root must be exact. */
static void test_roots(void)
{
    for (int n = 1; n < FORMATS; n++) {
        const struct format *f = formats[n];
        uint64_t state = 7;
        for (int i = 0; i < 20000; i++) {
            struct cy_fp fp = {0, 0};
            uint64_t fraction = random_bits(&state) >> (64 - f->mant);
            fraction &= i & 1 ? ~UINT64_C(0) << (f->mant / 2) : ~UINT64_C(0);
            uint64_t root = (uint64_t)(f->bias + i % 5) << f->mant | fraction, square = f->mul(&fp, root, root);
            for (uint64_t delta = 0; delta < 3; delta++)
                check(f, SQRT, square - 1 + delta, 0, 0);
        }
    }
}

TEST_MAIN(test_edges, test_random, test_roots)
