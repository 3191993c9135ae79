/* The reader of line tables: a table of version 4 and one of version 5, byte by byte as the standard has them, and what
 * is left of them when bytes are missing or wrong.  (Tables of clang's: tests/cc/debug.py.) */
#include "obj/lines.h"
#include "support/test.h"

static const uint8_t version4[] = {
    0x3e, 0,    0,   0,    4,  0,  0x23, 0,   0,   0, /* length, version, length of the header */
    1,    1,    1,   0xfb, 14, 13, 0,    1,   1,   1, 1, 0, 0, 0, 1, 0, 0, 1, 'd', 0, 0, /* directories */
    'a',  '.',  'c', 0,    1,  0,  0,    'b', 'h', 0, 0, 0, 0, 0,                        /* files: d/a.c, bh */
    0,    5,    2,   0,    0,  0,  0x80,                                                 /* address 0x80000000 */
    0x16,                                                                                /* line 1 + 4 */
    3,    0x7e, 2,   8,    4,  2,  1, /* line - 2, address + 8, file 2, row */
    0x4b,                             /* line + 1, address + 4 */
    2,    4,    0,   1,    1,         /* address + 4, end */
};
static const uint8_t version5[] = {
    0x3c, 0, 0, 0, 5,  0, 4,    0,    0x27, 0,   0,   0, 4, 1, 1, 0xfb, 14,  13, 0,
    1,    1, 1, 1, 0,  0, 0,    1,    0,    0,   1,   1, 1, 8, 1, '/',  'r', 0, /* directories: text in place */
    2,    1, 8, 2, 11, 2, 'x',  0,    0,    '/', 'y', 0, 0,                     /* files: text, one byte of directory */
    0, /* too much: the program starts after the header */
    0,    5, 2, 0, 0,  0, 0x80, 0x13, 2,    2,   0,   1, 1,
};

static bool read_table(struct cy_lines *lines, struct cy_object *object, const void *bytes, size_t size)
{
    struct cy_section *section = cy_object_find_section(object, ".debug_line");
    if (!section)
        section = cy_object_add_section(object, ".debug_line", CY_SHT_PROGBITS, 0);
    section->data.size = 0;
    cy_buf_append(&section->data, bytes, size);
    section->size = (uint32_t)size;
    return cy_lines_read(lines, object);
}

static void check_row(const struct cy_lines *lines, uint32_t address, uint32_t line, const char *path)
{
    struct cy_buf text = {0};
    const struct cy_line_row *row = cy_lines_find(lines, address);
    if (CHECK(row != NULL)) {
        CHECK_EQ(row->line, line);
        cy_lines_path(lines, row, &text);
        CHECK_STR(text.data, path);
    }
    cy_buf_free(&text);
}

static void test_tables(struct cy_object *object)
{
    struct cy_lines lines;
    if (CHECK(read_table(&lines, object, version4, sizeof(version4)))) {
        CHECK_EQ(lines.rows.count, 4);
        check_row(&lines, 0x80000000, 5, "d/a.c");
        check_row(&lines, 0x80000007, 5, "d/a.c");
        check_row(&lines, 0x80000008, 3, "bh");
        check_row(&lines, 0x8000000f, 4, "bh");
        CHECK(!cy_lines_find(&lines, 0x80000010) && !cy_lines_find(&lines, 0x7fffffff));
    }
    cy_lines_free(&lines);
    if (CHECK(read_table(&lines, object, version5, sizeof(version5)))) {
        check_row(&lines, 0x80000000, 2, "/y");
        CHECK(!cy_lines_find(&lines, 0x80000008)); /* two instructions of four bytes */
        CHECK_STR(lines.files.at[0].directory, "/r");
    }
    cy_lines_free(&lines);
}

/* Whatever the bytes are, reading terminates and stays within them. */
static void test_damage(struct cy_object *object)
{
    uint64_t state = 1;
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[2][sizeof(version4) > sizeof(version5) ? sizeof(version4) : sizeof(version5)];
        memcpy(bytes[0], version4, sizeof(version4));
        memcpy(bytes[1], version5, sizeof(version5));
        size_t size = round % 2 ? sizeof(version5) : sizeof(version4);
        for (unsigned changes = round % 5; changes-- > 0;) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[round % 2][(state >> 40) % size] = (uint8_t)(state >> 33);
        }
        if (round % 3 == 0)
            size = round / 3 % (size + 1);
        struct cy_lines lines;
        struct cy_buf path = {0};
        read_table(&lines, object, bytes[round % 2], size);
        const struct cy_line_row *row = cy_lines_find(&lines, 0x80000004);
        if (row)
            cy_lines_path(&lines, row, &path);
        CHECK(lines.rows.count <= size);
        cy_buf_free(&path);
        cy_lines_free(&lines);
    }
}

int main(void)
{
    struct cy_object object = {0};
    struct cy_lines lines;
    CHECK(!cy_lines_read(&lines, &object));
    test_tables(&object);
    test_damage(&object);
    cy_object_free(&object);
    return test_finish();
}
