/* Program binaries: a header, the description of the kernels, then the ELF file or the bitcode.  All numbers are 32 bits,
 * little endian; texts carry their length and a closing zero.  A binary of another version is refused. */
#include "cl/cl_priv.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "binaries are written as the host has them");

static const char magic[8] = "CYCLBIN1";

static void put(struct cy_buf *out, size_t number)
{
    uint32_t word = (uint32_t)number;
    cy_buf_append(out, &word, sizeof(word));
}

static void put_bytes(struct cy_buf *out, const void *bytes, size_t size)
{
    put(out, size);
    if (size)
        cy_buf_append(out, bytes, size);
    cy_buf_putc(out, 0);
}

void cy_cl_binary_write(const struct cy_cl_build *build, struct cy_buf *out)
{
    cy_buf_append(out, magic, sizeof(magic));
    put(out, build->type);
    put(out, build->uniform);
    put(out, build->kernel_count);
    for (size_t i = 0; i < build->kernel_count; i++) {
        const struct cy_cl_kernel_info *kernel = &build->kernels[i];
        put_bytes(out, kernel->name, strlen(kernel->name));
        put(out, kernel->local_bytes);
        put(out, kernel->private_bytes);
        for (int d = 0; d < 3; d++)
            put(out, kernel->reqd_size[d]), put(out, kernel->hint_size[d]);
        put(out, kernel->argument_count);
        for (size_t a = 0; a < kernel->argument_count; a++) {
            const struct cy_cc_argument *argument = &kernel->arguments[a];
            put_bytes(out, argument->name, strlen(argument->name));
            put_bytes(out, argument->type, strlen(argument->type));
            put(out, argument->address);
            put(out, argument->qualifiers);
            put(out, argument->size);
            put(out, argument->align);
            put(out, argument->is_pointer);
        }
    }
    put_bytes(out, build->elf, build->elf_size);
    put_bytes(out, build->bitcode, build->bitcode_size);
}

struct reader {
    const unsigned char *at, *end;
    bool failed;
};

static uint32_t get(struct reader *reader)
{
    uint32_t word = 0;
    if ((size_t)(reader->end - reader->at) < sizeof(word)) {
        reader->failed = true;
        return 0;
    }
    memcpy(&word, reader->at, sizeof(word));
    reader->at += sizeof(word);
    return word;
}

/* A count of things that take at least `least` bytes each: no more than can be there. */
static size_t get_count(struct reader *reader, size_t least)
{
    uint32_t count = get(reader);
    if (count > (size_t)(reader->end - reader->at) / least) {
        reader->failed = true;
        return 0;
    }
    return count;
}

static const unsigned char *get_bytes(struct reader *reader, size_t *size)
{
    const unsigned char *bytes;
    *size = get_count(reader, 1);
    bytes = reader->at;
    if (reader->failed || (size_t)(reader->end - reader->at) <= *size || bytes[*size]) {
        reader->failed = true;
        *size = 0;
        return (const unsigned char *)"";
    }
    reader->at += *size + 1;
    return bytes;
}

static const char *get_text(struct reader *reader, struct cy_arena *arena)
{
    size_t size;
    const unsigned char *bytes = get_bytes(reader, &size);
    return cy_arena_strndup(arena, (const char *)bytes, strlen((const char *)bytes));
}

static void read_kernel(struct cy_cl_build *build, struct reader *reader, struct cy_cl_kernel_info *kernel)
{
    kernel->name = get_text(reader, &build->arena);
    kernel->local_bytes = get(reader);
    kernel->private_bytes = get(reader);
    for (int d = 0; d < 3; d++)
        kernel->reqd_size[d] = get(reader), kernel->hint_size[d] = get(reader);
    kernel->argument_count = get_count(reader, 30);
    kernel->arguments = cy_arena_alloc(&build->arena, (kernel->argument_count + 1) * sizeof(*kernel->arguments));
    for (size_t a = 0; a < kernel->argument_count; a++) {
        struct cy_cc_argument *argument = &kernel->arguments[a];
        argument->name = get_text(reader, &build->arena);
        argument->type = get_text(reader, &build->arena);
        argument->address = (enum cy_cc_address)(get(reader) & 3);
        argument->qualifiers = get(reader);
        argument->size = get(reader);
        argument->align = get(reader);
        argument->is_pointer = get(reader) != 0;
        reader->failed |= !argument->align || (argument->align & (argument->align - 1)) || argument->align > 4096;
    }
}

static unsigned char *get_copy(struct reader *reader, size_t *size)
{
    const unsigned char *bytes = get_bytes(reader, size);
    unsigned char *copy = *size ? cy_xrealloc(NULL, *size) : NULL;
    if (copy)
        memcpy(copy, bytes, *size);
    return copy;
}

bool cy_cl_binary_read(struct cy_cl_build *build, const unsigned char *bytes, size_t size)
{
    struct reader reader = {bytes + sizeof(magic), bytes + size, false};
    if (size < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)) != 0)
        return false;
    build->type = get(&reader);
    build->uniform = get(&reader) != 0;
    build->kernel_count = get_count(&reader, 32);
    build->kernels = cy_arena_alloc(&build->arena, (build->kernel_count + 1) * sizeof(*build->kernels));
    for (size_t i = 0; i < build->kernel_count && !reader.failed; i++)
        read_kernel(build, &reader, &build->kernels[i]);
    build->elf = get_copy(&reader, &build->elf_size);
    build->bitcode = get_copy(&reader, &build->bitcode_size);
    bool whole = build->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? build->elf != NULL : build->bitcode != NULL;
    return !reader.failed && whole && reader.at == reader.end;
}
