/* Reading a trace: nothing in the file is trusted.  Everything that the page relies on is checked here, so that the page need not. */
#include "view/view_priv.h"

#include <string.h>

#include "base/json_read.h"

struct launch_known {
    uint64_t groups; /* workgroups */
    uint32_t group_warps, sms, warps, threads;
    bool is_done;
};
struct warp_known { /* how many instructions of a warp the trace has so far, and of how many it has cycles */
    uint32_t launch, warp;
    uint64_t group, count, timed;
    bool is_used;
};
struct reader {
    const char *name;
    const unsigned char *bytes, *at, *end; /* the chunk's payload */
    size_t chunk;                          /* its place in the file, for messages */
    const char *wrong;                     /* what is wrong with it; NULL: nothing so far */
    const struct cy_view_visitor *visitor;
    struct cy_diags *diags;
    uint32_t programs;
    CY_VEC(struct launch_known) launches;
    struct warp_known *warps; /* a hash table */
    size_t warp_capacity, warp_count;
    struct cy_simt_entry *stack;
    size_t stack_capacity;
    uint64_t instructions;
    struct warp_known place; /* of the last chunk of cycles: the warp, and `timed` as far as this chunk goes */
    bool has_machine;
};

/* ---- numbers; after the first mistake everything is 0 ---- */

static void fail(struct reader *reader, const char *what)
{
    if (!reader->wrong)
        reader->wrong = what;
    reader->at = reader->end;
}

static unsigned byte(struct reader *reader)
{
    if (reader->at == reader->end) {
        fail(reader, "its records end early");
        return 0;
    }
    return *reader->at++;
}

static uint64_t number(struct reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned part = byte(reader);
        value |= (uint64_t)(part & 0x7f) << shift;
        if (!(part & 0x80))
            return value;
    }
    fail(reader, "a number is too long");
    return 0;
}

static uint64_t below(struct reader *reader, uint64_t limit, const char *what)
{
    const uint64_t value = number(reader);
    if (value >= limit) {
        fail(reader, what);
        return 0;
    }
    return value;
}

static uint32_t address(struct reader *reader, uint32_t from)
{
    return from + 4 * (uint32_t)view_unzigzag(number(reader));
}

/* ---- warps ---- */

static struct warp_known *probe(struct warp_known *table, size_t capacity, uint32_t launch, uint64_t group,
                                uint32_t warp)
{
    size_t at = (size_t)((group * 0x9e3779b97f4a7c15u ^ warp * 0x85ebca6bu ^ launch * 0xc2b2ae35u) >> 7);
    for (;; at++) {
        struct warp_known *known = &table[at & (capacity - 1)];
        if (!known->is_used || (known->launch == launch && known->group == group && known->warp == warp))
            return known;
    }
}

static struct warp_known *find_warp(struct reader *reader, uint32_t launch, uint64_t group, uint32_t warp)
{
    if (2 * (reader->warp_count + 1) > reader->warp_capacity) {
        const size_t capacity = reader->warp_capacity ? 2 * reader->warp_capacity : 64;
        struct warp_known *table = cy_xrealloc(NULL, capacity * sizeof(table[0]));
        memset(table, 0, capacity * sizeof(table[0]));
        for (size_t i = 0; i < reader->warp_capacity; i++) {
            const struct warp_known *old = &reader->warps[i];
            if (old->is_used)
                *probe(table, capacity, old->launch, old->group, old->warp) = *old;
        }
        cy_free(reader->warps);
        reader->warps = table;
        reader->warp_capacity = capacity;
    }
    struct warp_known *known = probe(reader->warps, reader->warp_capacity, launch, group, warp);
    if (!known->is_used) {
        *known = (struct warp_known){.launch = launch, .group = group, .warp = warp, .is_used = true};
        reader->warp_count++;
    }
    return known;
}

