/* The instructions of a kernel with their text, function and source line, and the sums over lines. */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

#include "isa/effects.h"
#include "obj/lines.h"
#include "obj/obj.h"
#include "sources/sources.h"

void profile_figures_add(struct cy_figures_of *sum, const struct cy_figures_of *more)
{
    uint64_t *to = &sum->counts.issued;
    const uint64_t *from = &more->counts.issued;
    _Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "only 64-bit numbers");
    for (size_t i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
        to[i] += from[i];
}

uint64_t profile_cycles(const struct cy_figures_of *figures)
{
    uint64_t sum = 0;
    for (unsigned stall = 0; stall < CY_STALL_COUNT; stall++)
        sum += figures->cycles[stall];
    return sum;
}

uint64_t profile_cost(const struct profile_view *view, const struct cy_figures_of *figures)
{
    return view->profile->is_timed ? profile_cycles(figures) : figures->counts.issued;
}

uint64_t profile_lanes(const struct profile_view *view, const struct cy_figures_of *figures)
{
    return figures->vector_issued * view->profile->config.threads - figures->counts.idle_lanes;
}

double profile_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double profile_bytes(const struct profile_view *view)
{
    const struct cy_timing_counters *timing = &view->kernel->timing;
    if (view->profile->is_timed)
        return (double)(timing->memory_reads + timing->memory_writes) *
               cy_timing_config_get(&view->profile->timing, "l2_line");
    return (double)(view->total.counts.lines * (uint64_t)CY_COUNT_LINE);
}

struct profile_peak profile_peak(const struct cy_profile *profile)
{
    const struct cy_timing_config *timing = &profile->timing;
    struct profile_peak peak = {.flops = 2.0 * profile->config.sms * profile->config.threads};
    if (!profile->is_timed)
        return peak;
    const double interval = cy_timing_config_get(timing, "memory_interval"),
                 latency = cy_timing_config_get(timing, "memory_latency"),
                 outstanding = cy_timing_config_get(timing, "memory_outstanding");
    const double rate = outstanding / latency < 1 / interval ? outstanding / latency : 1 / interval;
    peak.flops *= cy_timing_config_get(timing, "issue_width");
    peak.bytes = rate * cy_timing_config_get(timing, "l2_line");
    return peak;
}

/* ---- instructions ---- */

/* Floating-point operations of one lane: the arithmetic ones, not moves, conversions and comparisons. */
static unsigned flops_of(const struct cy_effects *effects)
{
    switch ((enum cy_work)cy_functions[effects->function].work) {
    case CY_WORK_FUSED: return 2;
    case CY_WORK_ARITHMETIC: return 1;
    default: return 0;
    }
}

static struct cy_figures_of figures_at(const struct profile_view *view, size_t word)
{
    const struct cy_profile_kernel *kernel = view->kernel;
    struct cy_figures_of figures = {.counts = kernel->sums[word]};
    if (kernel->cycles) {
        memcpy(figures.cycles, kernel->cycles[word].cycles, sizeof(figures.cycles));
        figures.l1d_requests = kernel->cycles[word].l1d_requests;
        figures.l1d_hits = kernel->cycles[word].l1d_hits;
    }
    return figures;
}

static const char *function_of(const struct cy_object *object, uint32_t pc, uint32_t *offset)
{
    const struct cy_symbol *best = NULL;
    for (size_t i = 0; i < object->symbols.count; i++) {
        const struct cy_symbol *symbol = &object->symbols.at[i];
        if (symbol->section == CY_SHN_UNDEF || symbol->section >= CY_SHN_ABS || symbol->value > pc || !*symbol->name ||
            strncmp(symbol->name, ".L", 2) == 0 || symbol->type == CY_STT_SECTION || symbol->type == CY_STT_FILE ||
            symbol->type == CY_STT_OBJECT)
            continue;
        if (!best || symbol->value > best->value || (symbol->value == best->value && symbol->type == CY_STT_FUNC))
            best = symbol;
    }
    *offset = best ? pc - best->value : 0;
    return best ? best->name : "";
}

