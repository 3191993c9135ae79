/* What a test program needs.
 *
 *     static void test_addition(void)
 *     {
 *         CHECK(1 + 1 == 2);
 *         CHECK_EQ(1 + 1, 2);             // any integers: both values are printed when they differ
 *         CHECK_STR(name(1), "one");      // strings
 *     }
 *     TEST_MAIN(test_addition, ...)       // or a main of its own that ends with `return test_finish();`
 *
 * A failed check prints file:line and the values, counts, and goes on; the program's status is 1 if any failed.
 * CHECK* are expressions with the result of the check: `if (!CHECK(p != NULL)) return;` */
#ifndef CY_TESTS_SUPPORT_TEST_H
#define CY_TESTS_SUPPORT_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After this many failures only the count is updated. */
#define TEST_SHOWN 50

static struct {
    unsigned long passed, failed;
} test_counts;

static inline bool test_record(bool passed)
{
    if (passed)
        test_counts.passed++;
    else
        test_counts.failed++;
    return !passed && test_counts.failed <= TEST_SHOWN;
}

static inline bool test_check(bool condition, const char *text, const char *file, int line)
{
    if (test_record(condition))
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    return condition;
}

static inline bool test_check_eq(intmax_t got, intmax_t expected, const char *text, const char *file, int line)
{
    if (test_record(got == expected))
        fprintf(stderr, "%s:%d: failed: %s is %" PRIdMAX " (0x%" PRIxMAX "), expected %" PRIdMAX " (0x%" PRIxMAX ")\n",
                file, line, text, got, (uintmax_t)got, expected, (uintmax_t)expected);
    return got == expected;
}

static inline bool test_check_str(const char *got, const char *expected, const char *text, const char *file, int line)
{
    bool same = got && expected ? strcmp(got, expected) == 0 : got == expected;
    if (test_record(same))
        fprintf(stderr, "%s:%d: failed: %s\n  got:      %s\n  expected: %s\n", file, line, text, got ? got : "(null)",
                expected ? expected : "(null)");
    return same;
}

static inline int test_finish(void)
{
    printf("%lu passed, %lu failed\n", test_counts.passed, test_counts.failed);
    /* A program that checks nothing has not passed. */
    return test_counts.failed == 0 && test_counts.passed > 0 ? 0 : 1;
}

#define CHECK(condition) test_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQ(got, expected) test_check_eq((intmax_t)(got), (intmax_t)(expected), #got, __FILE__, __LINE__)
#define CHECK_STR(got, expected) test_check_str((got), (expected), #got, __FILE__, __LINE__)

#define TEST_MAIN(...)                                                                                                 \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        void (*const tests[])(void) = {__VA_ARGS__};                                                                   \
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)                                                  \
            tests[i]();                                                                                                \
        return test_finish();                                                                                          \
    }

/* A path given by CTest ("CY", "CY_SOURCE", "CY_BUILD", "CY_TMP"); exits if it is not set. */
static inline const char *test_env(const char *name)
{
    const char *value = getenv(name);
    if (!value) {
        fprintf(stderr, "error: %s is not set: run this test by ctest\n", name);
        exit(2);
    }
    return value;
}

#endif