/* The launch, workgroup and warp at the beginning of a chunk.  NULL: wrong. */
static const struct launch_known *read_place(struct reader *reader, uint32_t *launch, uint64_t *group, uint32_t *warp)
{
    *launch = (uint32_t)below(reader, reader->launches.count, "it belongs to a launch that has not begun");
    const struct launch_known *known = reader->wrong ? NULL : &reader->launches.at[*launch];
    if (known && known->is_done)
        fail(reader, "it belongs to a launch that has ended");
    *group = below(reader, known ? known->groups : 1, "there is no such workgroup");
    *warp = (uint32_t)below(reader, known ? known->group_warps : 1, "there is no such warp");
    return reader->wrong ? NULL : known;
}

/* ---- instructions ---- */

static void read_stack(struct reader *reader, struct cy_view_insn *insn)
{
    const uint64_t keep = below(reader, insn->depth + 1ull, "it keeps more of the SIMT stack than there is");
    const uint64_t more = below(reader, 4096, "the SIMT stack is too deep");
    if (keep + more > reader->stack_capacity) {
        reader->stack_capacity = 2 * (keep + more);
        reader->stack = cy_xrealloc(reader->stack, reader->stack_capacity * sizeof(reader->stack[0]));
    }
    insn->depth = (uint32_t)keep;
    for (uint64_t i = 0; i < more && !reader->wrong; i++) {
        const uint32_t rpc = address(reader, insn->pc), pc = address(reader, insn->pc);
        reader->stack[insn->depth++] = (struct cy_simt_entry){rpc, pc, number(reader)};
    }
    insn->stack = reader->stack;
}

static void read_accesses(struct reader *reader, struct cy_view_insn *insn, uint64_t *base, uint32_t threads)
{
    struct cy_view_access *access = &insn->access;
    for (bool more = true; more && !reader->wrong;) {
        const unsigned flags = byte(reader), pattern = flags >> 6;
        more = flags & ACCESS_MORE;
        insn->access_count++;
        access->read = flags & ACCESS_READ;
        access->write = flags & ACCESS_WRITE;
        access->size = 1u << (flags >> 4 & 3);
        access->lanes = flags & ACCESS_LANES ? number(reader) : insn->active;
        if (pattern > PATTERN_ANY || !(flags & (ACCESS_READ | ACCESS_WRITE)) || !access->lanes ||
            (threads < 64 && access->lanes >> threads)) {
            fail(reader, "an access to memory makes no sense");
            return;
        }
        *base += (uint64_t)view_unzigzag(number(reader));
        const unsigned first = (unsigned)__builtin_ctzll(access->lanes);
        const int64_t stride = pattern == PATTERN_STRIDE ? view_unzigzag(number(reader)) : 0;
        uint64_t last = *base;
        for (uint64_t lanes = access->lanes; lanes; lanes &= lanes - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(lanes);
            if (pattern == PATTERN_ANY && lane != first)
                last += (uint64_t)view_unzigzag(number(reader));
            access->address[lane] = pattern == PATTERN_ANY ? last : *base + (uint64_t)stride * (uint64_t)(lane - first);
        }
    }
}

static void read_insn(struct reader *reader, struct cy_view_insn *insn, uint64_t *base, uint32_t threads)
{
    const unsigned flags = byte(reader);
    if (flags & ~(unsigned)INSN_FLAGS)
        fail(reader, "an instruction has unknown flags");
    insn->pc += insn->size;
    if (flags & INSN_JUMP)
        insn->pc = address(reader, insn->pc);
    insn->size = flags & INSN_WIDE ? 8 : 4;
    if (flags & INSN_MASK)
        insn->active ^= number(reader);
    if (threads < 64 && insn->active >> threads)
        fail(reader, "more lanes are active than there are");
    if (flags & INSN_RPC)
        insn->rpc = address(reader, insn->pc);
    if (flags & INSN_STACK)
        read_stack(reader, insn);
    insn->access_count = 0;
    if (flags & INSN_MEMORY)
        read_accesses(reader, insn, base, threads);
}

