/* The math functions of many arguments in the host's arithmetic: good to a small part of an ulp of the arguments' type except in
 * some special cases, so that only few results have to be judged by MPFR. */
#ifndef CY_TESTS_MATH_FAST_H
#define CY_TESTS_MATH_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fast_batch {
    size_t count;
    double below_one; /* the largest number of the type below 1 */
    const double *x, *y, *z;
    const int *n;
    void *r, *second; /* double, or long double of `wide` functions, for arguments that are doubles */
    int *number;
};
typedef void fast_function(struct fast_batch *batch);

/* Loops that are worth the host's widest vectors. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define LOOPS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LOOPS
#endif

/* NULL: there is none. */
fast_function *fast_of(const char *name, bool wide);

#endif
