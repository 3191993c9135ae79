/* Checks that must fail: support.sh runs this to see that a failure is reported, counted and returned. */
#include "support/test.h"

static void test_nothing_holds(void)
{
    CHECK(1 + 1 == 3);
    CHECK_EQ(40 + 2, -1);
    CHECK_STR("one", "two");
    CHECK_STR(NULL, "two");
    CHECK(true);
}

TEST_MAIN(test_nothing_holds)
