/* Reports: counted by place, the first ones shown in full, as text on standard error and as JSON or SARIF in the log. */
#define _POSIX_C_SOURCE 200809L
#include "check/check_priv.h"

#include "base/file.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct kind_info kinds[K_COUNT] = {
#define KIND(name, id, tool, severity, title) [K_##name] = {id, title, CY_CHECK_##tool, severity},
    KINDS(KIND)
#undef KIND
};

static char *copy_text(const char *text)
{
    char *copy = cy_try_alloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* ---- the program's lines ---- */

static int by_pc(const void *left, const void *right)
{
    const struct inlined *a = left, *b = right;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* The compiler's lines "I function offset ...". */
static void read_inlined(struct program *program)
{
    const struct cy_section *section = cy_object_find_section(&program->object, CY_CHECK_SECTION);
    const char *at = section ? section->data.data : NULL, *end = at ? at + section->data.size : NULL;
    for (const char *next; at && at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        char name[256];
        uint32_t offset;
        int used = 0;
        next = stop ? stop + 1 : end;
        if (*at != 'I' || sscanf(at, "I %255s %" SCNu32 "%n", name, &offset, &used) != 2)
            continue;
        for (size_t i = 0; i < program->object.symbols.count; i++) {
            const struct cy_symbol *symbol = &program->object.symbols.at[i];
            if (!symbol->section || symbol->type != CY_STT_FUNC || strcmp(symbol->name, name) != 0)
                continue;
            const size_t length = (size_t)((stop ? stop : end) - at) - (size_t)used;
            char *calls = cy_xrealloc(NULL, length + 1);
            memcpy(calls, at + used, length);
            calls[length] = 0;
            *cy_vec_push(&program->inlined) = (struct inlined){symbol->value + offset, calls};
            break;
        }
    }
    if (program->inlined.count)
        qsort(program->inlined.at, program->inlined.count, sizeof(program->inlined.at[0]), by_pc);
}

static void read_program(void *argument)
{
    struct program *program = argument;
    if (!cy_object_read(&program->object, "program", program->elf, program->size, &program->diags))
        return;
    program->is_read = true;
    program->has_lines = cy_lines_read(&program->lines, &program->object);
    cy_sources_read(&program->sources, &program->object);
    read_inlined(program);
}

void program_read(struct program *program)
{
    if (!cy_mem_try(read_program, program)) {
        program->is_read = program->has_lines = false;
        program->sources = (struct cy_sources){0};
    }
}

void program_free(struct program *program)
{
    if (program->has_lines)
        cy_lines_free(&program->lines);
    if (program->is_read)
        cy_object_free(&program->object);
    cy_sources_free(&program->sources);
    for (size_t i = 0; i < program->inlined.count; i++)
        cy_free(program->inlined.at[i].calls);
    cy_vec_free(&program->inlined);
    cy_diags_free(&program->diags);
}

/* ---- one report ---- */

struct place {
    struct cy_buf path;
    uint32_t line, column; /* from 1; 0: not known */
    struct cy_buf text;    /* the source line */
    const char *calls;     /* of inlined functions, as in struct inlined; NULL: none */
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The column of a name in the line, as a word; otherwise of the first character. */
static uint32_t find_column(const char *text, const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    for (const char *at = text; length && (at = strstr(at, name)); at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return (uint32_t)(at - text) + 1;
    return (uint32_t)strspn(text, " \t") + 1;
}

/* The compiler's column; of an assignment it is the operator, and the name before it is a better place. */
static uint32_t choose_column(const char *text, const char *name, uint32_t column)
{
    if (!column || column > strlen(text))
        return find_column(text, name);
    if (is_word(text[column - 1]) || text[column - 1] == '*')
        return column;
    const size_t length = name ? strlen(name) : 0;
    for (uint32_t at = column; length && at-- > 0;)
        if (!strncmp(text + at, name, length) && (!at || !is_word(text[at - 1])) && !is_word(text[at + length]))
            return at + 1;
    return column;
}

static const char *find_calls(const struct program *program, uint32_t pc)
{
    const char *calls = NULL;
    for (size_t i = 0; i < program->inlined.count && program->inlined.at[i].pc <= pc; i++)
        calls = program->inlined.at[i].calls;
    return calls && *calls ? calls : NULL;
}

static void take_line(const char *source, size_t size, uint32_t line, struct cy_buf *out)
{
    const char *at = source, *end = source + size;
    while (--line && at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    cy_buf_append(out, at, (size_t)((stop ? stop : end) - at));
    while (out->size && (out->data[out->size - 1] == '\r'))
        out->data[--out->size] = 0;
}

static void locate(const struct cy_check_launch *l, uint32_t pc, const struct object *object, struct place *place)
{
    const struct cy_line_row *row = l->program.has_lines && pc ? cy_lines_find(&l->program.lines, pc) : NULL;
    struct cy_buf file = {0};
    if (!row || !row->line)
        return;
    place->line = row->line;
    cy_lines_path(&l->program.lines, row, &place->path);
    if (l->info.source) {
        take_line(l->info.source, strlen(l->info.source), row->line, &place->text);
    } else if (cy_sources_text(&l->program.sources, place->path.data, &file)) {
        take_line(file.data ? file.data : "", file.size, row->line, &place->text);
    }
    cy_buf_free(&file);
    if (place->text.size)
        place->column = choose_column(place->text.data, object ? object->name : NULL, row->column);
    else
        place->column = row->column;
    place->calls = find_calls(&l->program, pc);
}

static void free_place(struct place *place)
{
    cy_buf_free(&place->path);
    cy_buf_free(&place->text);
}

struct who {
    uint32_t global[3], local[3], group[3], warp, lane;
    bool is_async;
};
static bool identify(const struct cy_check_launch *l, uint32_t item, struct who *who)
{
    if (!item || !l->is_known)
        return false;
    const uint32_t group = (item - 1) >> l->shift, local = (item - 1) & ((1u << l->shift) - 1);
    who->is_async = local >= l->group_items;
    who->group[0] = group % l->grid[0];
    who->group[1] = group / l->grid[0] % l->grid[1];
    who->group[2] = group / l->grid[0] / l->grid[1];
    who->local[0] = local % l->local_size[0];
    who->local[1] = local / l->local_size[0] % l->local_size[1];
    who->local[2] = local / l->local_size[0] / l->local_size[1];
    for (unsigned i = 0; i < 3; i++)
        who->global[i] = who->group[i] * l->local_size[i] + who->local[i] + l->offset[i];
    who->warp = local / l->lanes;
    who->lane = local % l->lanes;
    return true;
}

static void put_who(struct cy_buf *out, const struct cy_check_launch *l, const struct side *side, const char *lead)
{
    struct who who;
    cy_buf_printf(out, "  %s%s", side->what, *side->what ? " " : "");
    if (!identify(l, side->item, &who))
        cy_buf_puts(out, "by another work-item");
    else if (who.is_async)
        cy_buf_printf(out, "by an asynchronous copy of group (%u,%u,%u)", who.group[0], who.group[1], who.group[2]);
    else
        cy_buf_printf(out, "by work-item (%u,%u,%u), local (%u,%u,%u) of group (%u,%u,%u), warp %u, lane %u",
                      who.global[0], who.global[1], who.global[2], who.local[0], who.local[1], who.local[2],
                      who.group[0], who.group[1], who.group[2], who.warp, who.lane);
    cy_buf_printf(out, "%s\n", lead);
}

static void put_source(struct cy_buf *out, const struct place *place)
{
    if (!place->text.size)
        return;
    cy_buf_printf(out, "%5u | %s\n      | ", place->line, place->text.data);
    for (uint32_t i = 1; i < place->column; i++)
        cy_buf_putc(out, place->text.data[i - 1] == '\t' ? '\t' : ' ');
    cy_buf_puts(out, "^\n");
}

struct call {
    char name[128], file[512];
    uint32_t line, column;
};

/* The next call of the text, and what follows it; NULL: there is none. */
static const char *next_call(const char *calls, struct call *call)
{
    int used = 0;
    if (!calls || sscanf(calls, "%127s %" SCNu32 " %" SCNu32 " %511s%n", call->name, &call->line, &call->column,
                         call->file, &used) != 4)
        return NULL;
    return calls + used;
}

static void put_calls(struct cy_buf *out, const struct place *place)
{
    struct call call;
    for (const char *at = place->calls; (at = next_call(at, &call));)
        cy_buf_printf(out, "  in %s, called at %s:%u:%u\n", call.name, call.file, call.line, call.column);
}

static void put_place(struct cy_buf *out, const struct cy_check_launch *l, const struct place *place, uint32_t pc)
{
    if (place->line)
        cy_buf_printf(out, "%s:%u:%u: ", place->path.data, place->line, place->column ? place->column : 1);
    else
        cy_buf_printf(out, "%s: pc 0x%08" PRIx32 ": ", l->info.program ? l->info.program : "program", pc);
}

static void json_calls(struct cy_json *json, const struct place *place)
{
    struct call call;
    if (!place->calls)
        return;
    cy_json_key(json, "calls");
    cy_json_begin(json, '[');
    for (const char *at = place->calls; (at = next_call(at, &call));) {
        cy_json_begin(json, '{');
        cy_json_key(json, "function");
        cy_json_string(json, call.name);
        cy_json_key(json, "file");
        cy_json_string(json, call.file);
        cy_json_key(json, "line");
        cy_json_uint(json, call.line);
        cy_json_key(json, "column");
        cy_json_uint(json, call.column);
        cy_json_end(json);
    }
    cy_json_end(json);
}

static void json_place(struct cy_json *json, const struct place *place, uint32_t pc)
{
    if (place->line) {
        cy_json_key(json, "file");
        cy_json_string(json, place->path.data);
        cy_json_key(json, "line");
        cy_json_uint(json, place->line);
        cy_json_key(json, "column");
        cy_json_uint(json, place->column ? place->column : 1);
        cy_json_key(json, "source");
        cy_json_string(json, place->text.data ? place->text.data : "");
        json_calls(json, place);
    }
    cy_json_key(json, "pc");
    cy_json_uint(json, pc);
}

static void json_triple(struct cy_json *json, const char *key, const uint32_t value[3])
{
    cy_json_key(json, key);
    cy_json_begin(json, '[');
    for (unsigned i = 0; i < 3; i++)
        cy_json_uint(json, value[i]);
    cy_json_end(json);
}

static void json_side(struct cy_json *json, const struct cy_check_launch *l, const struct side *side,
                      const struct place *place)
{
    struct who who;
    cy_json_begin(json, '{');
    cy_json_key(json, "what");
    cy_json_string(json, side->what ? side->what : "");
    json_place(json, place, side->pc);
    if (identify(l, side->item, &who)) {
        json_triple(json, "global_id", who.global);
        json_triple(json, "local_id", who.local);
        json_triple(json, "group", who.group);
        cy_json_key(json, "warp");
        cy_json_uint(json, who.warp);
        cy_json_key(json, "lane");
        cy_json_uint(json, who.lane);
    }
    cy_json_end(json);
}

static void put_json(struct cy_json *json, const struct cy_check_launch *l, const struct finding *f, unsigned number,
                     const struct place places[2])
{
    cy_json_begin(json, '{');
    cy_json_key(json, "id");
    cy_json_uint(json, number);
    cy_json_key(json, "kind");
    cy_json_string(json, kinds[f->kind].id);
    cy_json_key(json, "severity");
    cy_json_string(json, kinds[f->kind].severity == NOTE ? "note" : "error");
    cy_json_key(json, "message");
    cy_json_string(json, f->text);
    cy_json_key(json, "kernel");
    cy_json_string(json, l->kernel);
    if (f->object) {
        cy_json_key(json, "object");
        cy_json_string(json, f->object->name);
    }
    cy_json_key(json, "sides");
    cy_json_begin(json, '[');
    json_side(json, l, &f->self, &places[0]);
    if (f->other.what)
        json_side(json, l, &f->other, &places[1]);
    cy_json_end(json);
    cy_json_end(json);
}

/* A path as a URI: absolute ones have a scheme. */
static void json_uri(struct cy_json *json, const char *path)
{
    struct cy_buf uri = {0};
    cy_buf_puts(&uri, path[0] == '/' ? "file://" : "");
    for (const char *at = path; *at; at++)
        if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || strchr("0123456789-._~/", *at))
            cy_buf_putc(&uri, *at);
        else
            cy_buf_printf(&uri, "%%%02X", (unsigned char)*at);
    cy_json_string(json, uri.data ? uri.data : "");
    cy_buf_free(&uri);
}

static void sarif_location(struct cy_json *json, const char *file, uint32_t line, uint32_t column, const char *message)
{
    cy_json_begin(json, '{');
    if (message) {
        cy_json_key(json, "message");
        cy_json_begin(json, '{');
        cy_json_key(json, "text");
        cy_json_string(json, message);
        cy_json_end(json);
    }
    cy_json_key(json, "physicalLocation");
    cy_json_begin(json, '{');
    cy_json_key(json, "artifactLocation");
    cy_json_begin(json, '{');
    cy_json_key(json, "uri");
    json_uri(json, file);
    cy_json_end(json);
    cy_json_key(json, "region");
    cy_json_begin(json, '{');
    cy_json_key(json, "startLine");
    cy_json_uint(json, line ? line : 1);
    cy_json_key(json, "startColumn");
    cy_json_uint(json, column ? column : 1);
    cy_json_end(json);
    cy_json_end(json);
    cy_json_end(json);
}

static void put_sarif(struct cy_json *json, const struct cy_check_launch *l, const struct finding *f,
                      const struct place places[2])
{
    struct cy_buf text = {0};
    cy_buf_printf(&text, "%s", f->text);
    if (*l->kernel) /* the host's own mistakes have none */
        cy_buf_printf(&text, " (kernel %s)", l->kernel);
    cy_json_begin(json, '{');
    cy_json_key(json, "ruleId");
    cy_json_string(json, kinds[f->kind].id);
    cy_json_key(json, "level");
    cy_json_string(json, kinds[f->kind].severity == NOTE ? "note" : "error");
    cy_json_key(json, "message");
    cy_json_begin(json, '{');
    cy_json_key(json, "text");
    cy_json_string(json, text.data);
    cy_json_end(json);
    cy_json_key(json, "locations");
    cy_json_begin(json, '[');
    if (places[0].line)
        sarif_location(json, places[0].path.data, places[0].line, places[0].column, NULL);
    cy_json_end(json);
    const bool has_other = f->other.what && places[1].line;
    if (has_other || places[0].calls) {
        cy_json_key(json, "relatedLocations");
        cy_json_begin(json, '[');
        struct call call;
        if (has_other)
            sarif_location(json, places[1].path.data, places[1].line, places[1].column, "the other side");
        for (unsigned side = 0; side < (has_other ? 2 : 1); side++)
            for (const char *at = places[side].calls; (at = next_call(at, &call));)
                sarif_location(json, call.file, call.line, call.column, call.name);
        cy_json_end(json);
    }
    cy_json_end(json);
    cy_buf_free(&text);
}

static void put_text(struct cy_buf *out, const struct cy_check_launch *l, const struct finding *f,
                     const struct place places[2])
{
    put_place(out, l, &places[0], f->self.pc);
    cy_buf_printf(out, "%s: %s [%s]\n", kinds[f->kind].severity == NOTE ? "note" : "error", f->text, kinds[f->kind].id);
    put_source(out, &places[0]);
    put_calls(out, &places[0]);
    put_who(out, l, &f->self, "");
    if (!f->other.what)
        return;
    if (f->other.pc && f->other.pc != f->self.pc) {
        put_place(out, l, &places[1], f->other.pc);
        cy_buf_puts(out, "the other side\n");
        put_source(out, &places[1]);
        put_calls(out, &places[1]);
    }
    put_who(out, l, &f->other, "");
}

/* ---- which are shown ---- */

static bool matches(const char *pattern, const char *text)
{
    for (; *pattern && *pattern != '*'; pattern++, text++)
        if (*pattern != *text)
            return false;
    if (!*pattern)
        return !*text;
    for (pattern++;; text++) {
        if (matches(pattern, text))
            return true;
        if (!*text)
            return false;
    }
}

static bool is_suppressed(const struct cy_check *check, enum kind kind, const char *kernel, const char *file)
{
    for (size_t i = 0; i < check->suppressions.count; i++) {
        const struct suppression *s = &check->suppressions.at[i];
        if (matches(s->kind, kinds[kind].id) && matches(s->kernel, kernel) && matches(s->file, file))
            return true;
    }
    return false;
}

/* Do both instructions come from one place of the source?  So do the copies of an unrolled loop, and our library's code, which has
 * the line of its caller. */
static bool is_same_place(struct program *program, uint32_t pc, uint32_t other)
{
    if (pc == other)
        return true;
    if (!pc || !other || !program->has_lines)
        return false;
    const struct cy_line_row *a = cy_lines_find(&program->lines, pc), *b = cy_lines_find(&program->lines, other);
    const char *calls = find_calls(program, pc), *others = find_calls(program, other);
    return a && b && a->line && a->line == b->line && a->column == b->column && a->file == b->file &&
           !strcmp(calls ? calls : "", others ? others : "");
}

enum match { SAME_INSTRUCTIONS, SAME_PLACES };

static const struct reported *find_report(struct cy_check_launch *l, const struct reported *key, enum match match)
{
    for (size_t i = l->check->reports.count; i-- > 0;) {
        const struct reported *r = &l->check->reports.at[i];
        if (r->kind != key->kind || r->object != key->object || !r->kernel || strcmp(r->kernel, l->kernel) != 0)
            continue;
        if (match == SAME_INSTRUCTIONS
                ? r->pc == key->pc && r->other_pc == key->other_pc
                : is_same_place(&l->program, r->pc, key->pc) && is_same_place(&l->program, r->other_pc, key->other_pc))
            return r;
    }
    return NULL;
}

/* With the lock held. */
static bool add_report(struct cy_check_launch *l, struct reported key)
{
    struct cy_check *check = l->check;
    const struct reported *same = find_report(l, &key, SAME_INSTRUCTIONS);
    if (same) {
        check->reports.at[same->first].count++;
        return false;
    }
    if (!l->program.is_read)
        program_read(&l->program);
    same = find_report(l, &key, SAME_PLACES);
    key.first = same ? same->first : check->reports.count;
    key.kernel = copy_text(l->kernel);
    struct reported *fresh = cy_vec_try_push(&check->reports);
    if (!fresh) {
        cy_free(key.kernel);
        return false;
    }
    *fresh = key;
    check->reports.at[key.first].count++;
    l->report = key.first;
    return !same;
}

bool report_is_new(struct cy_check_launch *l, enum kind kind, uint32_t pc, uint32_t other_pc, uint64_t object)
{
    if (!(l->tools & kinds[kind].tool))
        return false;
    pthread_mutex_lock(&l->check->lock);
    const bool is_new =
        add_report(l, (struct reported){.kind = kind, .pc = pc, .other_pc = other_pc, .object = object});
    pthread_mutex_unlock(&l->check->lock);
    return is_new;
}

bool report_is_known(struct cy_check_launch *l, enum kind kind, uint32_t pc, uint32_t other_pc, uint64_t object)
{
    const struct reported key = {.kind = kind, .pc = pc, .other_pc = other_pc, .object = object};
    pthread_mutex_lock(&l->check->lock);
    const bool is_known = find_report(l, &key, SAME_INSTRUCTIONS);
    pthread_mutex_unlock(&l->check->lock);
    return is_known;
}

struct showing {
    const struct cy_check_launch *l;
    const struct finding *f;
    struct cy_buf text, line;
    bool suppressed;
};

static void compose(void *argument)
{
    struct showing *s = argument;
    struct place places[2] = {0};
    struct cy_json json = {.out = &s->line};
    struct cy_check *check = s->l->check;
    locate(s->l, s->f->self.pc, s->f->object, &places[0]);
    locate(s->l, s->f->other.pc, s->f->object, &places[1]);
    s->suppressed = is_suppressed(check, s->f->kind, s->l->kernel, places[0].path.data ? places[0].path.data : "");
    if (!s->suppressed) {
        put_text(&s->text, s->l, s->f, places);
        if (check->options.sarif)
            put_sarif(&json, s->l, s->f, places);
        else
            put_json(&json, s->l, s->f, check->numbers + 1, places);
        cy_buf_putc(&s->line, '\n');
    }
    free_place(&places[0]);
    free_place(&places[1]);
}

static void publish(struct cy_check *check, enum kind kind, const struct cy_buf *text, const struct cy_buf *line)
{
    if (check->log >= 0 && line->size)
        cy_write_all(check->log, line->data, line->size);
    if (!check->options.quiet && text->size && check->shown[kind] <= check->options.max_reports)
        cy_write_all(STDERR_FILENO, text->data, text->size);
    if (!check->options.quiet && check->shown[kind] == check->options.max_reports + 1) {
        char more[160];
        const int length = snprintf(more, sizeof(more),
                                    "note: further reports of [%s] are counted, not shown; --max-reports shows more\n",
                                    kinds[kind].id);
        cy_write_all(STDERR_FILENO, more, (size_t)length);
    }
}

void report_show(struct cy_check_launch *l, const struct finding *finding)
{
    struct showing s = {.l = l, .f = finding};
    struct cy_check *check = l->check;
    pthread_mutex_lock(&check->lock);
    struct reported *r = &check->reports.at[l->report];
    const bool ok = cy_mem_try(compose, &s);
    if (ok && s.suppressed) {
        check->suppressed++;
    } else {
        r->number = ++check->numbers;
        if (check->options.stop && kinds[finding->kind].severity == ERROR)
            l->stops = finding->self.item ? finding->self.item : UINT32_MAX;
        check->shown[finding->kind]++;
        *(kinds[finding->kind].severity == NOTE ? &check->notes : &check->found) += 1;
        if (ok)
            publish(check, finding->kind, &s.text, &s.line);
    }
    pthread_mutex_unlock(&check->lock);
    if (ok) {
        cy_buf_free(&s.text);
        cy_buf_free(&s.line);
    }
}

/* ---- findings of the host's side ---- */

struct api_finding {
    struct cy_check *check;
    const char *kind;
    const struct finding *f;
    struct reported *reported;
    struct cy_buf text, line;
};

static void compose_api(void *argument)
{
    struct api_finding *a = argument;
    const struct cy_check_launch l = {.check = a->check, .kernel = ""};
    const struct place none[2] = {0};
    struct cy_json json = {.out = &a->line};
    cy_buf_printf(&a->text, "%s: %s [%s]\n", kinds[a->f->kind].severity == NOTE ? "note" : "error", a->f->text,
                  a->kind);
    if (a->check->options.sarif)
        put_sarif(&json, &l, a->f, none);
    else
        put_json(&json, &l, a->f, a->reported->number, none);
    cy_buf_putc(&a->line, '\n');
}

/* With the lock held. */
static void show_api(struct cy_check *check, const char *kind, const struct finding *f)
{
    for (size_t i = 0; i < check->reports.count; i++)
        if (check->reports.at[i].api && !strcmp(check->reports.at[i].api, f->text)) {
            check->reports.at[i].count++;
            return;
        }
    struct reported *fresh = cy_vec_try_push(&check->reports);
    struct api_finding a = {.check = check, .kind = kind, .f = f, .reported = fresh};
    if (!fresh)
        return;
    *fresh = (struct reported){.kind = f->kind, .api = copy_text(f->text), .count = 1};
    if (is_suppressed(check, f->kind, kind, "")) {
        check->suppressed++;
        return;
    }
    fresh->number = ++check->numbers;
    check->shown[f->kind]++;
    *(kinds[f->kind].severity == NOTE ? &check->notes : &check->found) += 1;
    if (cy_mem_try(compose_api, &a)) {
        publish(check, f->kind, &a.text, &a.line);
        cy_buf_free(&a.text);
        cy_buf_free(&a.line);
    }
}

void cy_check_api(struct cy_check *check, const char *kind, const char *format, ...)
{
    struct finding f = {.kind = K_API, .self = {0, 0, kind}};
    for (unsigned k = 0; k < K_COUNT; k++)
        if (!strcmp(kinds[k].id, kind))
            f.kind = (enum kind)k;
    va_list args;
    va_start(args, format);
    vsnprintf(f.text, sizeof(f.text), format, args);
    va_end(args);
    if (!(check->options.tools & CY_CHECK_API))
        return;
    pthread_mutex_lock(&check->lock);
    show_api(check, kind, &f);
    pthread_mutex_unlock(&check->lock);
}

bool cy_check_kind(unsigned number, const char **id, const char **title, bool *is_note)
{
    if (number >= K_COUNT)
        return false;
    *id = kinds[number].id;
    *title = kinds[number].title;
    *is_note = kinds[number].severity == NOTE;
    return true;
}

void cy_check_leak(struct cy_check *check, const char *objects, unsigned count)
{
    struct finding f = {.kind = K_LEAK, .self = {0, 0, "leak"}};
    snprintf(f.text, sizeof(f.text), "%s never released: %u", objects, count);
    if (!(check->options.tools & CY_CHECK_API))
        return;
    pthread_mutex_lock(&check->lock);
    show_api(check, "leak", &f);
    pthread_mutex_unlock(&check->lock);
}

/* ---- the end ---- */

void cy_check_finish(struct cy_check *check, uint64_t *found)
{
    char text[256];
    uint64_t times = 0;
    unsigned hidden = 0;
    for (size_t i = 0; i < check->reports.count; i++)
        times += check->reports.at[i].number ? check->reports.at[i].count : 0;
    for (unsigned k = 0; k < K_COUNT; k++)
        hidden += check->shown[k] > check->options.max_reports ? check->shown[k] - check->options.max_reports : 0;
    int length = snprintf(text, sizeof(text), "check: %s%" PRIu64 " error%s, %" PRIu64 " note%s",
                          check->has_launched ? "" : "no kernel was launched; ", check->found,
                          check->found == 1 ? "" : "s", check->notes, check->notes == 1 ? "" : "s");
    if (times)
        length += snprintf(text + length, sizeof(text) - (size_t)length, ", %" PRIu64 " occurrence%s", times,
                           times == 1 ? "" : "s");
    if (hidden)
        length += snprintf(text + length, sizeof(text) - (size_t)length, ", %u not shown", hidden);
    if (check->suppressed)
        length += snprintf(text + length, sizeof(text) - (size_t)length, ", %" PRIu64 " suppressed", check->suppressed);
    text[length++] = '\n';
    if (!check->options.quiet)
        cy_write_all(STDERR_FILENO, text, (size_t)length);
    *found = check->found;
    if (check->log < 0 || check->options.sarif)
        return;
    for (size_t i = 0; i < check->reports.count; i++) { /* how often, once that is known */
        const struct reported *r = &check->reports.at[i];
        length = snprintf(text, sizeof(text), "{\"count_of\":%u,\"count\":%" PRIu64 "}\n", r->number, r->count);
        if (r->number)
            cy_write_all(check->log, text, (size_t)length);
    }
}
