/* What a compile gives back: freed, and as a row of bytes for the cache. */
#define _GNU_SOURCE /* stpcpy */
#include "cc/result.h"

#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

void cy_cc_result_free(struct cy_cc_result *result)
{
    for (size_t i = 0; i < result->kernel_count; i++)
        free(result->kernels[i].arguments);
    for (size_t i = 0; i < result->function_count; i++)
        free(result->functions[i].arguments);
    free(result->elf);
    free(result->bitcode);
    free(result->log);
    free(result->assembly);
    free(result->dump);
    free(result->kernels);
    free(result->functions);
    *result = (struct cy_cc_result){0};
}

/* Everything in these that is no pointer is kept as it lies in memory. */
_Static_assert(sizeof(void *) != 8 || (sizeof(struct cy_cc_kernel_stats) == 88 && sizeof(struct cy_cc_argument) == 40),
               "a new pointer must be saved and loaded here; a new number only needs the new size");

size_t cc_result_layout(void)
{
    return sizeof(struct cy_cc_options) << 24 | sizeof(struct cy_cc_result) << 16 |
           sizeof(struct cy_cc_kernel_stats) << 8 | sizeof(struct cy_cc_argument);
}

static void save_text(struct cy_buf *out, const char *text)
{
    cy_pack(out, text != NULL);
    cy_pack_text(out, text ? text : "");
}

static char *load_text(struct cy_unpack *in)
{
    size_t size;
    bool there = cy_unpack(in) != 0;
    char *text = (char *)cy_unpack_copy(in, &size);
    if (there)
        return text;
    free(text);
    return NULL;
}

static void save_kernels(struct cy_buf *out, const struct cy_cc_kernel_stats *kernels, size_t count)
{
    cy_pack(out, count);
    for (size_t k = 0; k < count; k++) {
        cy_pack_bytes(out, &kernels[k], sizeof(kernels[k]));
        for (size_t i = 0; i < kernels[k].argument_count; i++) {
            const struct cy_cc_argument *argument = &kernels[k].arguments[i];
            cy_pack_bytes(out, argument, sizeof(*argument));
            cy_pack_text(out, argument->name);
            cy_pack_text(out, argument->type);
        }
        cy_pack_text(out, kernels[k].name);
        cy_pack_text(out, kernels[k].attributes);
    }
}

void cc_result_save(const struct cy_cc_result *result, struct cy_buf *out)
{
    cy_pack_bytes(out, result->elf, result->elf_size);
    cy_pack_bytes(out, result->bitcode, result->bitcode_size);
    save_text(out, result->log);
    save_text(out, result->assembly);
    save_text(out, result->dump);
    save_kernels(out, result->kernels, result->kernel_count);
    save_kernels(out, result->functions, result->function_count);
}

static void load_struct(struct cy_unpack *in, void *to, size_t size)
{
    size_t got;
    const unsigned char *bytes = cy_unpack_bytes(in, &got);
    in->failed |= got != size;
    if (got == size)
        memcpy(to, bytes, size);
}

/* The texts follow the arguments in one allocation. */
static void load_arguments(struct cy_unpack *in, struct cy_cc_kernel_stats *kernel)
{
    size_t count = kernel->argument_count, size;
    struct cy_unpack ahead = *in;
    for (size_t i = 0; i < 3 * count + 2 && !ahead.failed; i++)
        cy_unpack_bytes(&ahead, &size);
    if (ahead.failed) {
        in->failed = true;
        kernel->arguments = NULL;
        return;
    }
    kernel->arguments = cy_xrealloc(NULL, (size_t)(ahead.at - in->at) + 1); /* what was read is longer */
    char *text = (char *)(kernel->arguments + count);
    for (size_t i = 0; i < count && !in->failed; i++) {
        struct cy_cc_argument *argument = &kernel->arguments[i];
        load_struct(in, argument, sizeof(*argument));
        argument->name = text;
        text = stpcpy(text, cy_unpack_text(in)) + 1;
        argument->type = text;
        text = stpcpy(text, cy_unpack_text(in)) + 1;
    }
    kernel->name = text;
    text = stpcpy(text, cy_unpack_text(in)) + 1;
    kernel->attributes = strcpy(text, cy_unpack_text(in));
}

static struct cy_cc_kernel_stats *load_kernels(struct cy_unpack *in, size_t *loaded)
{
    size_t count = cy_unpack_count(in, sizeof(struct cy_cc_kernel_stats));
    struct cy_cc_kernel_stats *kernels = cy_xrealloc(NULL, (count + 1) * sizeof(*kernels));
    for (; *loaded < count && !in->failed; ++*loaded) {
        kernels[*loaded] = (struct cy_cc_kernel_stats){0};
        load_struct(in, &kernels[*loaded], sizeof(*kernels));
        load_arguments(in, &kernels[*loaded]);
    }
    return kernels;
}

bool cc_result_load(struct cy_cc_result *result, const void *bytes, size_t size)
{
    struct cy_unpack in = {bytes, (const unsigned char *)bytes + size, false};
    *result = (struct cy_cc_result){0};
    result->elf = cy_unpack_copy(&in, &result->elf_size);
    result->bitcode = cy_unpack_copy(&in, &result->bitcode_size);
    result->log = load_text(&in);
    result->assembly = load_text(&in);
    result->dump = load_text(&in);
    result->kernels = load_kernels(&in, &result->kernel_count);
    result->functions = load_kernels(&in, &result->function_count);
    if (!in.failed && in.at == in.end && result->log) {
        if (!result->elf_size)
            free(result->elf), result->elf = NULL;
        if (!result->bitcode_size)
            free(result->bitcode), result->bitcode = NULL;
        return true;
    }
    cy_cc_result_free(result);
    return false;
}
