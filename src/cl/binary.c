/* Program binaries: a header with the digest of the rest, the description of the kernels, the ELF file, the bitcode.
 *
 * The digest finds damage; it does not make a file trustworthy, so every field is checked as well.  That the ELF file
 * has the kernels that are described is checked where it is loaded: cy_cl_build_load. */
#include "cl/cl_priv.h"

#include "base/pack.h"
#include "base/sha256.h"
#include "cc/driver/result.h"

static const char magic[8] = "CYCLBIN5"; /* the digit changes with the format */
enum { FAMILY = 7 };                     /* characters of it that all versions have */

struct header {
    char magic[8];
    struct cy_digest content; /* of everything after the header */
};

/* ---- the description ---- */

static void write_kernel(const struct cy_cl_kernel_info *kernel, struct cy_buf *out)
{
    cy_pack_text(out, kernel->name);
    cy_pack(out, kernel->local_bytes);
    cy_pack(out, kernel->private_bytes);
    for (int d = 0; d < 3; d++)
        cy_pack(out, kernel->reqd_size[d]);
    cy_pack(out, kernel->observes_workgroup);
    cy_pack(out, kernel->may_spin);
    cy_pack_text(out, kernel->attributes);
    cy_pack(out, kernel->argument_count);
    for (size_t a = 0; a < kernel->argument_count; a++)
        cc_argument_save(&kernel->arguments[a], out);
}

static void write_description(const struct cy_cl_build *build, struct cy_buf *out)
{
    cy_pack(out, build->type);
    cy_pack(out, build->uniform);
    cy_pack(out, build->kernel_count);
    for (size_t i = 0; i < build->kernel_count; i++)
        write_kernel(&build->kernels[i], out);
}

static const char *keep(struct cy_arena *arena, const char *text)
{
    return cy_arena_strndup(arena, text, strlen(text));
}

static void read_kernel(struct cy_cl_build *build, struct cy_unpack *in, struct cy_cl_kernel_info *kernel)
{
    kernel->name = keep(&build->arena, cy_unpack_text(in));
    kernel->local_bytes = cy_unpack(in);
    kernel->private_bytes = cy_unpack(in);
    for (int d = 0; d < 3; d++)
        kernel->reqd_size[d] = cy_unpack(in);
    kernel->observes_workgroup = cy_unpack_bool(in);
    kernel->may_spin = cy_unpack_bool(in);
    kernel->attributes = keep(&build->arena, cy_unpack_text(in));
    kernel->argument_count = cy_unpack_count(in, 30);
    kernel->arguments = cy_arena_alloc(&build->arena, (kernel->argument_count + 1) * sizeof(*kernel->arguments));
    for (size_t a = 0; a < kernel->argument_count; a++) {
        kernel->arguments[a] = cc_argument_load(in);
        kernel->arguments[a].name = keep(&build->arena, kernel->arguments[a].name);
        kernel->arguments[a].type = keep(&build->arena, kernel->arguments[a].type);
    }
    in->failed |= !cc_kernel_is_sound(kernel->name, kernel->reqd_size, kernel->arguments, kernel->argument_count);
}

static void read_description(struct cy_cl_build *build, struct cy_unpack *in)
{
    build->type = cy_unpack_at_most(in, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    build->uniform = cy_unpack_bool(in);
    build->kernel_count = cy_unpack_count(in, 32);
    build->kernels = cy_arena_alloc(&build->arena, (build->kernel_count + 1) * sizeof(*build->kernels));
    for (size_t i = 0; i < build->kernel_count && !in->failed; i++)
        read_kernel(build, in, &build->kernels[i]);
}

/* ---- the file ---- */

void cy_cl_binary_write(const struct cy_cl_build *build, struct cy_buf *out)
{
    struct header header;
    size_t start = out->size;
    memcpy(header.magic, magic, sizeof(magic));
    cy_buf_append(out, &header, sizeof(header));
    write_description(build, out);
    cy_pack_bytes(out, build->elf, build->elf_size);
    cy_pack_bytes(out, build->bitcode, build->bitcode_size);
    header.content = cy_sha256(out->data + start + sizeof(header), out->size - start - sizeof(header));
    memcpy(out->data + start, &header, sizeof(header));
}

/* The compiler gives an executable or bitcode, and describes kernels only with the former. */
static bool is_whole(const struct cy_cl_build *build)
{
    static const unsigned char bitcode[4] = {'B', 'C', 0xc0, 0xde};
    switch (build->type) {
    case CL_PROGRAM_BINARY_TYPE_EXECUTABLE: return build->elf && !build->bitcode;
    case CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT:
    case CL_PROGRAM_BINARY_TYPE_LIBRARY:
        return !build->elf && !build->kernel_count && build->bitcode_size >= sizeof(bitcode) &&
               !memcmp(build->bitcode, bitcode, sizeof(bitcode));
    default: return false;
    }
}

static unsigned char *get_copy(struct cy_unpack *in, size_t *size)
{
    unsigned char *copy = cy_unpack_copy(in, size);
    if (*size)
        return copy;
    cy_free(copy);
    return NULL;
}

const char *cy_cl_binary_read(struct cy_cl_build *build, const unsigned char *bytes, size_t size)
{
    struct header header;
    if (size >= FAMILY && !memcmp(bytes, magic, FAMILY) && (size == FAMILY || bytes[FAMILY] != magic[FAMILY]))
        return "it is of another version of Chengying: build the program from its source again";
    if (size < sizeof(header) || memcmp(bytes, magic, sizeof(magic)) != 0)
        return "it is no binary of Chengying";
    memcpy(&header, bytes, sizeof(header));
    struct cy_unpack in = {bytes + sizeof(header), bytes + size, false};
    struct cy_digest content = cy_sha256(in.at, size - sizeof(header));
    if (memcmp(&content, &header.content, sizeof(content)) != 0)
        return "it is damaged: its checksum is wrong";
    read_description(build, &in);
    build->elf = get_copy(&in, &build->elf_size);
    build->bitcode = get_copy(&in, &build->bitcode_size);
    return !in.failed && in.at == in.end && is_whole(build) ? NULL : "it describes no program";
}