static void read_warp(struct reader *reader)
{
    struct cy_view_insn insn = {0};
    uint64_t base = 0;
    const struct launch_known *launch = read_place(reader, &insn.launch, &insn.group, &insn.warp);
    insn.sm = (uint32_t)below(reader, launch ? launch->sms : 1, "there is no such SM");
    insn.ordinal = number(reader);
    const uint64_t count = below(reader, (uint64_t)(reader->end - reader->at) + 1, "it has fewer records than it says");
    if (reader->wrong)
        return;
    struct warp_known *warp = find_warp(reader, insn.launch, insn.group, insn.warp);
    if (insn.ordinal != warp->count)
        fail(reader, "instructions of its warp are missing before it");
    for (uint64_t i = 0; i < count && !reader->wrong; i++, insn.ordinal++) {
        read_insn(reader, &insn, &base, launch->threads);
        if (!reader->wrong && reader->visitor && reader->visitor->insn)
            reader->visitor->insn(reader->visitor->context, &insn);
    }
    if (reader->at != reader->end)
        fail(reader, "it has more bytes than records");
    if (reader->wrong)
        return;
    warp->count += count;
    reader->instructions += count;
}

/* ---- cycles ---- */

static void read_time(struct reader *reader)
{
    struct cy_view_stretch stretch = {0};
    const struct launch_known *launch = read_place(reader, &stretch.launch, &stretch.group, &stretch.warp);
    stretch.sm = (uint32_t)below(reader, launch ? launch->sms : 1, "there is no such SM");
    stretch.slot = (uint32_t)below(reader, launch ? launch->warps : 1, "there is no such warp slot");
    stretch.end = below(reader, 1ull << 53, "a cycle is too large");
    stretch.ordinal = number(reader);
    const uint64_t count = below(reader, (uint64_t)(reader->end - reader->at) + 1, "it has fewer records than it says");
    uint64_t timed = 0;
    for (uint64_t i = 0; i < count && !reader->wrong; i++) {
        const unsigned code = byte(reader), step = code >> 4 & 3;
        stretch.stall = (enum cy_stall)(code & 15);
        if (stretch.stall >= CY_STALL_COUNT)
            fail(reader, "there is no such stall");
        stretch.ordinal += step == STEP_NEXT   ? 1
                           : step == STEP_BACK ? UINT64_MAX
                           : step == STEP_ANY  ? (uint64_t)view_unzigzag(number(reader))
                                               : 0;
        if (stretch.ordinal >= 1ull << 53)
            fail(reader, "an instruction's number is too large");
        timed = stretch.ordinal >= timed ? stretch.ordinal + 1 : timed;
        stretch.begin = stretch.end;
        const uint64_t length = code >> 6 ? code >> 6 : number(reader);
        if (!length || length >= 1ull << 53 || stretch.begin + length >= 1ull << 53)
            fail(reader, "a stretch of cycles has no length, or too much");
        stretch.end = stretch.begin + length;
        if (!reader->wrong && reader->visitor && reader->visitor->stretch)
            reader->visitor->stretch(reader->visitor->context, &stretch);
    }
    if (!reader->wrong) {
        struct warp_known *warp = find_warp(reader, stretch.launch, stretch.group, stretch.warp);
        warp->timed = timed > warp->timed ? timed : warp->timed;
        reader->place = *warp;
        reader->place.timed = timed;
    }
    if (reader->at != reader->end)
        fail(reader, "it has more bytes than records");
}

/* ---- texts ---- */

/* A whole number of an object in a range; 0 and wrong if it is not. */
static uint64_t member(struct reader *reader, const struct cy_json_value *object, const char *key, uint64_t least,
                       uint64_t most)
{
    const struct cy_json_value *value = cy_json_get(object, key);
    if (!value || value->kind != CY_JSON_NUMBER || !(value->number >= (double)least && value->number <= (double)most) ||
        value->number != (double)(uint64_t)value->number) {
        fail(reader, "a number is missing in its text, or out of range");
        return 0;
    }
    return (uint64_t)value->number;
}

static bool is_numbers(const struct cy_json_value *row, unsigned count)
{
    const struct cy_json_value *at = row->kind == CY_JSON_ARRAY ? row->first : NULL;
    for (; count && at && (at->kind == CY_JSON_NUMBER || at->kind == CY_JSON_STRING); at = at->next)
        count--;
    return !count && !at;
}

