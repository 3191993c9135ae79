/* The facts of a kernel, as the host and the device read them. */
#define _GNU_SOURCE /* stpcpy */
#include "cc/codegen/kernel_info.h"

#include <string.h>

/* The argument strings follow the array. */
static void take_arguments(const struct ir_func *func, struct cy_kernel_info *out)
{
    const char *attributes = func->attributes ? func->attributes : ""; /* not set for functions */
    size_t texts = strlen(func->name) + strlen(attributes) + 2;
    for (uint32_t i = 0; i < func->argument_count; i++)
        texts += strlen(func->arguments[i].name) + strlen(func->arguments[i].type) + 2;
    out->argument_count = func->argument_count;
    out->arguments = cy_xrealloc(NULL, func->argument_count * sizeof(*out->arguments) + texts);
    char *text = (char *)(out->arguments + func->argument_count);
    for (uint32_t i = 0; i < func->argument_count; i++) {
        const struct ir_argument *from = &func->arguments[i];
        out->arguments[i] = (struct cy_kernel_argument){.name = text,
                                                        .address = (enum cy_address)from->address_space,
                                                        .qualifiers = from->qualifiers,
                                                        .size = from->size,
                                                        .align = from->align,
                                                        .is_pointer = from->is_pointer};
        text = stpcpy(text, from->name) + 1;
        out->arguments[i].type = text;
        text = stpcpy(text, from->type) + 1;
    }
    memcpy(out->reqd_size, func->reqd_size, sizeof(out->reqd_size));
    out->reqd_sub_group = func->reqd_sub_group;
    out->observes_workgroup = func->observes_workgroup;
    out->may_spin = func->may_spin;
    out->row_dimension = func->row_dimension;
    out->name = text;
    text = stpcpy(text, func->name) + 1;
    out->attributes = strcpy(text, attributes);
}

void cc_kernel_info(const struct ir_func *func, const struct backend_stats *stats, struct cy_kernel_info *out)
{
    *out = (struct cy_kernel_info){.instructions = stats->instructions,
                                   .vgprs = func->needs.vgprs,
                                   .sgprs = func->needs.sgprs,
                                   .spills = stats->spills,
                                   .calls = stats->calls,
                                   .uniform_percent = stats->uniform_percent,
                                   .code_bytes = stats->code_bytes,
                                   .has_resources = true,
                                   .lds_bytes = func->local_bytes,
                                   .pds_bytes = (func->needs.private_bytes + 3) & ~3u,
                                   .spill_bytes =
                                       ((func->needs.private_bytes + 3) & ~3u) - ((func->private_bytes + 3) & ~3u),
                                   .has_signature = true};
    take_arguments(func, out);
}
