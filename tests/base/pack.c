#include "base/pack.h"

#include <stdlib.h>

#include "support/test.h"

static struct cy_unpack reader(const struct cy_buf *buf, size_t size)
{
    return (struct cy_unpack){(const unsigned char *)buf->data, (const unsigned char *)buf->data + size, false};
}

static void test_there_and_back(void)
{
    struct cy_buf buf = {0};
    size_t size;
    cy_pack(&buf, 0xdeadbeef);
    cy_pack_text(&buf, "text");
    cy_pack_bytes(&buf, "a\0b", 3);
    cy_pack_bytes(&buf, NULL, 0);
    struct cy_unpack in = reader(&buf, buf.size);
    CHECK_EQ(cy_unpack(&in), 0xdeadbeef);
    CHECK_STR(cy_unpack_text(&in), "text");
    CHECK(!memcmp(cy_unpack_bytes(&in, &size), "a\0b", 4));
    CHECK_EQ(size, 3);
    unsigned char *copy = cy_unpack_copy(&in, &size);
    CHECK_EQ(size, 0);
    CHECK_EQ(*copy, 0);
    free(copy);
    CHECK(!in.failed && in.at == in.end);
    CHECK_EQ(cy_unpack(&in), 0);
    CHECK(in.failed);
    cy_buf_free(&buf);
}

/* Cut anywhere: an answer or a failure, never a byte beyond the end. */
static void test_cut(void)
{
    struct cy_buf buf = {0};
    cy_pack_text(&buf, "some text");
    cy_pack(&buf, 3);
    for (size_t size = 0; size < buf.size; size++) {
        unsigned char *exact = malloc(size ? size : 1); /* the sanitizer detects reads beyond it */
        memcpy(exact, buf.data, size);
        struct cy_unpack in = {exact, exact + size, false};
        CHECK(strlen(cy_unpack_text(&in)) == (size >= 14 ? 9 : 0));
        cy_unpack(&in);
        CHECK(in.failed);
        free(exact);
    }
    cy_buf_free(&buf);
}

static void test_count_too_large(void)
{
    struct cy_buf buf = {0};
    cy_pack(&buf, 0xffffffff);
    cy_pack(&buf, 0);
    struct cy_unpack in = reader(&buf, buf.size);
    CHECK_EQ(cy_unpack_count(&in, 1), 0);
    CHECK(in.failed);
    cy_buf_free(&buf);
}

TEST_MAIN(test_there_and_back, test_cut, test_count_too_large)