static uint64_t in_proportion(uint64_t found, const struct cy_insn_counts *counts)
{
    return (uint64_t)((double)found * ((double)counts->issued / (double)counts->looked) + 0.5);
}

void cy_profile_for_all_issues(struct cy_insn_counts *counts)
{
    if (!counts->looked || counts->looked == counts->issued)
        return;
    counts->accesses = in_proportion(counts->accesses, counts);
    counts->access_lanes = in_proportion(counts->access_lanes, counts);
    counts->lines = in_proportion(counts->lines, counts);
    counts->local_accesses = in_proportion(counts->local_accesses, counts);
    counts->local_lanes = in_proportion(counts->local_lanes, counts);
    counts->local_passes = in_proportion(counts->local_passes, counts);
}

/* Returns the words that the instruction takes. */
static size_t add_row(struct profile_view *view, const struct cy_object *object, const struct cy_lines *lines,
                      const uint32_t *words, size_t word)
{
    struct cy_figures_of figures = figures_at(view, word);
    struct cy_insn insn;
    struct cy_effects effects;
    struct cy_buf text = {0};
    const enum cy_target target = object->flags & CY_EF_VENTUS_GEN2 ? CY_GEN2 : CY_GEN1;
    struct profile_row row = {.pc = view->program->code_base + 4 * (uint32_t)word, .size = 4, .file = ""};
    if (!figures.counts.issued && !profile_cycles(&figures))
        return 1;
    cy_profile_for_all_issues(&figures.counts);
    if (cy_decode(target, words + word, view->program->words - word, &insn) == CY_DECODE_OK) {
        cy_print(&text, target, &insn, row.pc + insn.size - 4, CY_PRINT_CSR_NAMES);
        for (char *at = text.data; at && *at; at++)
            *at = *at == '\t' ? ' ' : *at;
        row.size = insn.size;
        cy_effects(target, &insn, &effects);
        row.is_vector_branch = effects.flow == CY_FLOW_VECTOR_BRANCH;
        if (effects.is_lanes)
            figures.vector_issued = figures.counts.issued;
        else
            figures.counts.idle_lanes = 0; /* it has no lanes */
        figures.flops = flops_of(&effects) * (effects.is_lanes ? profile_lanes(view, &figures) : figures.counts.issued);
    }
    row.text = cy_arena_strndup(&view->arena, text.data ? text.data : "", text.size);
    row.function = cy_arena_printf(&view->arena, "%s", function_of(object, row.pc, &row.offset));
    const struct cy_line_row *line = lines ? cy_lines_find(lines, row.pc) : NULL;
    if (line && line->line && line->file != UINT32_MAX) {
        struct cy_buf path = {0};
        cy_lines_path(lines, line, &path);
        const char *slash = strrchr(path.data, '/');
        const bool is_source = slash && !strcmp(slash + 1, PROFILE_SOURCE); /* which has no directory */
        row.file = is_source ? PROFILE_SOURCE : cy_arena_strndup(&view->arena, path.data, path.size);
        row.line = line->line;
        cy_buf_free(&path);
    }
    row.figures = figures;
    profile_figures_add(&view->total, &figures);
    *cy_vec_push(&view->rows) = row;
    cy_buf_free(&text);
    return row.size / 4;
}

/* ---- lines ---- */

static int by_place(const void *a, const void *b)
{
    const struct profile_row *const *left = a, *const *right = b;
    const int order = strcmp((*left)->file, (*right)->file);
    return order ? order : (*left)->line < (*right)->line ? -1 : (*left)->line > (*right)->line;
}

struct sorted_line {
    struct profile_line line;
    uint64_t cost;
};
static int by_cost(const void *a, const void *b)
{
    const struct sorted_line *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost < right->cost ? 1 : -1;
    const int order = strcmp(left->line.file, right->line.file);
    return order ? order : left->line.line < right->line.line ? -1 : left->line.line > right->line.line;
}

