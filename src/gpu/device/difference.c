/* Comparing what two runs of a launch left: words of memory, printed text, how they ended, what they counted. */
#include "gpu/device/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* Pages that either run may have written, in ascending order. */
struct written {
    struct cy_snapshot *views[2];
    struct cy_snapshot_range ranges[2];
    bool has[2];
    uint64_t cursor;
};

static void find_from(struct written *written, unsigned view)
{
    uint64_t at = written->cursor;
    written->has[view] = cy_snapshot_written(written->views[view], &at, &written->ranges[view]);
}

static struct written begin_written(struct cy_device *device)
{
    struct written written = {.views = {&device->verify.views[0], &device->verify.views[1]}};
    find_from(&written, 0);
    find_from(&written, 1);
    return written;
}

static bool next_written(struct written *written, uint64_t *address, uint64_t *end)
{
    *address = *end = UINT64_MAX;
    for (unsigned i = 0; i < 2; i++) {
        const struct cy_snapshot_range *range = &written->ranges[i];
        if (written->has[i] && range->address + range->bytes <= written->cursor)
            find_from(written, i);
        const uint64_t start = range->address > written->cursor ? range->address : written->cursor;
        if (written->has[i] && start < *address) {
            *address = start;
            *end = range->address + range->bytes;
        }
    }
    written->cursor = *end;
    return *address < *end;
}

