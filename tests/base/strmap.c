#include "base/strmap.h"

#include "support/test.h"

static void test_ids(void)
{
    struct cy_strmap map = {0};
    CHECK_EQ(cy_strmap_find(&map, "x", 1), CY_STR_NONE);
    char name[32];
    for (uint32_t i = 0; i < 50000; i++) {
        int length = snprintf(name, sizeof(name), ".L%u", i);
        if (cy_strmap_add(&map, name, (size_t)length) != i)
            CHECK_EQ(cy_strmap_add(&map, name, (size_t)length), i);
    }
    CHECK_EQ(map.strings.count, 50000);
    for (uint32_t i = 0; i < 50000; i++) {
        int length = snprintf(name, sizeof(name), ".L%u", i);
        if (cy_strmap_find(&map, name, (size_t)length) != i || cy_strmap_add(&map, name, (size_t)length) != i)
            CHECK_EQ(cy_strmap_find(&map, name, (size_t)length), i);
    }
    CHECK_EQ(map.strings.count, 50000);
    CHECK_STR(map.strings.at[777].text, ".L777");
    CHECK_EQ(map.strings.at[777].length, 5);
    CHECK_EQ(cy_strmap_find(&map, ".L50000", 7), CY_STR_NONE);
    /* the length counts, not a terminating zero */
    CHECK_EQ(cy_strmap_find(&map, ".L7771234", 5), 777);
    CHECK_EQ(cy_strmap_add(&map, "", 0), 50000);
    CHECK_EQ(cy_strmap_add(&map, "a\0b", 3), 50001);
    CHECK_EQ(cy_strmap_add(&map, "a\0c", 3), 50002);
    CHECK_EQ(cy_strmap_add(&map, "a", 1), 50003);
    cy_strmap_free(&map);
    CHECK_EQ(cy_strmap_find(&map, "a", 1), CY_STR_NONE);
    CHECK_EQ(cy_strmap_add(&map, "a", 1), 0);
    cy_strmap_free(&map);
}

static unsigned distance(const char *a, const char *b, unsigned limit)
{
    unsigned forth = cy_edit_distance(a, strlen(a), b, strlen(b), limit);
    CHECK_EQ(cy_edit_distance(b, strlen(b), a, strlen(a), limit), forth);
    return forth;
}

/* A direct implementation of the definition. */
static unsigned slow_distance(const char *a, const char *b)
{
    if (!*a)
        return (unsigned)strlen(b);
    if (!*b)
        return (unsigned)strlen(a);
    unsigned best = slow_distance(a + 1, b + 1) + (*a != *b);
    unsigned other = slow_distance(a + 1, b) + 1;
    best = other < best ? other : best;
    other = slow_distance(a, b + 1) + 1;
    best = other < best ? other : best;
    if (a[1] && b[1] && a[0] == b[1] && a[1] == b[0]) {
        other = slow_distance(a + 2, b + 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

static void test_distance(void)
{
    CHECK_EQ(distance("vadd.vv", "vadd.vv", 9), 0);
    CHECK_EQ(distance("vad.vv", "vadd.vv", 9), 1);
    CHECK_EQ(distance("vadd.vx", "vadd.vv", 9), 1);
    CHECK_EQ(distance("vdad.vv", "vadd.vv", 9), 1);
    CHECK_EQ(distance("kitten", "sitting", 9), 3);
    CHECK_EQ(distance("", "abc", 9), 3);
    CHECK_EQ(distance("", "", 9), 0);
    CHECK_EQ(distance("abcdef", "uvwxyz", 3), 3);
    CHECK_EQ(distance("a", "abcdefgh", 4), 4);

    /* every pair of short words over three letters, at every limit */
    char words[400][8];
    size_t count = 0;
    for (unsigned length = 0; length <= 4; length++)
        for (unsigned number = 0, end = 1; number < end; number++) {
            unsigned rest = number;
            end = 1;
            for (unsigned i = 0; i < length; i++, end *= 3, rest /= 3)
                words[count][i] = (char)('a' + rest % 3);
            words[count++][length] = 0;
        }
    CHECK_EQ(count, 1 + 3 + 9 + 27 + 81);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++) {
            unsigned expected = slow_distance(words[i], words[j]);
            for (unsigned limit = 1; limit < 6; limit++) {
                unsigned got = distance(words[i], words[j], limit);
                if (got != (expected < limit ? expected : limit))
                    CHECK_EQ(got, expected < limit ? expected : limit);
            }
        }
}

TEST_MAIN(test_ids, test_distance)