static void read_program(struct reader *reader, const struct cy_json_value *text)
{
    const struct cy_json_value *rows = cy_json_get(text, "rows");
    for (const struct cy_json_value *row = rows ? rows->first : NULL; row; row = row->next)
        if (!is_numbers(row, 5))
            fail(reader, "a line of the disassembly makes no sense");
    reader->programs++;
}

static void read_launch(struct reader *reader, const struct cy_json_value *text)
{
    struct launch_known known = {0};
    const struct cy_json_value *grid = cy_json_get(text, "grid");
    if (member(reader, text, "launch", 0, UINT32_MAX) != reader->launches.count)
        fail(reader, "launches are not in order");
    if (member(reader, text, "program", 0, UINT32_MAX) >= reader->programs)
        fail(reader, "there is no such program");
    known.group_warps = (uint32_t)member(reader, text, "group_warps", 0, 65536);
    known.sms = (uint32_t)member(reader, text, "sms", 0, 65536);
    known.warps = (uint32_t)member(reader, text, "warps", 0, 65536);
    known.threads = (uint32_t)member(reader, text, "threads", 0, VIEW_MOST_LANES);
    known.groups = 1;
    for (const struct cy_json_value *size = grid ? grid->first : NULL; size; size = size->next)
        known.groups *= size->number >= 0 && size->number <= UINT32_MAX ? (uint64_t)size->number : 0;
    if (!reader->wrong)
        *cy_vec_push(&reader->launches) = known;
}

static void read_done(struct reader *reader, const struct cy_json_value *text)
{
    const uint64_t launch = member(reader, text, "launch", 0, UINT32_MAX);
    if (launch >= reader->launches.count || reader->launches.at[launch].is_done)
        fail(reader, "it ends a launch that does not run");
    else
        reader->launches.at[launch].is_done = true;
}

/* A warp's cycles may be written before its instructions are, so that this is known only at the end. */
static void check_cycles(struct reader *reader)
{
    for (size_t i = 0; i < reader->warp_capacity; i++)
        if (reader->warps[i].is_used && reader->warps[i].timed > reader->warps[i].count)
            fail(reader, "there are cycles of instructions that are not in the trace");
}

/* A chunk of JSON. */
static void read_text(struct reader *reader, const char *type, struct cy_view_summary *summary)
{
    struct cy_arena arena = {0};
    struct cy_diags unheard = {0};
    struct cy_buf copy = {0};
    const size_t size = (size_t)(reader->end - reader->at);
    cy_buf_append(&copy, reader->at, size);
    const struct cy_json_value *text = cy_json_read(&arena, reader->name, &copy, &unheard);
    if (!text || text->kind != CY_JSON_OBJECT)
        fail(reader, "its text is not JSON");
    else if (!strcmp(type, "MACH"))
        reader->has_machine = true;
    else if (!strcmp(type, "PROG"))
        read_program(reader, text);
    else if (!strcmp(type, "LNCH"))
        read_launch(reader, text);
    else if (!strcmp(type, "DONE"))
        read_done(reader, text);
    else if (member(reader, text, "instructions", 0, 1ull << 53) != reader->instructions)
        fail(reader, "instructions are missing");
    else
        check_cycles(reader);
    if (!strcmp(type, "END ") && !reader->wrong)
        summary->left_out = (uint64_t)cy_json_number(text, "left_out");
    if (!reader->wrong && reader->visitor && reader->visitor->json)
        reader->visitor->json(reader->visitor->context, type, copy.data, size);
    cy_buf_free(&copy);
    cy_diags_free(&unheard);
    cy_arena_free(&arena);
}

/* ---- the file ---- */

