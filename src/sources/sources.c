#include "sources/sources.h"

#include "base/file.h"

#include <string.h>
#include <zlib.h>

enum {
    VERSION = 1,
    LEAST_FILE_BYTES = 14, /* as packed */
    MOST_RATIO = 1040,     /* zlib's own limit is 1032 */
    MOST_BYTES = 1 << 28,
};

/* ---- writing ---- */

static void pack_files(const struct cy_cc_options *options, const struct cy_source_file *files, size_t count,
                       struct cy_buf *out)
{
    cy_pack(out, options->optimize ? 2 : 0);
    cy_pack(out, options->sgprs);
    cy_pack(out, options->vgprs);
    cy_pack(out, options->arg_count);
    for (size_t i = 0; i < options->arg_count; i++)
        cy_pack_text(out, options->args[i]);
    cy_pack(out, count);
    for (size_t i = 0; i < count; i++) {
        cy_pack(out, files[i].kind);
        cy_pack_text(out, files[i].name);
        cy_pack_bytes(out, files[i].text, files[i].size);
    }
}

void cy_sources_pack(const struct cy_cc_options *options, const struct cy_source_file *files, size_t count,
                     struct cy_buf *note)
{
    struct cy_buf plain = {0};
    pack_files(options, files, count, &plain);
    uLongf size = compressBound(plain.size);
    cy_pack(note, VERSION);
    cy_pack(note, plain.size);
    cy_buf_reserve(note, size);
    /* the lasting copy is small: the level is the best one */
    if (plain.size > MOST_BYTES || compress2((Bytef *)note->data + note->size, &size, (const Bytef *)plain.data,
                                             plain.size, Z_BEST_COMPRESSION) != Z_OK)
        note->size = 0;
    else
        note->size += size;
    cy_buf_free(&plain);
}

/* ---- reading ---- */

static bool expand(struct cy_unpack *in, struct cy_buf *out)
{
    const bool is_known = cy_unpack(in) == VERSION;
    uLongf size = cy_unpack_at_most(in, MOST_BYTES);
    const size_t packed = (size_t)(in->end - in->at);
    const uLongf expected = size;
    if (in->failed || !is_known || size / MOST_RATIO > packed)
        return false;
    cy_buf_reserve(out, size);
    const int error = uncompress((Bytef *)out->data, &size, in->at, packed);
    if (error == Z_MEM_ERROR)
        cy_mem_fail();
    out->size = size;
    return error == Z_OK && size == expected;
}

static bool unpack_files(struct cy_sources *sources)
{
    const unsigned char *bytes = (const unsigned char *)sources->bytes.data;
    struct cy_unpack in = {bytes, bytes + sources->bytes.size, false};
    sources->optimize = cy_unpack_at_most(&in, 2);
    sources->sgprs = cy_unpack(&in);
    sources->vgprs = cy_unpack(&in);
    const size_t args = cy_unpack_count(&in, sizeof(uint32_t) + 1);
    for (size_t i = 0; i < args; i++)
        *cy_vec_push(&sources->args) = cy_unpack_text(&in);
    const size_t files = cy_unpack_count(&in, LEAST_FILE_BYTES);
    for (size_t i = 0; i < files; i++) {
        struct cy_source_file *file = cy_vec_push(&sources->files);
        file->kind = (enum cy_source_kind)cy_unpack_at_most(&in, CY_SOURCE_FILE);
        file->name = cy_unpack_text(&in);
        file->text = (const char *)cy_unpack_bytes(&in, &file->size);
        in.failed |= !*file->name || (file->kind == CY_SOURCE_PROGRAM) != !i;
    }
    return !in.failed && in.at == in.end && files;
}

bool cy_sources_read(struct cy_sources *sources, const struct cy_object *object)
{
    struct cy_note note;
    *sources = (struct cy_sources){0};
    if (cy_note_find(object, CY_NOTE_SOURCE, &note) && expand(&note.bytes, &sources->bytes) && unpack_files(sources))
        return true;
    cy_sources_free(sources);
    return false;
}

void cy_sources_free(struct cy_sources *sources)
{
    cy_vec_free(&sources->args);
    cy_vec_free(&sources->files);
    cy_buf_free(&sources->bytes);
    *sources = (struct cy_sources){0};
}

/* ---- using ---- */

static const char *without_dot(const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return name;
}

/* How much of the path's end the name is; 0: it is not. */
static size_t match(const char *path, const char *name)
{
    path = without_dot(path);
    name = without_dot(name);
    const size_t size = strlen(path), length = strlen(name);
    if (length > size || strcmp(path + size - length, name) != 0)
        return 0;
    return length == size || path[size - length - 1] == '/' ? length : 0;
}

const struct cy_source_file *cy_sources_find(const struct cy_sources *sources, const char *path)
{
    const struct cy_source_file *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < sources->files.count; i++) {
        const struct cy_source_file *file = &sources->files.at[i];
        const size_t length = match(path, file->name);
        if (length > most && !memchr(file->text, 0, file->size)) {
            most = length;
            best = file;
        }
    }
    return best;
}

bool cy_sources_text(const struct cy_sources *sources, const char *path, struct cy_buf *text)
{
    const struct cy_source_file *file = cy_sources_find(sources, path);
    if (file) {
        cy_buf_append(text, file->text, file->size);
        return true;
    }
    struct cy_diags unheard = {0};
    const bool ok = cy_file_read(path, text, &unheard);
    cy_diags_free(&unheard);
    return ok;
}

static bool is_for_tool(const char *arg)
{
    return !strcmp(arg, "-g") || !strcmp(arg, CY_CC_LINE_TABLES) || !strcmp(arg, CY_CC_CHECK) ||
           !strcmp(arg, CY_CC_DEBUG);
}

void cy_sources_options(const struct cy_sources *sources, const char *const *more, size_t count, const char *directory,
                        struct cy_arena *arena, struct cy_cc_options *options)
{
    const char **args = cy_arena_alloc(arena, (count + sources->args.count + 1) * sizeof(*args));
    struct cy_cc_header *headers = cy_arena_alloc(arena, (sources->files.count + 1) * sizeof(*headers));
    *options = (struct cy_cc_options){.args = args,
                                      .headers = headers,
                                      .optimize = (int)sources->optimize,
                                      .sgprs = sources->sgprs,
                                      .vgprs = sources->vgprs};
    for (size_t i = 0; i < count; i++)
        args[options->arg_count++] = more[i];
    for (size_t i = 0; i < sources->args.count; i++)
        if (!is_for_tool(sources->args.at[i]))
            args[options->arg_count++] = sources->args.at[i];
    for (size_t i = 1; i < sources->files.count; i++) {
        const struct cy_source_file *file = &sources->files.at[i];
        const bool is_relative = file->kind == CY_SOURCE_FILE && *file->name != '/';
        headers[options->header_count++] = (struct cy_cc_header){
            is_relative ? cy_arena_printf(arena, "%s/%s", directory, file->name) : file->name, file->text, file->size};
    }
}
