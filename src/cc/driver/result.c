/* The result of a compile: freeing it, and serialising it for the cache. */
#define _GNU_SOURCE /* stpcpy */
#include "cc/driver/result.h"

#include "obj/notes.h"

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

_Static_assert(sizeof(void *) != 8 || (sizeof(struct cy_kernel_info) == 112 && sizeof(struct cy_kernel_argument) == 40),
               "a new member must be saved and loaded here or in obj/notes.c");

uint32_t cc_result_layout(void)
{
    return (uint32_t)sizeof(struct cy_cc_options) << 24 | (uint32_t)sizeof(struct cy_cc_result) << 16 |
           (uint32_t)sizeof(struct cy_kernel_info) << 8 | (uint32_t)sizeof(struct cy_kernel_argument);
}

/* ---- kernels ---- */

/* Resources, which a linked kernel has in its record and a function nowhere else, and the facts of its note. */
static void save_kernels(struct cy_buf *out, const struct cy_kernel_info *kernels, size_t count)
{
    cy_pack(out, count);
    for (size_t k = 0; k < count; k++) {
        cy_pack(out, kernels[k].generation);
        cy_pack(out, kernels[k].vgprs);
        cy_pack(out, kernels[k].sgprs);
        cy_pack(out, kernels[k].lds_bytes);
        cy_pack(out, kernels[k].pds_bytes);
        cy_facts_pack(&kernels[k], out);
    }
}

static void move_text(const char **text, char **to)
{
    const char *from = *text;
    *text = *to;
    *to = stpcpy(*to, from) + 1;
}

/* The strings, which point into the input, are moved after the arguments, in the same allocation. */
static void own_texts(struct cy_kernel_info *kernel)
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

enum { LEAST_KERNEL_BYTES = 74 }; /* as saved */

static void load_kernel(struct cy_unpack *in, struct cy_kernel_info *kernel)
{
    *kernel = (struct cy_kernel_info){.generation = cy_unpack(in), .has_resources = true};
    kernel->vgprs = cy_unpack(in);
    kernel->sgprs = cy_unpack(in);
    kernel->lds_bytes = cy_unpack(in);
    kernel->pds_bytes = cy_unpack(in);
    cy_facts_unpack(in, kernel);
    kernel->arguments = cy_xrealloc(NULL, (kernel->argument_count + 1) * sizeof(*kernel->arguments));
    cy_facts_unpack_arguments(in, kernel);
    own_texts(kernel);
}

static struct cy_kernel_info *load_kernels(struct cy_unpack *in, size_t *loaded)
{
    size_t count = cy_unpack_count(in, LEAST_KERNEL_BYTES);
    struct cy_kernel_info *kernels = cy_xrealloc(NULL, (count + 1) * sizeof(*kernels));
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
