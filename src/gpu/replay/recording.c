/* Reading a recorded launch: X.metadata (64-bit values as two lines of eight hex digits, low word first) and X.data (the
 * buffers' contents, a word per line).  Those of a folder that the pair does not hold alone are marked (record_priv.h). */
#include "gpu/replay/record_priv.h"

#include <ctype.h>
#include <string.h>

/* ---- lines of hex digits ---- */

struct lines {
    struct cy_source source;
    struct cy_diags *diags;
    const char *at;
    uint32_t line;
    bool is_marked;
};

static void lines_start(struct lines *lines, const char *name, const struct cy_buf *text, struct cy_diags *diags)
{
    *lines = (struct lines){.source = {.name = name, .text = text->data ? text->data : "", .size = text->size},
                            .diags = diags};
    lines->at = lines->source.text;
    const size_t mark = strlen(RECORD_MARK);
    lines->is_marked = lines->source.size > mark && !memcmp(lines->at, RECORD_MARK, mark) && lines->at[mark] == '\n';
    lines->at += lines->is_marked ? mark : 0;
}

/* False, after a diagnostic: who reads this reads the pair alone. */
static bool check_mark(const struct lines *lines, bool *is_marked)
{
    if (is_marked)
        *is_marked = lines->is_marked;
    else if (lines->is_marked)
        cy_diag_file(lines->diags, CY_ERROR, lines->source.name,
                     "this pair does not hold all of the launch; replay the folder that it is in, with its %s",
                     cy_record_files[RECORD_TOML]);
    return is_marked || !lines->is_marked;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The next line's word.  False: the end, or a malformed line (after a diagnostic). */
static bool next_word(struct lines *lines, uint32_t *word)
{
    const char *end = lines->source.text + lines->source.size;
    while (lines->at < end && isspace((unsigned char)*lines->at))
        lines->line += *lines->at++ == '\n';
    if (lines->at == end)
        return false;
    const char *start = lines->at;
    uint64_t value = 0;
    if (end - lines->at > 2 && lines->at[0] == '0' && (lines->at[1] == 'x' || lines->at[1] == 'X'))
        lines->at += 2;
    size_t digits = 0;
    for (int digit; lines->at < end && (digit = hex_digit(*lines->at)) >= 0; lines->at++, digits++)
        value = value << 4 | (unsigned)digit;
    if (!digits || digits > 8 || (lines->at < end && !isspace((unsigned char)*lines->at))) {
        while (lines->at < end && !isspace((unsigned char)*lines->at))
            lines->at++;
        struct cy_loc loc = {&lines->source, lines->line + 1, (uint32_t)(start - lines->source.text),
                             (uint32_t)(lines->at - start)};
        cy_diag(lines->diags, CY_ERROR, &loc, "expected up to eight hexadecimal digits");
        return false;
    }
    *word = (uint32_t)value;
    return true;
}

static bool all_words(struct lines *lines, struct cy_diags *diags, uint32_t **words, size_t *count)
{
    CY_VEC(uint32_t) list = {0};
    uint32_t errors = diags->errors;
    for (uint32_t word; next_word(lines, &word);)
        *cy_vec_push(&list) = word;
    *words = list.at;
    *count = list.count;
    return diags->errors == errors;
}

/* ---- the launch ---- */

enum field {
    START_PC,
    KERNEL,
    GRID,
    THREADS = GRID + 3,
    WARPS,
    KNL,
    LDS,
    PDS,
    SGPRS,
    VGPRS,
    PDS_BASE,
    BUFFERS,
    FIELDS,
};

struct values {
    const uint32_t *words;
    size_t count;   /* of 64-bit values */
    unsigned shift; /* 1: the file has no start pc */
    bool is_marked;
};

static uint64_t value_at(const struct values *values, size_t index)
{
    index -= values->shift;
    return values->words[2 * index] | (uint64_t)values->words[2 * index + 1] << 32;
}

/* With or without a start pc?  The number of values tells: 14 + 3n or 13 + 3n. */
static bool find_layout(struct values *values)
{
    for (values->shift = 0; values->shift < 2; values->shift++) {
        size_t fields = FIELDS - values->shift;
        const uint64_t mark = values->is_marked ? (uint64_t)RECORD_MARKED_COUNT << 32 : 0;
        if (values->count >= fields && (values->count - fields) % 3 == 0 &&
            value_at(values, BUFFERS) == ((values->count - fields) / 3 | mark))
            return true;
    }
    return false;
}

static bool complain(struct cy_diags *diags, const char *name, const char *text, uint64_t value)
{
    cy_diag_file(diags, CY_ERROR, name, "%s (%llu)", text, (unsigned long long)value);
    return false;
}

static bool read_launch(struct cy_recording *recording, const char *name, const struct values *values,
                        struct cy_diags *diags)
{
    static const enum field words[] = {GRID, GRID + 1, GRID + 2, THREADS, WARPS, KNL, LDS, PDS, SGPRS, VGPRS, PDS_BASE};
    for (size_t i = 0; i < CY_COUNT(words); i++)
        if (value_at(values, words[i]) > UINT32_MAX)
            return complain(diags, name, "a value of the launch does not fit in 32 bits", value_at(values, words[i]));
    recording->start_pc = values->shift ? CY_IMAGE_BASE : (uint32_t)value_at(values, START_PC);
    recording->kernel = value_at(values, KERNEL);
    for (unsigned i = 0; i < 3; i++)
        recording->grid[i] = (uint32_t)value_at(values, GRID + i);
    recording->threads = (uint32_t)value_at(values, THREADS);
    recording->warps = (uint32_t)value_at(values, WARPS);
    recording->knl = (uint32_t)value_at(values, KNL);
    recording->lds_bytes = (uint32_t)value_at(values, LDS);
    recording->pds_bytes = (uint32_t)value_at(values, PDS);
    recording->sgprs = (uint32_t)value_at(values, SGPRS);
    recording->vgprs = (uint32_t)value_at(values, VGPRS);
    recording->pds_base = (uint32_t)value_at(values, PDS_BASE);
    uint32_t threads = recording->threads;
    if (threads < 4 || threads > 64 || threads & (threads - 1))
        return complain(diags, name, "threads per warp must be 4, 8, 16, 32 or 64", threads);
    if (recording->warps < 1 || recording->warps > 1024)
        return complain(diags, name, "warps per workgroup must be from 1 to 1024", recording->warps);
    for (unsigned i = 0; i < 3; i++)
        if (!recording->grid[i])
            return complain(diags, name, "a dimension of the grid is 0; dimension", i);
    return true;
}

static bool read_buffers(struct cy_recording *recording, const char *name, const struct values *values,
                         struct cy_diags *diags)
{
    const size_t n = (uint32_t)value_at(values, BUFFERS);
    for (size_t i = 0; i < n; i++) {
        uint64_t base = value_at(values, FIELDS + i), size = value_at(values, FIELDS + n + i);
        uint64_t allocated = value_at(values, FIELDS + 2 * n + i);
        if (allocated < size)
            allocated = size;
        if (!values->is_marked && (base > UINT32_MAX || allocated > (1ull << 32) - base))
            return complain(diags, name, "a buffer is outside the 32-bit address space; buffer", i);
        if (size > CY_FAR_END)
            return complain(diags, name, "a buffer is too large; buffer", i);
        *cy_vec_push(&recording->buffers) = (struct cy_recorded_buffer){base, size, allocated};
    }
    return true;
}

bool cy_recording_words(const char *name, const struct cy_buf *text, bool *is_marked, uint32_t **words, size_t *count,
                        struct cy_diags *diags)
{
    struct lines lines;
    lines_start(&lines, name, text, diags);
    return check_mark(&lines, is_marked) && all_words(&lines, diags, words, count);
}

bool cy_recording_read_pair(struct cy_recording *recording, const char *name, const struct cy_buf *metadata,
                            const char *data_name, const struct cy_buf *data, bool *is_marked, struct cy_diags *diags)
{
    struct values values = {0};
    uint32_t *words = NULL;
    size_t count = 0;
    bool ok = cy_recording_words(name, metadata, is_marked, &words, &count, diags);
    values.words = words;
    values.count = count / 2;
    values.is_marked = is_marked && *is_marked;
    if (ok && (count % 2 || !find_layout(&values))) {
        cy_diag_file(diags, CY_ERROR, name, "%zu lines are not two per value of a launch and its buffers", count);
        ok = false;
    }
    ok = ok && read_launch(recording, name, &values, diags) && read_buffers(recording, name, &values, diags);
    cy_free(words);
    if (!ok)
        return false;

    uint64_t expected = 0;
    for (size_t i = 0; i < recording->buffers.count; i++)
        expected += (recording->buffers.at[i].size + 3) / 4;
    if (!cy_recording_words(data_name, data, is_marked, &recording->data.at, &recording->data.count, diags))
        return false;
    if (recording->data.count < expected) {
        cy_diag_file(diags, CY_ERROR, data_name, "%zu words, but the buffers of %s have %llu", recording->data.count,
                     name, (unsigned long long)expected);
        return false;
    }
    return true;
}

struct reading {
    struct cy_recording *recording;
    const char *name, *data_name;
    const struct cy_buf *metadata, *data;
    struct cy_diags *diags;
    bool ok;
};

static void read_recording(void *argument)
{
    struct reading *r = argument;
    r->ok = cy_recording_read_pair(r->recording, r->name, r->metadata, r->data_name, r->data, NULL, r->diags);
}

bool cy_recording_read(struct cy_recording *recording, const char *name, const struct cy_buf *metadata,
                       const char *data_name, const struct cy_buf *data, struct cy_diags *diags)
{
    struct reading reading = {recording, name, data_name, metadata, data, diags, false};
    memset(recording, 0, sizeof(*recording));
    if (cy_diags_try(diags, read_recording, &reading))
        return reading.ok;
    memset(recording, 0, sizeof(*recording));
    return false;
}

void cy_recording_free(struct cy_recording *recording)
{
    cy_vec_free(&recording->buffers);
    cy_vec_free(&recording->data);
}
