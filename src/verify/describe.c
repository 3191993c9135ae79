/* A difference as text: which launch, which word of which argument, by whom. */
#include "verify/verify_priv.h"

#include "abi/abi.h"
#include "obj/obj.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- values ---- */

/* Elements of OpenCL C's types, by the beginning of their names. */
enum form { SIGNED, UNSIGNED, FLOAT };
static const struct element {
    const char *name;
    unsigned size;
    enum form form;
} elements[] = {{"char", 1, SIGNED},  {"uchar", 1, UNSIGNED}, {"short", 2, SIGNED}, {"ushort", 2, UNSIGNED},
                {"int", 4, SIGNED},   {"uint", 4, UNSIGNED},  {"long", 8, SIGNED},  {"ulong", 8, UNSIGNED},
                {"double", 8, FLOAT}, {"float", 4, FLOAT},    {"half", 2, FLOAT},   {"bool", 1, UNSIGNED}};
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

static double half_number(uint16_t half)
{
    const unsigned exponent = half >> 10 & 31, fraction = half & 1023;
    const double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                       : ldexp(fraction, -24);
    return half >> 15 ? -size : size;
}

/* A number of so many bytes, as OpenCL C and C have it: every half is a float. */
static double number_of(const uint8_t *at, unsigned size)
{
    float single;
    double number;
    uint16_t half;
    memcpy(&half, at, sizeof(half));
    if (size == 2)
        return half_number(half);
    memcpy(&single, at, sizeof(single));
    if (size == 4)
        return (double)single;
    memcpy(&number, at, sizeof(number));
    return number;
}

static void put_value(struct cy_buf *out, const struct element *element, const uint8_t *at)
{
    static const int digits[] = {[2] = 5, [4] = 9, [8] = 17}; /* that tell all numbers apart */
    uint64_t bits = 0;
    memcpy(&bits, at, element->size);
    cy_buf_printf(out, "0x%0*" PRIx64, (int)element->size * 2, bits);
    if (element->form == FLOAT) {
        cy_buf_printf(out, " (%.*g)", digits[element->size], number_of(at, element->size));
    } else if (element->form == UNSIGNED) {
        cy_buf_printf(out, " (%" PRIu64 ")", bits);
    } else {
        const unsigned shift = 64 - 8 * element->size;
        cy_buf_printf(out, " (%" PRId64 ")", (int64_t)(bits << shift) >> shift);
    }
}

/* ---- where the word is ---- */

