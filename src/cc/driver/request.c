#include "cc/driver/request.h"

#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

static void put_text(struct cy_buf *out, const char *text)
{
    cy_pack_text(out, text ? text : "");
}

/* A string that may be NULL. */
static void put_choice(struct cy_buf *out, const char *text)
{
    cy_pack(out, text != NULL);
    put_text(out, text);
}

static void put_headers(struct cy_buf *out, const struct cy_cc_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_text(out, headers[i].name);
        cy_pack_bytes(out, headers[i].text, headers[i].size);
    }
}

_Static_assert(sizeof(void *) != 8 || sizeof(struct cy_cc_options) == 112, "a new option must be packed, below");

static void put_request(struct cy_buf *out, const struct cc_request *request)
{
    const struct cy_cc_options *options = &request->options;
    cy_pack(out, request->translates);
    cy_pack(out, options->arg_count);
    cy_pack(out, options->header_count);
    cy_pack(out, options->part_count);
    cy_pack(out, request->file_count);
    cy_pack(out, request->seconds);
    cy_pack(out, options->optimize != 0);
    cy_pack(out, options->want_assembly);
    cy_pack(out, options->compile_only);
    cy_pack(out, options->is_ir);
    cy_pack(out, options->time_passes);
    cy_pack(out, options->sgprs);
    cy_pack(out, options->vgprs);
    cy_pack(out, options->generation);
    cy_pack(out, request->source != NULL);
    put_choice(out, options->dump);
    put_choice(out, options->stop_after);
    put_choice(out, options->run_pass);
    put_text(out, options->library_dir);
    put_text(out, request->name);
    put_text(out, request->clang);
    put_text(out, request->clang_header);
    put_text(out, request->directory);
    put_text(out, request->fault);
    cy_pack_bytes(out, request->source, request->source ? request->size : 0);
    for (size_t i = 0; i < options->arg_count; i++)
        put_text(out, options->args[i]);
    put_headers(out, options->headers, options->header_count);
    put_headers(out, request->files, request->file_count);
    for (size_t i = 0; i < options->part_count; i++)
        cy_pack_bytes(out, options->parts[i].bitcode, options->parts[i].size);
}

struct packing {
    const struct cc_request *request;
    struct cy_buf bytes;
};

static void pack(void *argument)
{
    struct packing *packing = argument;
    put_request(&packing->bytes, packing->request);
}

unsigned char *cc_request_pack(const struct cc_request *request, size_t *size)
{
    struct packing packing = {.request = request};
    if (!cy_mem_try(pack, &packing))
        return NULL;
    if (packing.bytes.size > UINT32_MAX) /* lengths have 32 bits */
        cy_buf_free(&packing.bytes);
    *size = packing.bytes.size;
    return (unsigned char *)packing.bytes.data;
}

/* ---- unpacking ---- */

static const char *get_bytes(struct cy_unpack *in, size_t *size)
{
    return (const char *)cy_unpack_bytes(in, size);
}

static const char *get_choice(struct cy_unpack *in)
{
    bool there = cy_unpack(in) != 0;
    const char *text = cy_unpack_text(in);
    return there ? text : NULL;
}

static void get_headers(struct cy_unpack *in, struct cy_cc_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        headers[i].name = cy_unpack_text(in);
        headers[i].text = get_bytes(in, &headers[i].size);
    }
}

bool cc_request_unpack(struct cc_request *request, void **arrays, const unsigned char *bytes, size_t size)
{
    enum { LEAST = 5 }; /* size of an empty string */
    struct cy_unpack in = {bytes, bytes + size, false};
    struct cy_cc_options *options = &request->options;
    *request = (struct cc_request){0};
    *arrays = NULL;
    request->translates = cy_unpack(&in) != 0;
    options->arg_count = cy_unpack_count(&in, LEAST);
    options->header_count = cy_unpack_count(&in, 2 * LEAST);
    options->part_count = cy_unpack_count(&in, LEAST);
    request->file_count = cy_unpack_count(&in, 2 * LEAST);
    size_t headers = options->header_count + request->file_count;
    char *memory = malloc(1 + options->arg_count * sizeof(*options->args) + headers * sizeof(*options->headers) +
                          options->part_count * sizeof(*options->parts));
    if (!memory || in.failed) {
        free(memory);
        return false;
    }
    *arrays = memory;
    struct cy_cc_header *header = (struct cy_cc_header *)(void *)memory;
    struct cy_cc_part *part = (struct cy_cc_part *)(header + headers);
    const char **arg = (const char **)(part + options->part_count);
    options->headers = header;
    options->parts = part;
    options->args = arg;
    request->files = header + options->header_count;
    request->seconds = cy_unpack(&in);
    options->optimize = cy_unpack(&in) ? 2 : 0;
    options->want_assembly = cy_unpack(&in) != 0;
    options->compile_only = cy_unpack(&in) != 0;
    options->is_ir = cy_unpack(&in) != 0;
    options->time_passes = cy_unpack(&in) != 0;
    options->sgprs = cy_unpack(&in);
    options->vgprs = cy_unpack(&in);
    options->generation = cy_unpack(&in);
    bool has_source = cy_unpack(&in) != 0;
    options->dump = get_choice(&in);
    options->stop_after = get_choice(&in);
    options->run_pass = get_choice(&in);
    options->library_dir = cy_unpack_text(&in);
    request->name = cy_unpack_text(&in);
    request->clang = cy_unpack_text(&in);
    request->clang_header = cy_unpack_text(&in);
    request->directory = cy_unpack_text(&in);
    request->fault = cy_unpack_text(&in);
    request->source = get_bytes(&in, &request->size);
    request->source = has_source ? request->source : NULL;
    for (size_t i = 0; i < options->arg_count; i++)
        arg[i] = cy_unpack_text(&in);
    get_headers(&in, header, headers);
    for (size_t i = 0; i < options->part_count; i++)
        part[i].bitcode = get_bytes(&in, &part[i].size);
    if (!in.failed && in.at == in.end)
        return true;
    free(memory);
    *arrays = NULL;
    return false;
}
