/* The result of a compile: freeing it, and serialising it for the cache. */
#define _GNU_SOURCE /* stpcpy */
#include "cc/driver/result.h"

#include <string.h>

static char no_memory[] = "error: out of memory\n";

void cc_result_no_memory(struct cy_cc_result *result)
{
    *result = (struct cy_cc_result){.log = no_memory, .no_memory = true};
}

void cy_cc_result_free(struct cy_cc_result *result)
{
    for (size_t i = 0; i < result->kernel_count; i++)
        cy_free(result->kernels[i].arguments);
    for (size_t i = 0; i < result->function_count; i++)
        cy_free(result->functions[i].arguments);
    cy_free(result->elf);
    cy_free(result->bitcode);
    if (result->log != no_memory)
        cy_free(result->log);
    cy_free(result->assembly);
    cy_free(result->dump);
    cy_free(result->pass_ns);
    cy_free(result->kernels);
    cy_free(result->functions);
    *result = (struct cy_cc_result){0};
}

_Static_assert(sizeof(void *) != 8 || (sizeof(struct cy_cc_kernel_info) == 88 && sizeof(struct cy_cc_argument) == 40),
               "a new member must be saved and loaded here");

uint32_t cc_result_layout(void)
{
    return (uint32_t)sizeof(struct cy_cc_options) << 24 | (uint32_t)sizeof(struct cy_cc_result) << 16 |
           (uint32_t)sizeof(struct cy_cc_kernel_info) << 8 | (uint32_t)sizeof(struct cy_cc_argument);
}

/* ---- kernels ---- */

/* Far more than a kernel can use, far too small to overflow a sum. */
enum { MOST_ARGUMENT_BYTES = 1 << 20, MOST_ARGUMENT_ALIGN = 4096 };

static bool is_sound_argument(const struct cy_cc_argument *argument)
{
    bool is_power = argument->align && !(argument->align & (argument->align - 1));
    if (!is_power || argument->align > MOST_ARGUMENT_ALIGN || argument->size > MOST_ARGUMENT_BYTES)
        return false;
    return argument->is_pointer ? argument->size == 4 && argument->align == 4 && argument->address != CY_CC_PRIVATE
                                : argument->address == CY_CC_PRIVATE; /* an empty structure has size zero */
}

bool cc_kernel_is_sound(const char *name, const unsigned reqd_size[3], const struct cy_cc_argument *arguments,
                        size_t count)
{
    uint64_t plane = (uint64_t)reqd_size[0] * reqd_size[1];
    bool given = reqd_size[0] || reqd_size[1] || reqd_size[2];
    bool is_size = plane && reqd_size[2] && plane <= UINT32_MAX && plane * reqd_size[2] <= UINT32_MAX;
    bool sound = *name && !strchr(name, ';') && (!given || is_size); /* CL_PROGRAM_KERNEL_NAMES uses ; as the
                                                                      * separator */
    for (size_t i = 0; sound && i < count; i++)
        sound = is_sound_argument(&arguments[i]);
    return sound;
}

void cc_argument_save(const struct cy_cc_argument *argument, struct cy_buf *out)
{
    cy_pack_text(out, argument->name);
    cy_pack_text(out, argument->type);
    cy_pack(out, argument->address);
    cy_pack(out, argument->qualifiers);
    cy_pack(out, argument->size);
    cy_pack(out, argument->align);
    cy_pack(out, argument->is_pointer);
}

struct cy_cc_argument cc_argument_load(struct cy_unpack *in)
{
    struct cy_cc_argument argument;
    argument.name = cy_unpack_text(in);
    argument.type = cy_unpack_text(in);
    argument.address = (enum cy_cc_address)cy_unpack_at_most(in, CY_CC_LOCAL);
    argument.qualifiers = cy_unpack_at_most(in, CY_CC_CONST | CY_CC_RESTRICT | CY_CC_VOLATILE | CY_CC_PIPE);
    argument.size = cy_unpack(in);
    argument.align = cy_unpack(in);
    argument.is_pointer = cy_unpack_bool(in);
    return argument;
}

/* A kernel's numbers, in the order in which they are stored. */
enum { NUMBERS = 9 };
static void list_numbers(struct cy_cc_kernel_info *kernel, unsigned *numbers[NUMBERS])
{
    unsigned *const all[NUMBERS] = {&kernel->instructions, &kernel->spills,      &kernel->uniform_percent,
                                    &kernel->code_bytes,   &kernel->calls,       &kernel->vgprs,
                                    &kernel->sgprs,        &kernel->local_bytes, &kernel->private_bytes};
    memcpy(numbers, all, sizeof(all));
}

static void save_kernel(struct cy_buf *out, struct cy_cc_kernel_info kernel)
{
    unsigned *numbers[NUMBERS];
    list_numbers(&kernel, numbers);
    cy_pack_text(out, kernel.name);
    cy_pack_text(out, kernel.attributes);
    for (size_t i = 0; i < NUMBERS; i++)
        cy_pack(out, *numbers[i]);
    for (size_t i = 0; i < CY_COUNT(kernel.reqd_size); i++)
        cy_pack(out, kernel.reqd_size[i]);
    cy_pack(out, kernel.observes_workgroup);
    cy_pack(out, kernel.may_spin);
    cy_pack(out, kernel.argument_count);
    for (size_t i = 0; i < kernel.argument_count; i++)
        cc_argument_save(&kernel.arguments[i], out);
}