struct pointer {
    const struct cy_kernel_argument *info; /* NULL: nothing is known of it */
    unsigned number;
    uint64_t value;
    const uint8_t *image; /* its description (abi.def); NULL: it is no image */
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

static uint32_t image_word(const uint8_t *image, unsigned offset)
{
    uint32_t value;
    memcpy(&value, image + offset, sizeof(value));
    return value;
}

/* What an argument of the kernel's signature points to. */
static struct pointer follow(const struct cy_launch *launch, unsigned number, uint64_t value)
{
    const struct cy_kernel_argument *info = &launch->kernel.arguments[number];
    struct pointer pointer = {.info = info, .number = number, .value = info->is_pointer ? value : 0};
    uint64_t start, bytes;
    if (info->qualifiers & CY_TYPE_IMAGE && cy_memory_find(&launch->device->memory, value, &start, &bytes) &&
        value + CY_IMG_BYTES <= start + bytes) {
        pointer.image = cy_memory_host(&launch->device->memory, value);
        pointer.value = image_word(pointer.image, CY_IMG_PIXELS);
        if (launch->kernel.generation == 2)
            pointer.value |= (uint64_t)image_word(pointer.image, CY_IMG_PIXELS_HIGH) << 32;
    }
    return pointer;
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
    for (unsigned i = 0; kernel->has_signature && i < kernel->argument_count; i++) {
        const struct cy_kernel_argument *argument = &kernel->arguments[i];
        const uint64_t align = argument->align ? argument->align : 1;
        offset = (offset + align - 1) / align * align;
        const struct pointer pointer = follow(launch, i, pointer_at(launch, offset, size));
        if (is_nearer(difference, pointer.value, &nearest))
            nearest = pointer;
        offset += argument->size;
    }
    for (size_t at = 0; !kernel->has_signature && at + size <= launch->arguments.bytes.size; at += 4) {
        const uint64_t value = pointer_at(launch, at, size);
        if (is_nearer(difference, value, &nearest))
            nearest = (struct pointer){.number = (unsigned)at, .value = value};
    }
    return nearest;
}

const char *name_buffer(const struct cy_launch *launch, uint64_t start, uint64_t bytes)
{
    const struct cy_difference end = {.buffer = start, .address = start + bytes - 1};
    const struct pointer pointer = find_pointer(launch, &end);
    return pointer.info && pointer.info->name && *pointer.info->name ? pointer.info->name : "a buffer";
}

/* The first element of which a byte differs. */
static uint64_t first_element(const struct cy_launch *launch, const struct cy_difference *difference,
                              const struct element *element, uint64_t start)
{
    uint64_t address = difference->address - (difference->address - start) % element->size;
    for (; element->size < 4 && address + element->size < difference->address + 4; address += element->size)
        if (memcmp(cy_memory_host(&launch->device->verify.views[0].memory, address),
                   cy_memory_host(&launch->device->verify.views[1].memory, address), element->size) != 0)
            break;
    return address;
}

/* Counted in elements of the image, the layers of an array as its last dimension. */
static void put_texel(struct cy_buf *out, const uint8_t *image, uint64_t offset)
{
    const uint32_t element = image_word(image, CY_IMG_ELEMENT), row = image_word(image, CY_IMG_ROW),
                   slice = image_word(image, CY_IMG_SLICE);
    const uint64_t in_slice = slice ? offset % slice : offset, in_row = row ? in_slice % row : in_slice;
    cy_buf_printf(out, "element [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", element ? in_row / element : in_row,
                  row ? in_slice / row : 0, slice ? offset / slice : 0);
}

static void put_argument(struct cy_buf *out, const struct pointer *pointer, const struct element *element,
                         uint64_t offset)
{
    if (pointer->info)
        cy_buf_printf(out, "argument %u", pointer->number);
    else
        cy_buf_printf(out, "what the argument at offset %u points to", pointer->number);
    if (pointer->info && pointer->info->name && *pointer->info->name)
        cy_buf_printf(out, " ('%s', %s)", pointer->info->name, pointer->info->type ? pointer->info->type : "");
    cy_buf_puts(out, ", ");
    if (pointer->image)
        put_texel(out, pointer->image, offset);
    else
        cy_buf_printf(out, "%s [%" PRIu64 "]", element == &word ? "word" : "element", offset / element->size);
}

/* A variable of the program; or nothing is known of the word. */
static void put_variable(struct cy_buf *out, const struct cy_launch *launch, uint64_t address)
{
    const struct cy_program *program = launch->program;
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    const struct cy_symbol *found = NULL;
    if (cy_object_read(&object, program->name, program->elf, program->elf_size, &diags)) {
        for (size_t i = 0; i < object.symbols.count; i++) {
            const struct cy_symbol *symbol = &object.symbols.at[i];
            if (symbol->type == CY_STT_OBJECT && address - symbol->value < symbol->size)
                found = symbol;
        }
        if (found)
            cy_buf_printf(out, "variable '%s' of the program, word [%" PRIu64 "]", found->name,
                          (address - found->value) / 4);
        cy_object_free(&object);
    }
    if (!found)
        cy_buf_puts(out, "a word that no argument points to");
    cy_diags_free(&diags);
}

static void put_writer(struct cy_buf *out, const struct cy_difference *difference)
{
    if (!difference->is_written) {
        cy_buf_puts(out, ", not written by the interpreter\n");
        return;
    }
    cy_buf_printf(out, ", written by work-item (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", difference->item[0],
                  difference->item[1], difference->item[2]);
    if (difference->line)
        cy_buf_printf(out, " at %s:%u\n", difference->file, difference->line);
    else
        cy_buf_printf(out, " at pc 0x%08" PRIx32 " (compile with -g for its line)\n", difference->pc);
}

static void put_words(struct cy_buf *out, const struct cy_launch *launch, const struct cy_difference *difference)
{
    const struct pointer pointer = find_pointer(launch, difference);
    const struct element *element = pointer.info ? element_of(pointer.info->type) : &word;
    uint64_t address = difference->address;
    cy_buf_printf(out, "  %" PRIu64 " word%s differ%s; the first: ", difference->words,
                  difference->words == 1 ? "" : "s", difference->words == 1 ? "s" : "");
    if (pointer.value) {
        address = first_element(launch, difference, element, pointer.value);
        put_argument(out, &pointer, element, address - pointer.value);
    } else {
        put_variable(out, launch, address);
    }
    cy_buf_printf(out, ", at 0x%08" PRIx64 "\n    translated  ", address);
    put_value(out, element, cy_memory_host(&launch->device->verify.views[0].memory, address));
    cy_buf_puts(out, "\n    interpreted ");
    put_value(out, element, cy_memory_host(&launch->device->verify.views[1].memory, address));
    put_writer(out, difference);
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
    if (!difference->depends_on_order && race->size)
        cy_buf_printf(out, "  other words have a race, on which this may depend: %s\n", race->data);
}
