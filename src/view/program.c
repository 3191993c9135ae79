/* A program as the viewer shows it: the text of its sources, and every instruction with its function and line. */
#include "view/view_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "isa/isa.h"
#include "obj/lines.h"
#include "obj/obj.h"
#include "sources/sources.h"

struct listing {
    struct cy_json json;
    const struct cy_view_info *info;
    const struct cy_object *object;
    const struct cy_lines *lines; /* NULL: none */
    CY_VEC(char *) paths;         /* of sources, in order of appearance */
    CY_VEC(const struct cy_symbol *) functions;
};

static int by_address(const void *a, const void *b)
{
    const struct cy_symbol *left = *(const struct cy_symbol *const *)a, *right = *(const struct cy_symbol *const *)b;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    return (left->type != CY_STT_FUNC) - (right->type != CY_STT_FUNC);
}

static void put_functions(struct listing *listing)
{
    struct cy_json *json = &listing->json;
    for (size_t i = 0; i < listing->object->symbols.count; i++) {
        const struct cy_symbol *symbol = &listing->object->symbols.at[i];
        if (symbol->section != CY_SHN_UNDEF && symbol->section < CY_SHN_ABS && *symbol->name &&
            strncmp(symbol->name, ".L", 2) != 0 && (symbol->type == CY_STT_FUNC || symbol->type == CY_STT_NOTYPE))
            *cy_vec_push(&listing->functions) = symbol;
    }
    if (listing->functions.count)
        qsort(listing->functions.at, listing->functions.count, sizeof(listing->functions.at[0]), by_address);
    cy_json_key(json, "functions");
    cy_json_begin(json, '[');
    for (size_t i = 0; i < listing->functions.count; i++) {
        const struct cy_symbol *symbol = listing->functions.at[i];
        if (i && listing->functions.at[i - 1]->value == symbol->value)
            continue;
        cy_json_begin(json, '[');
        cy_json_uint(json, symbol->value);
        cy_json_string(json, symbol->name);
        cy_json_end(json);
    }
    cy_json_end(json);
}

/* The number of the source in which the line is, from 0; -1: unknown. */
static int64_t file_of(struct listing *listing, const struct cy_line_row *line)
{
    struct cy_buf path = {0};
    size_t at = 0;
    if (!line || !line->line || line->file == UINT32_MAX)
        return -1;
    cy_lines_path(listing->lines, line, &path);
    while (at < listing->paths.count && strcmp(listing->paths.at[at], path.data) != 0)
        at++;
    if (at == listing->paths.count)
        *cy_vec_push(&listing->paths) = path.data;
    else
        cy_buf_free(&path);
    return (int64_t)at;
}

static void put_row(struct listing *listing, uint32_t pc, const char *text, uint32_t size)
{
    struct cy_json *json = &listing->json;
    const struct cy_line_row *line = listing->lines ? cy_lines_find(listing->lines, pc) : NULL;
    const int64_t file = file_of(listing, line);
    cy_json_begin(json, '[');
    cy_json_uint(json, pc);
    cy_json_uint(json, size);
    cy_json_string(json, text);
    cy_json_int(json, file);
    cy_json_uint(json, file < 0 ? 0 : line->line);
    cy_json_end(json);
}

/* The instructions of an executable segment; words that are none, such as padding, are left out. */
static void put_segment(struct listing *listing, const struct cy_segment *segment)
{
    const enum cy_target target = listing->object->flags & CY_EF_VENTUS_GEN2 ? CY_GEN2 : CY_GEN1;
    const size_t count = segment->file_size / 4;
    uint32_t *words = cy_xrealloc(NULL, (count + 1) * sizeof(words[0]));
    memcpy(words, segment->data, count * 4);
    for (size_t word = 0; word < count;) {
        struct cy_insn insn;
        struct cy_buf text = {0};
        const uint32_t pc = segment->address + 4 * (uint32_t)word;
        if (cy_decode(target, words + word, count - word, &insn) != CY_DECODE_OK) {
            word++;
            continue;
        }
        cy_print(&text, target, &insn, pc + insn.size - 4, CY_PRINT_CSR_NAMES);
        for (char *at = text.data; at && *at; at++)
            *at = *at == '\t' ? ' ' : *at;
        put_row(listing, pc, text.data ? text.data : "", insn.size);
        cy_buf_free(&text);
        word += insn.size / 4;
    }
    cy_free(words);
}

/* What the host program passed to clCreateProgramWithSource has this name. */
static bool is_source(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, "<source>");
}

static void put_sources(struct listing *listing, const struct cy_sources *sources)
{
    struct cy_json *json = &listing->json;
    cy_json_key(json, "files");
    cy_json_begin(json, '[');
    for (size_t i = 0; i < listing->paths.count; i++) {
        struct cy_buf text = {0};
        bool known = true;
        if (listing->info->source && is_source(listing->paths.at[i]))
            cy_buf_puts(&text, listing->info->source);
        else
            known = cy_sources_text(sources, listing->paths.at[i], &text);
        cy_json_begin(json, '{');
        cy_json_key(json, "path");
        cy_json_string(json, listing->paths.at[i]);
        cy_json_key(json, "text");
        if (known)
            cy_json_bytes(json, text.data ? text.data : "", text.size);
        else
            cy_json_null(json);
        cy_json_end(json);
        cy_buf_free(&text);
    }
    cy_json_end(json);
}

void view_program(struct cy_buf *out, const struct cy_view_info *info)
{
    struct cy_object object;
    struct cy_lines lines = {0};
    struct cy_diags unheard = {0};
    struct listing listing = {.json = {.out = out}, .info = info, .object = &object};
    cy_json_begin(&listing.json, '{');
    cy_json_key(&listing.json, "name");
    cy_json_string(&listing.json, info->name);
    if (cy_object_read(&object, info->name, info->elf, info->elf_size, &unheard)) {
        listing.lines = cy_lines_read(&lines, &object) ? &lines : NULL;
        put_functions(&listing);
        cy_json_key(&listing.json, "rows");
        cy_json_begin(&listing.json, '[');
        for (size_t i = 0; i < object.segments.count; i++)
            if (object.segments.at[i].flags & 1 && object.segments.at[i].data)
                put_segment(&listing, &object.segments.at[i]);
        cy_json_end(&listing.json);
        struct cy_sources sources;
        cy_sources_read(&sources, &object);
        put_sources(&listing, &sources);
        cy_sources_free(&sources);
        cy_lines_free(&lines);
        cy_object_free(&object);
    }
    cy_json_end(&listing.json);
    for (size_t i = 0; i < listing.paths.count; i++)
        cy_free(listing.paths.at[i]);
    cy_vec_free(&listing.paths);
    cy_vec_free(&listing.functions);
    cy_diags_free(&unheard);
}
