/* Program binaries: a header, the description of the kernels, then the ELF file or the bitcode, packed by base/pack.h.  A
 * binary of another version is refused. */
#include "cl/cl_priv.h"

#include "base/pack.h"

#include <stdlib.h>

static const char magic[8] = "CYCLBIN4";

void cy_cl_binary_write(const struct cy_cl_build *build, struct cy_buf *out)
{
    cy_buf_append(out, magic, sizeof(magic));
    cy_pack(out, build->type);
    cy_pack(out, build->uniform);
    cy_pack(out, build->kernel_count);
    for (size_t i = 0; i < build->kernel_count; i++) {
        const struct cy_cl_kernel_info *kernel = &build->kernels[i];
        cy_pack_text(out, kernel->name);
        cy_pack(out, kernel->local_bytes);
        cy_pack(out, kernel->private_bytes);
        for (int d = 0; d < 3; d++)
            cy_pack(out, kernel->reqd_size[d]);
        cy_pack(out, kernel->sees_groups);
        cy_pack(out, kernel->may_wait);
        cy_pack_text(out, kernel->attributes);
        cy_pack(out, kernel->argument_count);
        for (size_t a = 0; a < kernel->argument_count; a++) {
            const struct cy_cc_argument *argument = &kernel->arguments[a];
            cy_pack_text(out, argument->name);
            cy_pack_text(out, argument->type);
            cy_pack(out, argument->address);
            cy_pack(out, argument->qualifiers);
            cy_pack(out, argument->size);
            cy_pack(out, argument->align);
            cy_pack(out, argument->is_pointer);
        }
    }
    cy_pack_bytes(out, build->elf, build->elf_size);
    cy_pack_bytes(out, build->bitcode, build->bitcode_size);
}

static const char *get_text(struct cy_unpack *in, struct cy_arena *arena)
{
    const char *text = cy_unpack_text(in);
    return cy_arena_strndup(arena, text, strlen(text));
}

static void read_kernel(struct cy_cl_build *build, struct cy_unpack *in, struct cy_cl_kernel_info *kernel)
{
    kernel->name = get_text(in, &build->arena);
    kernel->local_bytes = cy_unpack(in);
    kernel->private_bytes = cy_unpack(in);
    for (int d = 0; d < 3; d++)
        kernel->reqd_size[d] = cy_unpack(in);
    kernel->sees_groups = cy_unpack(in) != 0;
    kernel->may_wait = cy_unpack(in) != 0;
    kernel->attributes = get_text(in, &build->arena);
    kernel->argument_count = cy_unpack_count(in, 30);
    kernel->arguments = cy_arena_alloc(&build->arena, (kernel->argument_count + 1) * sizeof(*kernel->arguments));
    for (size_t a = 0; a < kernel->argument_count; a++) {
        struct cy_cc_argument *argument = &kernel->arguments[a];
        argument->name = get_text(in, &build->arena);
        argument->type = get_text(in, &build->arena);
        argument->address = (enum cy_cc_address)(cy_unpack(in) & 3);
        argument->qualifiers = cy_unpack(in);
        argument->size = cy_unpack(in);
        argument->align = cy_unpack(in);
        argument->is_pointer = cy_unpack(in) != 0;
        in->failed |= !argument->align || (argument->align & (argument->align - 1)) || argument->align > 4096;
    }
}

static unsigned char *get_copy(struct cy_unpack *in, size_t *size)
{
    unsigned char *copy = cy_unpack_copy(in, size);
    if (*size)
        return copy;
    free(copy);
    return NULL;
}

bool cy_cl_binary_read(struct cy_cl_build *build, const unsigned char *bytes, size_t size)
{
    struct cy_unpack in = {bytes + sizeof(magic), bytes + size, false};
    if (size < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
        return false;
    build->type = cy_unpack(&in);
    build->uniform = cy_unpack(&in) != 0;
    build->kernel_count = cy_unpack_count(&in, 32);
    build->kernels = cy_arena_alloc(&build->arena, (build->kernel_count + 1) * sizeof(*build->kernels));
    for (size_t i = 0; i < build->kernel_count && !in.failed; i++)
        read_kernel(build, &in, &build->kernels[i]);
    build->elf = get_copy(&in, &build->elf_size);
    build->bitcode = get_copy(&in, &build->bitcode_size);
    bool whole = build->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? build->elf != NULL : build->bitcode != NULL;
    return !in.failed && whole && in.at == in.end;
}
