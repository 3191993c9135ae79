#include "cc/request.h"

#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

/* Written twice: first to measure, then into memory.  The form is that of base/pack.h. */
struct writer {
    unsigned char *to; /* NULL: measure */
    size_t size;
    bool is_too_large;
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
    if (writer->to && size)
        memcpy(writer->to + writer->size, bytes, size);
    writer->size += size;
}

static void put_number(struct writer *writer, size_t number)
{
    uint32_t word = (uint32_t)number;
    writer->is_too_large |= number > UINT32_MAX;
    put(writer, &word, sizeof(word));
}

static void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
    put_number(writer, size);
    put(writer, bytes, size);
    put(writer, "", 1);
}

static void put_text(struct writer *writer, const char *text)
{
    put_bytes(writer, text ? text : "", text ? strlen(text) : 0);
}

/* One that may be NULL. */
static void put_choice(struct writer *writer, const char *text)
{
    put_number(writer, text != NULL);
    put_text(writer, text);
}

static void put_headers(struct writer *writer, const struct cy_cc_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_text(writer, headers[i].name);
        put_bytes(writer, headers[i].text, headers[i].size);
    }
}

_Static_assert(sizeof(void *) != 8 || sizeof(struct cy_cc_options) == 112, "a new option must be packed, below");

static void put_request(struct writer *writer, const struct cc_request *request)
{
    const struct cy_cc_options *options = &request->options;
    put_number(writer, options->arg_count);
    put_number(writer, options->header_count);
    put_number(writer, options->part_count);
    put_number(writer, request->file_count);
    put_number(writer, request->seconds);
    put_number(writer, options->optimize != 0);
    put_number(writer, options->want_assembly);
    put_number(writer, options->compile_only);
    put_number(writer, options->is_ir);
    put_number(writer, options->time_passes);
    put_number(writer, options->sgprs);
    put_number(writer, options->vgprs);
    put_number(writer, request->source != NULL);
    put_choice(writer, options->dump);
    put_choice(writer, options->stop_after);
    put_choice(writer, options->run_pass);
    put_text(writer, options->library_dir);
    put_text(writer, request->name);
    put_text(writer, request->clang);
    put_text(writer, request->clang_header);
    put_text(writer, request->directory);
    put_text(writer, request->fault);
    put_bytes(writer, request->source, request->source ? request->size : 0);
    for (size_t i = 0; i < options->arg_count; i++)
        put_text(writer, options->args[i]);
    put_headers(writer, options->headers, options->header_count);
    put_headers(writer, request->files, request->file_count);
    for (size_t i = 0; i < options->part_count; i++)
        put_bytes(writer, options->parts[i].bitcode, options->parts[i].size);
}

unsigned char *cc_request_pack(const struct cc_request *request, size_t *size)
{
    struct writer writer = {0};
    put_request(&writer, request);
    if (writer.is_too_large || !(writer.to = malloc(writer.size)))
        return NULL;
    writer.size = 0;
    put_request(&writer, request);
    *size = writer.size;
    return writer.to;
}

/* ---- and back ---- */

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
    enum { LEAST = 5 }; /* bytes of an empty text */
    struct cy_unpack in = {bytes, bytes + size, false};
    struct cy_cc_options *options = &request->options;
    *request = (struct cc_request){0};
    *arrays = NULL;
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