static uint32_t get32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool read_header(const struct reader *reader, size_t size)
{
    static const char hint[] = "'cy run --cytrace FILE' and 'cy profile --cytrace FILE' write traces";
    const size_t magic = sizeof(VIEW_MAGIC) - 1;
    if (size == 0)
        cy_diag_file(reader->diags, CY_ERROR, reader->name, "the file is empty; %s", hint);
    else if (memcmp(reader->bytes, VIEW_MAGIC, size < magic ? size : magic) != 0)
        cy_diag_file(reader->diags, CY_ERROR, reader->name, "this is not a trace for the viewer; %s", hint);
    else if (size < VIEW_HEADER)
        cy_diag_file(reader->diags, CY_ERROR, reader->name, "the trace is truncated: it has %zu bytes", size);
    else if (get32(reader->bytes + magic) != VIEW_VERSION)
        cy_diag_file(reader->diags, CY_ERROR, reader->name,
                     "the trace has version %u of the format, and this cy reads version %u; record it again",
                     get32(reader->bytes + magic), VIEW_VERSION);
    else
        return true;
    return false;
}

/* Its name, if a chunk may have this type. */
static const char *type_of(const unsigned char *at)
{
    static const char *const types[] = {"MACH", "PROG", "LNCH", "WARP", "TIME", "DONE", "END "};
    for (size_t i = 0; i < CY_COUNT(types); i++)
        if (!memcmp(at, types[i], 4))
            return types[i];
    return NULL;
}

static bool read_chunk(struct reader *reader, const char *type, struct cy_view_summary *summary)
{
    if (!reader->has_machine && strcmp(type, "MACH") != 0)
        fail(reader, "the machine's chunk must come first");
    else if (!strcmp(type, "WARP"))
        read_warp(reader);
    else if (!strcmp(type, "TIME"))
        read_time(reader);
    else
        read_text(reader, type, summary);
    if (reader->wrong)
        cy_diag_file(reader->diags, CY_ERROR, reader->name, "the trace is damaged: chunk %.4s at byte %zu: %s", type,
                     reader->chunk, reader->wrong);
    return !reader->wrong;
}

/* True: there is a whole chunk at `at`, and its checksum is right. */
static bool check_frame(const struct reader *reader, size_t at, size_t size, const char **type)
{
    const unsigned char *frame = reader->bytes + at;
    const size_t left = size - at;
    *type = left >= VIEW_CHUNK ? type_of(frame) : NULL;
    if (left < VIEW_CHUNK)
        cy_diag_file(reader->diags, CY_ERROR, reader->name,
                     "the trace is truncated at byte %zu: it was not written to its end", size);
    else if (!*type)
        cy_diag_file(reader->diags, CY_ERROR, reader->name, "the trace is damaged: no chunk begins at byte %zu", at);
    else if (get32(frame + 4) > left - VIEW_CHUNK)
        cy_diag_file(reader->diags, CY_ERROR, reader->name,
                     "the trace is truncated: chunk %.4s at byte %zu has %u bytes, of which %zu are there", *type, at,
                     get32(frame + 4), left - VIEW_CHUNK);
    else if (view_crc(view_crc(0, frame, 8), frame + VIEW_CHUNK, get32(frame + 4)) != get32(frame + 8))
        cy_diag_file(reader->diags, CY_ERROR, reader->name,
                     "the trace is damaged: the checksum of chunk %.4s at byte %zu is wrong", *type, at);
    else
        return true;
    return false;
}

/* The chunk at `at` is the reader's; where the next one begins. */
static size_t enter_chunk(struct reader *reader, size_t at)
{
    reader->chunk = at;
    reader->at = reader->bytes + at + VIEW_CHUNK;
    at += VIEW_CHUNK + get32(reader->bytes + at + 4);
    reader->end = reader->bytes + at;
    return at;
}

static bool read_chunks(struct reader *reader, size_t size, struct cy_view_summary *summary)
{
    const char *type = "";
    for (size_t at = VIEW_HEADER; strcmp(type, "END ") != 0;) {
        if (!check_frame(reader, at, size, &type))
            return false;
        at = enter_chunk(reader, at);
        if (!read_chunk(reader, type, summary))
            return false;
        if (!strcmp(type, "END ") && at != size) {
            cy_diag_file(reader->diags, CY_ERROR, reader->name, "the trace is damaged: it goes on after its end at %zu",
                         at);
            return false;
        }
    }
    return true;
}

