/* The copy of the environment that translating threads read. */
#define _POSIX_C_SOURCE 200809L
#include "cc/driver/environment.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static void test_a_copy_does_not_change(void)
{
    setenv("CY_TEST_A", "one", 1);
    setenv("CY_TEST_EMPTY", "", 1);
    unsetenv("CY_TEST_LATE");
    char **copy = cc_environment_copy();
    CHECK(copy);
    setenv("CY_TEST_A", "two", 1);
    setenv("CY_TEST_LATE", "x", 1);
    CHECK_STR(cc_getenv("CY_TEST_A"), "two");
    cc_environment_use(copy);
    CHECK(cc_environment() == copy);
    CHECK_STR(cc_getenv("CY_TEST_A"), "one");
    CHECK_STR(cc_getenv("CY_TEST_EMPTY"), "");
    CHECK(!cc_getenv("CY_TEST_LATE"));
    CHECK(!cc_getenv("CY_TEST_"));
    cc_environment_use(NULL);
    CHECK_STR(cc_getenv("CY_TEST_LATE"), "x");
    free(copy);
}

TEST_MAIN(test_a_copy_does_not_change)
