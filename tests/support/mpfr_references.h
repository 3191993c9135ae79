/* References for the math functions that MPFR has under no name of its own, in the precision of the result. */
#ifndef CY_TEST_MPFR_REFERENCES_H
#define CY_TEST_MPFR_REFERENCES_H

#include <mpfr.h>

static inline int ref_rsqrt(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    int i = mpfr_rec_sqrt(r, x, rnd);
    if (mpfr_zero_p(x)) /* C's 1 / sqrt(-0) */
        mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return i;
}
static inline int ref_lgamma(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    int sign;
    return mpfr_lgamma(r, &sign, x, rnd);
}
static inline int ref_degrees(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t pi;
    mpfr_init2(pi, mpfr_get_prec(r));
    mpfr_const_pi(pi, rnd);
    mpfr_mul_ui(r, x, 180, rnd);
    int i = mpfr_div(r, r, pi, rnd);
    mpfr_clear(pi);
    return i;
}
static inline int ref_radians(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd)
{
    mpfr_t pi;
    mpfr_init2(pi, mpfr_get_prec(r));
    mpfr_const_pi(pi, rnd);
    mpfr_mul(r, x, pi, rnd);
    int i = mpfr_div_ui(r, r, 180, rnd);
    mpfr_clear(pi);
    return i;
}
static inline int ref_rootn(mpfr_t r, const mpfr_t x, long n, mpfr_rnd_t rnd)
{
    return mpfr_rootn_si(r, x, n, rnd);
}

#endif
