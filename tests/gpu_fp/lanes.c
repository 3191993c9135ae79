/* lanes.h on this host. */
#include "lanes.h"
#include "support/test.h"

#include <fenv.h>

static unsigned differences;

static void lanes_differ(const struct difference *d)
{
    if (differences++ < TEST_SHOWN)
        fprintf(stderr, "%s(%08x, %08x, %08x): %08x flags %x, expected %08x flags %x\n", d->name, d->a, d->b, d->c,
                d->got, d->got_flags, d->expected, d->expected_flags);
}

static void test_lanes(void)
{
    lanes_check(20000, 2);
    CHECK_EQ(differences, 0);
}

/* A comparison that cannot fail proves nothing: a wrong expectation must be noticed, in the result and in the flags. */
static uint32_t exact_wrong_result(struct cy_fp *fp, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return cy_f32_add(fp, a, b) ^ (a == 0x40000000);
}

static uint32_t exact_wrong_flags(struct cy_fp *fp, uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    struct cy_fp other = {CY_FP_RNE, 0};
    (void)fp;
    return cy_f32_add(&other, a, b);
}

static void test_differences_are_seen(void)
{
    const struct helper wrong_result = {"add", 2, false, run_add, exact_wrong_result};
    const struct helper wrong_flags = {"add", 2, false, run_add, exact_wrong_flags};
    struct fp_host_saved saved;
    unsigned before = differences;
    differences = TEST_SHOWN; /* counted, not shown */
    fp_host_begin(&saved);
    check_case(&wrong_result, 0x3f800000, 0x3f800000, 0);
    CHECK_EQ(differences, TEST_SHOWN);
    check_case(&wrong_result, 0x40000000, 0x3f800000, 0);
    CHECK_EQ(differences, TEST_SHOWN + 1);
    check_case(&wrong_flags, 0x40000000, 0x3f800000, 0);
    CHECK_EQ(differences, TEST_SHOWN + 1);
    check_case(&wrong_flags, 0x40000000, 0x00000001, 0);
    CHECK_EQ(differences, TEST_SHOWN + 2);
    fp_host_end(&saved);
    differences = before;
}

/* begin and end: the caller's rounding mode and flags are restored, and do not reach the helpers. */
static void test_environment(void)
{
    struct fp_host_saved saved;
    struct warp w = {{0}, {0}, {0}, {0}};
    for (int i = 0; i < LANES; i++) {
        w.a[i] = 0x3f800000;
        w.b[i] = 0x00000001;
    }
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
    fp_host_begin(&saved);
    CHECK_EQ(fp_host_flags_get(), 0);
    run_add(w.d, w.a, w.b, w.c);
    CHECK_EQ(fp_host_flags_get(), CY_FP_NX);
    run_div(w.d, w.a, w.c, w.c);
    unsigned flags = fp_host_end(&saved);
    CHECK_EQ(flags, CY_FP_NX | CY_FP_DZ);
    CHECK_EQ(fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
    CHECK_EQ(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    fp_host_begin(&saved);
    run_add(w.d, w.a, w.b, w.c);
    fp_host_end(&saved);
    CHECK_EQ(w.d[LANES - 1], 0x3f800000);
}

TEST_MAIN(test_environment, test_lanes, test_differences_are_seen)
