#include "base/mem.h"

#include "support/test.h"

static void test_arena(void)
{
    struct cy_arena arena = {0};
    unsigned char *pieces[200];
    size_t sizes[200];
    for (size_t i = 0; i < 200; i++) {
        sizes[i] = i % 7 == 0 ? 5000 + 100 * i : i * 3; /* both large pieces with a block of their own and small ones */
        pieces[i] = cy_arena_alloc(&arena, sizes[i]);
        CHECK_EQ((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        bool zero = true;
        for (size_t j = 0; j < sizes[i]; j++)
            zero &= pieces[i][j] == 0;
        CHECK(zero);
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < 200; i++) {
        bool kept = true;
        for (size_t j = 0; j < sizes[i]; j++)
            kept &= pieces[i][j] == (unsigned char)(i + 1);
        CHECK(kept);
    }
    CHECK_STR(cy_arena_strndup(&arena, "warp lane", 4), "warp");
    CHECK_STR(cy_arena_strndup(&arena, NULL, 0), "");
    CHECK_STR(cy_arena_printf(&arena, "%s-%d", "v", 255), "v-255");
    CHECK(cy_arena_alloc(&arena, 0) != NULL);
    cy_arena_free(&arena);
    CHECK(arena.block == NULL);
    cy_arena_free(&arena);
}

static void test_buf(void)
{
    struct cy_buf buf = {0};
    for (int i = 0; i < 1000; i++) {
        cy_buf_putc(&buf, (char)('a' + i % 26));
        if (buf.data[buf.size] != 0)
            CHECK(buf.data[buf.size] == 0);
    }
    CHECK_EQ(buf.size, 1000);
    CHECK_EQ(buf.data[999], 'a' + 999 % 26);
    buf.size = 0;
    cy_buf_puts(&buf, "x");
    cy_buf_printf(&buf, "=%s%05d", "", 42);
    cy_buf_append(&buf, "\0y", 2);
    cy_buf_append(&buf, NULL, 0);
    cy_buf_zeros(&buf, 3);
    CHECK_EQ(buf.size, 12);
    CHECK(memcmp(buf.data, "x=00042\0y\0\0\0", 13) == 0);
    cy_buf_free(&buf);
    CHECK(buf.data == NULL && buf.size == 0 && buf.capacity == 0);

    cy_buf_append(&buf, "", 0);
    CHECK_STR(buf.data, "");
    cy_buf_free(&buf);

    struct cy_buf big = {0};
    cy_buf_printf(&big, "%*d", 100000, 7);
    CHECK_EQ(big.size, 100000);
    CHECK_EQ(big.data[99999], '7');
    cy_buf_free(&big);
}

static void test_vec(void)
{
    CY_VEC(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 10000; i++)
        *cy_vec_push(&numbers) = i * i;
    CHECK_EQ(numbers.count, 10000);
    CHECK(numbers.capacity >= numbers.count);
    bool kept = true;
    for (uint32_t i = 0; i < 10000; i++)
        kept &= numbers.at[i] == i * i;
    CHECK(kept);
    cy_vec_free(&numbers);
    CHECK(numbers.at == NULL && numbers.count == 0 && numbers.capacity == 0);
}

TEST_MAIN(test_arena, test_buf, test_vec)