static void free_reader(struct reader *reader)
{
    cy_vec_free(&reader->launches);
    cy_free(reader->warps);
    cy_free(reader->stack);
}

bool cy_view_read(const char *name, const void *bytes, size_t size, const struct cy_view_visitor *visitor,
                  struct cy_view_summary *summary, struct cy_diags *diags)
{
    struct reader reader = {.name = name, .bytes = bytes, .visitor = visitor, .diags = diags};
    *summary = (struct cy_view_summary){0};
    const bool ok = read_header(&reader, size) && read_chunks(&reader, size, summary);
    summary->launches = reader.launches.count;
    summary->warps = reader.warp_count;
    summary->instructions = reader.instructions;
    free_reader(&reader);
    return ok;
}

/* ---- traces without an end ---- */

struct piece { /* a chunk that is whole */
    size_t at, size;
    bool is_time;
    struct warp_known place; /* of cycles */
};

static void append_text(struct cy_buf *out, const char *type, const struct cy_buf *text)
{
    unsigned char frame[VIEW_CHUNK];
    memcpy(frame, type, 4);
    view_put32(frame + 4, (uint32_t)text->size);
    view_put32(frame + 8, view_crc(view_crc(0, frame, 8), text->data, text->size));
    cy_buf_append(out, frame, sizeof(frame));
    cy_buf_append(out, text->data, text->size);
}

/* Ends the launches that have no end, and the trace. */
static void append_ends(const struct reader *reader, struct cy_buf *out)
{
    struct cy_buf text = {0};
    for (size_t launch = 0; launch < reader->launches.count; launch++) {
        uint64_t instructions = 0;
        if (reader->launches.at[launch].is_done)
            continue;
        for (size_t i = 0; i < reader->warp_capacity; i++)
            instructions += reader->warps[i].is_used && reader->warps[i].launch == launch ? reader->warps[i].count : 0;
        text.size = 0;
        cy_buf_printf(&text,
                      "{\"launch\":%zu,\"instructions\":%llu,\"cycles\":null,"
                      "\"message\":\"the recording ended before the launch did\"}",
                      launch, (unsigned long long)instructions);
        append_text(out, "DONE", &text);
    }
    text.size = 0;
    cy_buf_printf(&text, "{\"launches\":%zu,\"instructions\":%llu,\"left_out\":0}", reader->launches.count,
                  (unsigned long long)reader->instructions);
    append_text(out, "END ", &text);
    cy_buf_free(&text);
}

bool cy_view_salvage(const void *bytes, size_t size, struct cy_buf *out)
{
    struct cy_diags unheard = {0};
    struct cy_view_summary summary;
    struct reader reader = {.name = "", .bytes = bytes, .diags = &unheard};
    CY_VEC(struct piece) pieces = {0};
    const char *type;
    if (read_header(&reader, size))
        for (size_t at = VIEW_HEADER; check_frame(&reader, at, size, &type) && strcmp(type, "END ") != 0;) {
            const size_t begin = at;
            at = enter_chunk(&reader, at);
            if (!read_chunk(&reader, type, &summary))
                break;
            *cy_vec_push(&pieces) = (struct piece){begin, at - begin, !strcmp(type, "TIME"), reader.place};
        }
    const bool ok = reader.launches.count != 0;
    if (ok)
        cy_buf_append(out, bytes, VIEW_HEADER);
    for (size_t i = 0; ok && i < pieces.count; i++) {
        const struct piece *piece = &pieces.at[i];
        const struct warp_known *warp = /* whose instructions may be written after their cycles, or not any more */
            piece->is_time ? find_warp(&reader, piece->place.launch, piece->place.group, piece->place.warp) : NULL;
        if (!warp || piece->place.timed <= warp->count)
            cy_buf_append(out, reader.bytes + piece->at, piece->size);
    }
    if (ok)
        append_ends(&reader, out);
    cy_vec_free(&pieces);
    free_reader(&reader);
    cy_diags_free(&unheard);
    return ok;
}
