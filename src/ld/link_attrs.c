/* Merges the `.riscv.attributes` of all objects: the union of their extensions, each in its newest version, so that
 * other tools can disassemble the code.  Objects with malformed attributes are skipped: attributes are only hints. */
#include "ld/link_priv.h"

#include <stdlib.h>
#include <string.h>

/* Tags of the RISC-V psABI. */
enum { TAG_FILE = 1, TAG_STACK_ALIGN = 4, TAG_ARCH = 5, TAG_UNALIGNED = 6 };

struct extension {
    const char *name;
    uint32_t length, major, minor;
};

struct attributes {
    CY_VEC(struct extension) extensions;
    uint32_t stack_align;
    bool has_stack_align, has_unaligned, unaligned;
};

/* ---- reading ---- */

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static uint32_t read_uleb(struct cursor *cursor)
{
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (cursor->at == cursor->end || shift > 28) {
            cursor->bad = true;
            return 0;
        }
        uint8_t byte = *cursor->at++;
        value |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

/* A length that includes itself and the `before` bytes preceding it. */
static struct cursor read_block(struct cursor *cursor, uint32_t before)
{
    struct cursor inner = {.bad = true};
    if (cursor->end - cursor->at < 4) {
        cursor->bad = true;
        return inner;
    }
    uint32_t length = (uint32_t)cursor->at[0] | (uint32_t)cursor->at[1] << 8 | (uint32_t)cursor->at[2] << 16 |
                      (uint32_t)cursor->at[3] << 24;
    if (length < before + 4 || length - before > (size_t)(cursor->end - cursor->at)) {
        cursor->bad = true;
        return inner;
    }
    inner = (struct cursor){.at = cursor->at + 4, .end = cursor->at + (length - before)};
    cursor->at = inner.end;
    return inner;
}

static const char *read_string(struct cursor *cursor)
{
    const uint8_t *start = cursor->at,
                  *zero = cursor->end > start ? memchr(start, 0, (size_t)(cursor->end - start)) : NULL;
    if (!zero) {
        cursor->bad = true;
        return "";
    }
    cursor->at = zero + 1;
    return (const char *)start;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint32_t number(const char *text, const char *end)
{
    uint32_t value = 0;
    for (; text < end; text++)
        value = value * 10 + (uint32_t)(*text - '0');
    return value;
}

static void add_extension(struct attributes *all, struct extension extension)
{
    for (size_t i = 0; i < all->extensions.count; i++) {
        struct extension *old = &all->extensions.at[i];
        if (old->length != extension.length || memcmp(old->name, extension.name, old->length) != 0)
            continue;
        if (old->major < extension.major || (old->major == extension.major && old->minor < extension.minor))
            *old = extension;
        return;
    }
    *cy_vec_push(&all->extensions) = extension;
}

/* "m2p0" or "zve32f1p0": the name, and the version in its last digits. */
static struct extension split(const char *text, size_t length)
{
    struct extension extension = {.name = text, .length = (uint32_t)length};
    const char *end = text + length, *minor = end;
    while (minor > text && is_digit(minor[-1]))
        minor--;
    if (minor == end || minor == text || minor[-1] != 'p' || end - minor > 4)
        return extension;
    const char *major = minor - 1;
    while (major > text && is_digit(major[-1]))
        major--;
    if (major == minor - 1 || major == text || minor - major > 5)
        return extension;
    extension.length = (uint32_t)(major - text);
    extension.major = number(major, minor - 1);
    extension.minor = number(minor, end);
    return extension;
}

static void read_arch(struct attributes *all, const char *text)
{
    if (strncmp(text, "rv32", 4) != 0)
        return;
    for (text += 4; *text;) {
        if (*text == '_') {
            text++;
            continue;
        }
        size_t length = strcspn(text, "_");
        if (!strchr("zsx", *text)) { /* one letter, perhaps with a version, perhaps followed by more letters */
            size_t digits = strspn(text + 1, "0123456789"), used = 1 + digits;
            if (digits && text[used] == 'p' && is_digit(text[used + 1]))
                used += 1 + strspn(text + used + 1, "0123456789");
            length = used;
        }
        add_extension(all, split(text, length));
        text += length;
    }
}

static void read_file_attributes(struct attributes *all, struct cursor *cursor)
{
    while (cursor->at < cursor->end && !cursor->bad) {
        uint32_t tag = read_uleb(cursor);
        if (tag & 1) {
            const char *text = read_string(cursor);
            if (tag == TAG_ARCH && !cursor->bad)
                read_arch(all, text);
            continue;
        }
        uint32_t value = read_uleb(cursor);
        if (cursor->bad)
            return;
        if (tag == TAG_STACK_ALIGN && (!all->has_stack_align || all->stack_align < value)) {
            all->has_stack_align = true;
            all->stack_align = value;
        } else if (tag == TAG_UNALIGNED) {
            all->has_unaligned = true;
            all->unaligned |= value != 0;
        }
    }
}

static void read_attributes(struct attributes *all, const struct cy_section *section)
{
    const uint8_t *bytes = (const uint8_t *)section->data.data;
    if (section->data.size < 1 || bytes[0] != 'A')
        return;
    struct cursor cursor = {.at = bytes + 1, .end = bytes + section->data.size};
    while (cursor.at < cursor.end && !cursor.bad) {
        struct cursor vendor = read_block(&cursor, 0);
        if (vendor.bad || strcmp(read_string(&vendor), "riscv") != 0)
            continue;
        while (vendor.at < vendor.end && !vendor.bad) {
            const uint8_t *start = vendor.at;
            uint32_t scope = read_uleb(&vendor);
            struct cursor block = read_block(&vendor, (uint32_t)(vendor.at - start));
            if (!block.bad && scope == TAG_FILE)
                read_file_attributes(all, &block);
        }
    }
}

/* ---- writing ---- */

/* The order prescribed by the manual: base, single letters, then z by the letter they refine, s, x. */
static unsigned rank(const struct extension *extension)
{
    static const char letters[] = "iemafdqlcbkjtpvnh";
    char first = extension->name[0], second = extension->length > 1 ? extension->name[1] : 0;
    const char *at = first == 'z' && second ? strchr(letters, second) : first ? strchr(letters, first) : NULL;
    unsigned place = at ? (unsigned)(at - letters) : 30;
    if (extension->length == 1)
        return place;
    return (first == 'z' ? 100 : first == 's' ? 200 : 300) + (first == 'z' ? place : 0);
}

static int by_rank(const void *a, const void *b)
{
    const struct extension *x = a, *y = b;
    unsigned rank_x = rank(x), rank_y = rank(y);
    if (rank_x != rank_y)
        return rank_x < rank_y ? -1 : 1;
    int order = memcmp(x->name, y->name, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void put_uleb(struct cy_buf *out, uint32_t value)
{
    for (; value > 0x7f; value >>= 7)
        cy_buf_putc(out, (char)((value & 0x7f) | 0x80));
    cy_buf_putc(out, (char)value);
}

static void put_u32(struct cy_buf *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        cy_buf_putc(out, (char)(value >> 8 * i));
}

static void write_attributes(struct attributes *all, struct cy_buf *out)
{
    struct cy_buf body = {0};
    if (all->has_stack_align) {
        put_uleb(&body, TAG_STACK_ALIGN);
        put_uleb(&body, all->stack_align);
    }
    qsort(all->extensions.at, all->extensions.count, sizeof(*all->extensions.at), by_rank);
    put_uleb(&body, TAG_ARCH);
    cy_buf_puts(&body, "rv32");
    for (size_t i = 0; i < all->extensions.count; i++) {
        const struct extension *extension = &all->extensions.at[i];
        cy_buf_printf(&body, "%s%.*s%up%u", i ? "_" : "", (int)extension->length, extension->name, extension->major,
                      extension->minor);
    }
    cy_buf_putc(&body, 0);
    if (all->has_unaligned) {
        put_uleb(&body, TAG_UNALIGNED);
        put_uleb(&body, all->unaligned);
    }
    const uint32_t file_bytes = 1 + 4 + (uint32_t)body.size, vendor_bytes = 4 + sizeof("riscv") + file_bytes;
    cy_buf_putc(out, 'A');
    put_u32(out, vendor_bytes);
    cy_buf_append(out, "riscv", sizeof("riscv"));
    put_uleb(out, TAG_FILE);
    put_u32(out, file_bytes);
    cy_buf_append(out, body.data, body.size);
    cy_buf_free(&body);
}

void link_attributes(struct link *link, struct cy_buf *out)
{
    struct attributes all = {0};
    for (size_t i = 0; i < link->files.count; i++) {
        const struct cy_object *object = link->files.at[i]->object;
        for (size_t k = 0; k < object->sections.count; k++)
            if (object->sections.at[k].type == CY_SHT_RISCV_ATTRIBUTES)
                read_attributes(&all, &object->sections.at[k]);
    }
    if (all.extensions.count)
        write_attributes(&all, out);
    cy_vec_free(&all.extensions);
}
