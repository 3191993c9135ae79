/* A difference as text: which launch, which word of which argument, by whom. */
#include "verify/verify_priv.h"

#include <inttypes.h>
#include <string.h>

/* ---- values ---- */

/* Elements of OpenCL C's types, by the beginning of their names. */
enum form { SIGNED, UNSIGNED, FLOAT };
static const struct element {
    const char *name;
    unsigned size;
    enum form form;
} elements[] = {{"char", 1, SIGNED},  {"uchar", 1, UNSIGNED}, {"short", 2, SIGNED},  {"ushort", 2, UNSIGNED},
                {"int", 4, SIGNED},   {"uint", 4, UNSIGNED},  {"long", 8, SIGNED},   {"ulong", 8, UNSIGNED},
                {"double", 8, FLOAT}, {"float", 4, FLOAT},    {"half", 2, UNSIGNED}, {"bool", 1, UNSIGNED}};
static const struct element word = {"uint", 4, UNSIGNED};

/* "float4 *", "const ulong*": the element; a word of any other type. */
static const struct element *element_of(const char *type)
{
    for (size_t i = 0; type && i < CY_COUNT(elements); i++) {
        const size_t length = strlen(elements[i].name);
        if (strncmp(type, elements[i].name, length) == 0 &&
            strspn(type + length, "0123456789 *") == strlen(type + length))
            return &elements[i];
    }
    return &word;
}

static void put_value(struct cy_buf *out, const struct element *element, const uint8_t *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, element->size);
    cy_buf_printf(out, "0x%0*" PRIx64, (int)element->size * 2, bits);
    float single;
    double number;
    memcpy(&single, at, sizeof(single));
    if (element->form == FLOAT && element->size == 8) {
        memcpy(&number, at, sizeof(number));
        cy_buf_printf(out, " (%.17g)", number);
    } else if (element->form == FLOAT) {
        cy_buf_printf(out, " (%.9g)", (double)single);
    } else if (element->form == UNSIGNED) {
        cy_buf_printf(out, " (%" PRIu64 ")", bits);
    } else {
        const unsigned shift = 64 - 8 * element->size;
        cy_buf_printf(out, " (%" PRId64 ")", (int64_t)(bits << shift) >> shift);
    }
}

/* ---- arguments ---- */

struct pointer {
    const struct cy_kernel_argument *info; /* NULL: nothing is known of it */
    unsigned number;
    uint64_t value;
};

static uint64_t pointer_at(const struct cy_launch *launch, uint64_t offset, unsigned size)
{
    uint64_t value = 0;
    if (offset + size <= launch->arguments.bytes.size)
        memcpy(&value, launch->arguments.bytes.data + offset, size);
    return value;
}

/* Is it a pointer into the buffer at or before the address, and the nearest so far? */
static bool is_nearer(const struct cy_difference *difference, uint64_t value, const struct pointer *nearest)
{
    return value >= difference->buffer && value <= difference->address && value > nearest->value;
}

/* The argument that leads to the word; value 0: none does. */
static struct pointer find_pointer(const struct cy_launch *launch, const struct cy_difference *difference)
{
    const struct cy_kernel_info *kernel = &launch->kernel;
    const unsigned size = launch->arguments.has_wide_pointers ? 8 : 4;
    struct pointer nearest = {0};
    uint64_t offset = 0;
    if (!difference->buffer)
        return nearest;
    for (size_t i = 0; kernel->has_signature && i < kernel->argument_count; i++) {
        const struct cy_kernel_argument *argument = &kernel->arguments[i];
        const uint64_t align = argument->align ? argument->align : 1;
        offset = (offset + align - 1) / align * align;
        const uint64_t value = argument->is_pointer ? pointer_at(launch, offset, size) : 0;
        if (is_nearer(difference, value, &nearest))
            nearest = (struct pointer){argument, (unsigned)i, value};
        offset += argument->size;
    }
    for (size_t at = 0; !kernel->has_signature && at + size <= launch->arguments.bytes.size; at += 4) {
        const uint64_t value = pointer_at(launch, at, size);
        if (is_nearer(difference, value, &nearest))
            nearest = (struct pointer){NULL, (unsigned)at, value};
    }
    return nearest;
}