static bool is_inside(const struct cy_scratch *scratch, uint64_t address)
{
    const uint64_t size = (scratch->size + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
    return scratch->address && address - scratch->address < size;
}

/* The driver's own memory, which differs from engine to engine. */
static bool is_scratch(const struct cy_launch *launch, uint64_t address)
{
    const struct cy_launch_buffers *buffers = &launch->device->buffers;
    return is_inside(&buffers->constants, address) || is_inside(&buffers->prints, address) ||
           is_inside(&buffers->pds, address);
}

static bool add_word(struct cy_verification *verification, const struct cy_different_word *word)
{
    if (!verification->words)
        verification->words = cy_try_alloc(CY_MOST_DIFFERENT_WORDS * sizeof(*word));
    if (!verification->words)
        return false;
    if (verification->word_count < CY_MOST_DIFFERENT_WORDS)
        verification->words[verification->word_count++] = *word;
    verification->difference.words++;
    return true;
}

static bool compare_page(struct cy_launch *launch, uint64_t address)
{
    const struct cy_device *device = launch->device;
    const uint8_t *const at[2] = {cy_memory_host(&device->verify.views[0].memory, address),
                                  cy_memory_host(&device->verify.views[1].memory, address)};
    if (memcmp(at[0], at[1], CY_PAGE_SIZE) == 0 || is_scratch(launch, address))
        return true;
    bool ok = true;
    for (unsigned i = 0; i < CY_PAGE_SIZE && ok; i += 4) {
        struct cy_different_word word = {.address = address + i};
        memcpy(&word.translated, at[0] + i, 4);
        memcpy(&word.interpreted, at[1] + i, 4);
        ok = word.translated == word.interpreted || add_word(launch->verification, &word);
    }
    return ok;
}

static bool compare_words(struct cy_launch *launch)
{
    struct written written = begin_written(launch->device);
    uint64_t address, end;
    bool ok = true;
    while (ok && next_written(&written, &address, &end))
        for (; ok && address < end; address += CY_PAGE_SIZE)
            ok = compare_page(launch, address);
    return ok;
}

/* ---- text ---- */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines of a copy of the text, sorted; `*copy` is the caller's to free, like the lines. */
static char **sort_lines(const struct cy_buf *text, char **copy, size_t *count)
{
    size_t lines = 1;
    for (size_t i = 0; i < text->size; i++)
        lines += text->data[i] == '\n';
    *count = 0;
    *copy = cy_try_alloc(text->size + 1);
    char **at = cy_try_alloc(lines * sizeof(*at));
    if (!*copy || !at)
        return at;
    memcpy(*copy, text->data, text->size);
    for (char *line = *copy, *end = *copy + text->size; line < end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        at[(*count)++] = line;
        if (!stop)
            break;
        *stop = '\0';
        line = stop + 1;
    }
    qsort(at, *count, sizeof(*at), compare_lines);
    return at;
}

/* What work-items print is in no order between them: the same lines are the same text. */
static bool is_same_text(const struct cy_buf *a, const struct cy_buf *b)
{
    if (a->size != b->size)
        return false;
    if (!a->size || memcmp(a->data, b->data, a->size) == 0)
        return true;
    char *copies[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    char **lines[2];
    lines[0] = sort_lines(a, &copies[0], &counts[0]);
    lines[1] = sort_lines(b, &copies[1], &counts[1]);
    bool same = counts[0] == counts[1];
    for (size_t i = 0; same && i < counts[0]; i++)
        same = strcmp(lines[0][i], lines[1][i]) == 0;
    for (unsigned i = 0; i < 2; i++) {
        cy_free(copies[i]);
        cy_free(lines[i]);
    }
    return same;
}

/* ---- the end, and counters ---- */

/* Which of several faults comes first depends on the order of the work-items: the kinds are compared. */
static bool is_same_end(const struct cy_run_result *a, const struct cy_run_result *b)
{
    return a->faulted == b->faulted && (!a->faulted || a->fault.kind == b->fault.kind);
}

static bool is_same_lanes(const struct cy_lane_counters *a, const struct cy_lane_counters *b)
{
    return a->vectors == b->vectors && a->partial == b->partial && a->active == b->active &&
           a->branches == b->branches && a->splits == b->splits;
}

static bool has_lanes(const struct cy_insn *insn)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    for (size_t i = 0; i < count; i++)
        if (cy_fields[fields[i]].kind == CY_VREG)
            return true;
    return false;
}

/* Idle lanes are said of instructions that have lanes, in their first words. */
static bool is_same_insns(const struct cy_launch *launch, const struct cy_insn_counts *a,
                          const struct cy_insn_counts *b)
{
    const size_t words = launch->count_words;
    const uint32_t sms = launch->device->config.sms;
    struct cy_insn_counts *sums = cy_try_alloc(2 * words * sizeof(*sums));
    bool same = true;
    if (!sums)
        return true;
    cy_insn_counts_sum(a, sms, words, sums);
    cy_insn_counts_sum(b, sms, words, sums + words);
    for (size_t i = 0; i < words && same;) {
        const struct cy_program *program = launch->program;
        uint32_t pair[2];
        struct cy_insn insn;
        memcpy(pair, launch->device->memory.base + program->code_base + 4 * i, sizeof(pair));
        const bool is_insn = cy_decode(program->target, pair, 2, &insn) == CY_DECODE_OK;
        same = sums[i].issued == sums[words + i].issued && sums[i].divergent == sums[words + i].divergent &&
               (!is_insn || !has_lanes(&insn) || sums[i].idle_lanes == sums[words + i].idle_lanes);
        i += is_insn ? insn.size / 4 : 1;
    }
    cy_free(sums);
    return same;
}

static bool is_same_counts(const struct cy_launch *launch, const struct cy_run_result *a, const struct cy_run_result *b)
{
    if (a->counts && b->counts && !is_same_insns(launch, a->counts, b->counts))
        return false;
    return !launch->count_lanes || (a->instructions == b->instructions && is_same_lanes(&a->lanes, &b->lanes));
}

/* ---- all of it ---- */

bool cy_verify_compare(struct cy_launch *launch, bool *differs)
{
    struct cy_verification *verification = launch->verification;
    const struct cy_run_result *translated = &verification->results[CY_VERIFY_TRANSLATED];
    const struct cy_run_result *interpreted = &verification->results[CY_VERIFY_INTERPRETED];
    verification->end_differs = !is_same_end(translated, interpreted);
    bool ok = true;
    if (!translated->faulted &&
        !interpreted->faulted) { /* else: what the others had done by then depends on their order */
        ok = compare_words(launch);
        verification->text_differs = !is_same_text(&translated->text, &interpreted->text);
        verification->counts_differ = !is_same_counts(launch, translated, interpreted);
    }
    *differs = verification->word_count || verification->end_differs || verification->text_differs ||
               verification->counts_differ;
    return ok;
}

void cy_verify_explain(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    const struct cy_memory *memory = &launch->device->verify.views[2].memory;
    const struct cy_run_result *first = &verification->results[CY_VERIFY_INTERPRETED];
    const struct cy_run_result *other = &verification->results[CY_VERIFY_ORDERED];
    size_t left = 0;
    for (size_t i = 0; i < verification->word_count; i++) {
        const struct cy_different_word *word = &verification->words[i];
        uint32_t value;
        memcpy(&value, cy_memory_host(memory, word->address), sizeof(value));
        if (value == word->interpreted || other->faulted)
            verification->words[left++] = *word;
    }
    verification->word_count = left;
    verification->end_differs = verification->end_differs && is_same_end(first, other);
    verification->text_differs = verification->text_differs && is_same_text(&first->text, &other->text);
    verification->counts_differ = verification->counts_differ && is_same_counts(launch, first, other);
}

static int compare_places(const void *key, const void *element)
{
    const uint64_t address = *(const uint64_t *)key, other = ((const struct cy_different_word *)element)->address;
    return address < other ? -1 : address > other;
}

void cy_verify_mark_race(struct cy_launch *launch, uint64_t address, unsigned size)
{
    struct cy_verification *verification = launch->verification;
    verification->has_race_anywhere |= !size;
    for (uint64_t at = address & ~(uint64_t)3; at < address + size && verification->word_count; at += 4) {
        struct cy_different_word *word =
            bsearch(&at, verification->words, verification->word_count, sizeof(*word), compare_places);
        if (word)
            word->has_race = true;
    }
}

void cy_verify_excuse_races(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    size_t left = 0;
    for (size_t i = 0; i < verification->word_count; i++)
        if (!verification->words[i].has_race && !verification->has_race_anywhere)
            verification->words[left++] = verification->words[i];
    verification->word_count = left;
}

static const char *end_of(const struct cy_run_result *result)
{
    return result->faulted ? result->fault.report : "no fault";
}

static const char *text_of(const struct cy_run_result *result)
{
    return result->text.size ? result->text.data : "";
}

void cy_verify_describe(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    struct cy_difference *difference = &verification->difference;
    const struct cy_run_result *results[2] = {&verification->results[CY_VERIFY_TRANSLATED],
                                              &verification->results[CY_VERIFY_INTERPRETED]};
    if (verification->end_differs) {
        difference->kind = CY_DIFFERENT_END;
        for (unsigned i = 0; i < 2; i++)
            difference->texts[i] = end_of(results[i]);
    } else if (verification->word_count) {
        const struct cy_different_word *word = verification->words;
        difference->kind = CY_DIFFERENT_WORDS;
        difference->address = word->address;
        difference->translated = word->translated;
        difference->interpreted = word->interpreted;
        cy_memory_find(&launch->device->memory, word->address, &difference->buffer, &difference->buffer_bytes);
    } else if (verification->text_differs) {
        difference->kind = CY_DIFFERENT_TEXT;
        for (unsigned i = 0; i < 2; i++)
            difference->texts[i] = text_of(results[i]);
    } else {
        difference->kind = CY_DIFFERENT_COUNTS;
        for (unsigned i = 0; i < 2; i++)
            difference->instructions[i] = results[i]->instructions;
    }
}