static void save_kernels(struct cy_buf *out, const struct cy_cc_kernel_info *kernels, size_t count)
{
    cy_pack(out, count);
    for (size_t k = 0; k < count; k++)
        save_kernel(out, kernels[k]);
}

static void move_text(const char **text, char **to)
{
    const char *from = *text;
    *text = *to;
    *to = stpcpy(*to, from) + 1;
}

/* The strings, which point into the input, are moved behind the arguments in one allocation. */
static void own_texts(struct cy_cc_kernel_info *kernel)
{
    size_t count = kernel->argument_count, size = strlen(kernel->name) + strlen(kernel->attributes) + 2;
    for (size_t i = 0; i < count; i++)
        size += strlen(kernel->arguments[i].name) + strlen(kernel->arguments[i].type) + 2;
    kernel->arguments = cy_xrealloc(kernel->arguments, count * sizeof(*kernel->arguments) + size);
    char *at = (char *)(kernel->arguments + count);
    for (size_t i = 0; i < count; i++) {
        move_text(&kernel->arguments[i].name, &at);
        move_text(&kernel->arguments[i].type, &at);
    }
    move_text(&kernel->name, &at);
    move_text(&kernel->attributes, &at);
}

enum { LEAST_ARGUMENT_BYTES = 30, LEAST_KERNEL_BYTES = 70 }; /* as saved */

static void load_kernel(struct cy_unpack *in, struct cy_cc_kernel_info *kernel)
{
    unsigned *numbers[NUMBERS];
    list_numbers(kernel, numbers);
    kernel->name = cy_unpack_text(in);
    kernel->attributes = cy_unpack_text(in);
    for (size_t i = 0; i < NUMBERS; i++)
        *numbers[i] = cy_unpack(in);
    for (size_t i = 0; i < CY_COUNT(kernel->reqd_size); i++)
        kernel->reqd_size[i] = cy_unpack(in);
    kernel->observes_workgroup = cy_unpack_bool(in);
    kernel->may_spin = cy_unpack_bool(in);
    kernel->argument_count = cy_unpack_count(in, LEAST_ARGUMENT_BYTES);
    kernel->arguments = cy_xrealloc(NULL, (kernel->argument_count + 1) * sizeof(*kernel->arguments));
    for (size_t i = 0; i < kernel->argument_count; i++)
        kernel->arguments[i] = cc_argument_load(in);
    in->failed |= !cc_kernel_is_sound(kernel->name, kernel->reqd_size, kernel->arguments, kernel->argument_count);
    own_texts(kernel);
}

static struct cy_cc_kernel_info *load_kernels(struct cy_unpack *in, size_t *loaded)
{
    size_t count = cy_unpack_count(in, LEAST_KERNEL_BYTES);
    struct cy_cc_kernel_info *kernels = cy_xrealloc(NULL, (count + 1) * sizeof(*kernels));
    for (; *loaded < count && !in->failed; ++*loaded)
        load_kernel(in, &kernels[*loaded]);
    return kernels;
}

/* ---- results ---- */

static void save_text(struct cy_buf *out, const char *text)
{
    cy_pack(out, text != NULL);
    cy_pack_text(out, text ? text : "");
}

static char *load_text(struct cy_unpack *in)
{
    size_t size;
    bool there = cy_unpack_bool(in);
    if (there)
        return (char *)cy_unpack_copy(in, &size);
    cy_unpack_bytes(in, &size);
    return NULL;
}

/* Never returns NULL. */
static unsigned char *load_bytes(struct cy_unpack *in, size_t *size)
{
    struct cy_unpack ahead = *in;
    cy_unpack_bytes(&ahead, size);
    return *size ? cy_unpack_copy(in, size) : (cy_unpack_bytes(in, size), NULL);
}

void cc_result_save(const struct cy_cc_result *result, struct cy_buf *out)
{
    cy_pack_bytes(out, result->elf, result->elf_size);
    cy_pack_bytes(out, result->bitcode, result->bitcode_size);
    save_text(out, result->log);
    save_text(out, result->assembly);
    save_text(out, result->dump);
    cy_pack_bytes(out, result->pass_ns, result->pass_count * sizeof(*result->pass_ns));
    save_kernels(out, result->kernels, result->kernel_count);
    save_kernels(out, result->functions, result->function_count);
}

struct loading {
    struct cy_cc_result *result;
    struct cy_unpack in;
};

static void load_result(void *argument)
{
    struct loading *loading = argument;
    struct cy_cc_result *result = loading->result;
    struct cy_unpack *in = &loading->in;
    result->elf = load_bytes(in, &result->elf_size);
    result->bitcode = load_bytes(in, &result->bitcode_size);
    result->log = load_text(in);
    result->assembly = load_text(in);
    result->dump = load_text(in);
    size_t size_of_times;
    result->pass_ns = (unsigned long long *)(void *)load_bytes(in, &size_of_times);
    result->pass_count = size_of_times / sizeof(*result->pass_ns);
    in->failed |= size_of_times % sizeof(*result->pass_ns) != 0;
    result->kernels = load_kernels(in, &result->kernel_count);
    result->functions = load_kernels(in, &result->function_count);
}

bool cc_result_load(struct cy_cc_result *result, const void *bytes, size_t size)
{
    struct loading loading = {result, {bytes, (const unsigned char *)bytes + size, false}};
    *result = (struct cy_cc_result){0};
    if (!cy_mem_try(load_result, &loading)) {
        *result = (struct cy_cc_result){0};
        return false;
    }
    if (!loading.in.failed && loading.in.at == loading.in.end && result->log)
        return true;
    cy_cc_result_free(result);
    return false;
}