static void put_words(struct cy_buf *out, const struct cy_launch *launch, const struct cy_difference *difference)
{
    const struct pointer pointer = find_pointer(launch, difference);
    const char *type = pointer.info ? pointer.info->type : NULL;
    const struct element *element = element_of(type);
    uint64_t address = difference->address;
    cy_buf_printf(out, "  %" PRIu64 " word%s differ%s; the first: ", difference->words,
                  difference->words == 1 ? "" : "s", difference->words == 1 ? "s" : "");
    if (pointer.value) { /* the first element of which a byte differs */
        const uint8_t *at[2];
        address -= (address - pointer.value) % element->size;
        for (;; address += element->size) {
            for (unsigned i = 0; i < 2; i++)
                at[i] = cy_memory_host(&launch->device->verify.views[i].memory, address);
            if (element->size >= 4 || address >= difference->address + 4 || memcmp(at[0], at[1], element->size) != 0)
                break;
        }
        if (pointer.info)
            cy_buf_printf(out, "argument %u", pointer.number);
        else
            cy_buf_printf(out, "what the argument at offset %u points to", pointer.number);
        if (pointer.info && pointer.info->name && *pointer.info->name)
            cy_buf_printf(out, " ('%s', %s)", pointer.info->name, type ? type : "");
        cy_buf_printf(out, ", %s [%" PRIu64 "], at 0x%08" PRIx64, element == &word ? "word" : "element",
                      (address - pointer.value) / element->size, address);
    } else {
        cy_buf_printf(out, "at 0x%08" PRIx64 ", which no argument points to", address);
    }
    cy_buf_puts(out, "\n    translated  ");
    put_value(out, element, cy_memory_host(&launch->device->verify.views[0].memory, address));
    cy_buf_puts(out, "\n    interpreted ");
    put_value(out, element, cy_memory_host(&launch->device->verify.views[1].memory, address));
    if (difference->is_written)
        cy_buf_printf(out, ", written by work-item (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", difference->item[0],
                      difference->item[1], difference->item[2]);
    else
        cy_buf_puts(out, ", not written by the interpreter");
    if (difference->is_written && difference->line)
        cy_buf_printf(out, " at %s:%u", difference->file, difference->line);
    else if (difference->is_written)
        cy_buf_printf(out, " at pc 0x%08" PRIx32 " (compile with -g for its line)", difference->pc);
    cy_buf_puts(out, "\n");
}

/* ---- texts ---- */

/* The first line in which both texts differ. */
static void put_texts(struct cy_buf *out, const struct cy_difference *difference)
{
    static const char *const who[] = {"translated ", "interpreted"};
    const char *at[2] = {difference->texts[0], difference->texts[1]};
    for (const char *a = at[0], *b = at[1]; *a && *a == *b; a++, b++)
        if (*a == '\n') {
            at[0] = a + 1;
            at[1] = b + 1;
        }
    for (unsigned i = 0; i < 2; i++)
        cy_buf_printf(out, "    %s %.*s\n", who[i], (int)strcspn(at[i], "\n"), *at[i] ? at[i] : "(nothing)");
}

static void put_what(struct cy_buf *out, const struct cy_launch *launch, const struct cy_difference *difference)
{
    switch (difference->kind) {
    case CY_DIFFERENT_WORDS: put_words(out, launch, difference); break;
    case CY_DIFFERENT_TEXT:
        cy_buf_puts(out, "  printed text differs; the first line:\n");
        put_texts(out, difference);
        break;
    case CY_DIFFERENT_END:
        cy_buf_puts(out, "  they end differently:\n");
        put_texts(out, difference);
        break;
    case CY_DIFFERENT_COUNTS:
        cy_buf_printf(out, "  counters differ: translated %" PRIu64 " instructions, interpreted %" PRIu64 "%s\n",
                      difference->instructions[0], difference->instructions[1],
                      difference->instructions[0] == difference->instructions[1] ? ", and counts of some of them" : "");
        break;
    case CY_DIFFERENT_NOTHING: break;
    }
}

void describe(struct cy_buf *out, struct cy_launch *launch, const struct cy_difference *difference,
              const struct cy_buf *race)
{
    cy_buf_printf(out, "verify: kernel '%s', launch %" PRIu64 ": ", difference->kernel, difference->launch);
    if (difference->depends_on_order)
        cy_buf_puts(out, "depends on the order of work-items: ");
    if (difference->depends_on_order && race->size)
        cy_buf_printf(out, "%s\n", race->data);
    else if (difference->depends_on_order && difference->is_written && difference->line)
        cy_buf_printf(out, "%s:%u\n", difference->file, difference->line);
    else if (difference->depends_on_order)
        cy_buf_puts(out, "the interpreter's own results differ from order to order\n");
    else
        cy_buf_printf(out, "translated code (%s, strips of %u) and the interpreter differ\n", difference->level,
                      difference->strip);
    put_what(out, launch, difference);
}