/* The text of a line of a source. */
static const char *line_text(struct profile_view *view, const char *source, uint32_t number)
{
    const char *at = source;
    for (uint32_t line = 1; at && line < number; line++) {
        const char *end = strchr(at, '\n');
        at = end ? end + 1 : NULL;
    }
    if (!at || !number)
        return "";
    at += strspn(at, " \t");
    return cy_arena_strndup(&view->arena, at, strcspn(at, "\r\n"));
}

static void add_texts(struct profile_view *view, const struct cy_sources *sources)
{
    struct cy_buf text = {0};
    const char *open = NULL;
    for (size_t i = 0; i < view->lines.count; i++) {
        struct profile_line *line = &view->lines.at[i];
        line->text = "";
        if (!*line->file)
            continue;
        if (!open || strcmp(open, line->file) != 0) {
            cy_buf_free(&text);
            text = (struct cy_buf){0};
            if (view->program->source && !strcmp(line->file, PROFILE_SOURCE))
                cy_buf_puts(&text, view->program->source);
            else
                cy_sources_text(sources, line->file, &text);
            open = line->file;
        }
        line->text = text.data ? line_text(view, text.data, line->line) : "";
    }
    cy_buf_free(&text);
}

static void add_lines(struct profile_view *view, const struct cy_sources *sources)
{
    const size_t count = view->rows.count;
    const struct profile_row **order = cy_arena_alloc(&view->arena, (count + 1) * sizeof(order[0]));
    struct sorted_line *lines = cy_arena_alloc(&view->arena, (count + 1) * sizeof(lines[0]));
    size_t line_count = 0;
    for (size_t i = 0; i < count; i++)
        order[i] = &view->rows.at[i];
    qsort(order, count, sizeof(order[0]), by_place);
    for (size_t i = 0; i < count; i++) {
        if (!i || by_place(&order[i - 1], &order[i]) != 0)
            lines[line_count++].line = (struct profile_line){.file = order[i]->file, .line = order[i]->line};
        profile_figures_add(&lines[line_count - 1].line.figures, &order[i]->figures);
    }
    for (size_t i = 0; i < line_count; i++)
        lines[i].cost = profile_cost(view, &lines[i].line.figures);
    qsort(lines, line_count, sizeof(lines[0]), by_cost);
    for (size_t i = 0; i < line_count; i++)
        *cy_vec_push(&view->lines) = lines[i].line;
    add_texts(view, sources);
}

void profile_view_open(struct profile_view *view, const struct cy_profile *profile, size_t kernel)
{
    *view = (struct profile_view){.profile = profile, .kernel = &profile->kernels.at[kernel]};
    view->program = &profile->programs.at[view->kernel->program];
    struct cy_object object;
    struct cy_lines lines = {0};
    struct cy_diags unheard = {0};
    if (!cy_object_read(&object, view->program->name, view->program->elf, view->program->elf_size, &unheard)) {
        cy_diags_free(&unheard); /* it was loaded before: a damaged file, which has nothing to show */
        return;
    }
    const bool has_lines = cy_lines_read(&lines, &object);
    uint32_t *words = cy_arena_alloc(&view->arena, (view->program->words + 1) * sizeof(words[0]));
    cy_object_copy(&object, view->program->code_base, words, view->program->words * sizeof(words[0]));
    for (size_t word = 0; word < view->program->words;)
        word += add_row(view, &object, has_lines ? &lines : NULL, words, word);
    struct cy_sources sources;
    cy_sources_read(&sources, &object);
    add_lines(view, &sources);
    cy_sources_free(&sources);
    cy_lines_free(&lines);
    cy_object_free(&object);
    cy_diags_free(&unheard);
}

void profile_view_close(struct profile_view *view)
{
    cy_vec_free(&view->rows);
    cy_vec_free(&view->lines);
    cy_arena_free(&view->arena);
}
