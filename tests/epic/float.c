/* The special functions are correctly rounded: compared with MPFR on samples, or with --all on every binary32 there is.
 *
 *     test_epic_float              a hundred thousand arguments of each function
 *     test_epic_float --all [0|1]  all 2^32 (half of them with 0 or 1): some minutes
 *
 * --all lets the C library's double answer where an error a thousand times as large as it makes could not matter, and asks
 * MPFR about the others. */
#include <math.h>
#include <stdint.h>
#include <mpfr.h>

#include "epic/float.h"
#include "epic/gpu.h"

struct function {
    const char *name;
    uint32_t (*ours)(uint32_t x);
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    double (*near)(double x);
};

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}

static const struct function functions[] = {
    {"fsin", f_sin, mpfr_sin, sin},
    {"fcos", f_cos, mpfr_cos, cos},
    {"flog", f_log, mpfr_log, log},
    {"fexp", f_exp, mpfr_exp, exp},
    {"frsqrt", f_rsqrt, mpfr_rec_sqrt, rsqrt},
};

static uint32_t exact(const struct function *function, uint32_t x)
{
    static mpfr_t a, result;
    static bool ready;
    if (!ready) {
        mpfr_inits2(24, a, result, (mpfr_ptr)0);
        ready = true;
    }
    if (x == 0x80000000u && function->exact == mpfr_rec_sqrt)
        return 0xff800000u; /* MPFR says +infinity, IEEE 754 -infinity */
    mpfr_set_flt(a, f_of(x), MPFR_RNDN);
    int ternary = function->exact(result, a, MPFR_RNDN);
    if (mpfr_nan_p(result))
        return F_NAN;
    mpfr_subnormalize(result, mpfr_check_range(result, ternary, MPFR_RNDN), MPFR_RNDN);
    return f_bits(mpfr_get_flt(result, MPFR_RNDN));
}

static void check(const struct function *function, uint32_t x)
{
    if (!CHECK_EQ(function->ours(x), exact(function, x)))
        fprintf(stderr, "  %s of 0x%08x\n", function->name, x);
}

static void check_samples(const struct function *function)
{
    uint64_t seed = 11;
    for (uint32_t x = 0; x < 0xfffff000u; x += 64219) /* all exponents, both signs */
        check(function, x);
    for (int i = 0; i < 20000; i++)
        check(function, next_random(&seed));
    for (int i = 0; i < 40000; i++) /* where people use them */
        check(function, 0x3c000000 + next_random(&seed) % 0x08000000);
}

static void check_all(const struct function *function, uint32_t first, uint32_t last)
{
    unsigned long asked = 0, wrong = 0;
    for (uint64_t x = first; x <= last; x++) {
        const uint32_t ours = function->ours((uint32_t)x);
        const double value = function->near((double)f_of((uint32_t)x)), margin = fabs(value) * 0x1p-42;
        const float low = (float)(value - margin), high = (float)(value + margin);
        if (low == high && low != 0) {
            wrong += ours != f_bits(low);
        } else {
            asked++;
            wrong += ours != exact(function, (uint32_t)x);
        }
    }
    printf("%s, 0x%08x to 0x%08x: %lu by MPFR, %lu wrong\n", function->name, first, last, asked, wrong);
    fflush(stdout);
    CHECK_EQ(wrong, 0);
}

int main(int argc, char **argv)
{
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    const bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!all)
            check_samples(&functions[i]);
        else if (argc > 2)
            check_all(&functions[i], argv[2][0] == '1' ? 0x80000000u : 0, argv[2][0] == '1' ? 0xffffffffu : 0x7fffffff);
        else
            check_all(&functions[i], 0, 0xffffffffu);
    }
    return test_finish();
}
