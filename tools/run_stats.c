#include "run_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "isa/isa.h"
#include "obj/obj.h"
#include "profile/profile.h"

#define LINE_BYTES 128

#define TEXT_WIDTH 36
#define CLASS(id, latency, interval, text)                                                                             \
    _Static_assert(sizeof(text) <= TEXT_WIDTH + 1, "it is wider than its column");
#include "isa/sched.def"

enum space { LOCAL, GLOBAL, SPACES };
enum direction { LOADS, STORES, ATOMICS, DIRECTIONS };

struct traffic {
    uint64_t instructions, lanes, bytes, lines; /* lines: of 128 bytes, counted once per instruction */
};

/* Per SM: no two threads share one, so no lock is needed. */
struct tally {
    uint64_t units[CY_SCHED_COUNT];
    uint64_t vector, active; /* vector instructions, and their active lanes */
    uint64_t branches, divergent, barriers;
    uint64_t looked, issued; /* of accesses that were counted */
    struct traffic traffic[SPACES][DIRECTIONS];
    const char *last_name; /* the unit of the last instruction: the same pointer for the same unit */
    unsigned last_unit;
};

struct cy_stats {
    uint32_t sms;
    struct tally *tallies;
    struct cy_insn_counts *counts; /* by SM and word of the code, then sums by word; NULL: it is observed */
    size_t words;
    uint32_t code_base;
    const struct cy_buf *elf;
};

static unsigned unit_index(struct tally *tally, const char *name)
{
    if (name != tally->last_name)
        for (unsigned i = 0; i < CY_SCHED_COUNT; i++)
            if (strcmp(cy_scheds[i].name, name) == 0) {
                tally->last_name = name;
                tally->last_unit = i;
            }
    return tally->last_unit;
}

static bool is_vector_unit(unsigned unit)
{
    switch (unit) {
    case CY_SCHED_valu:
    case CY_SCHED_vmul:
    case CY_SCHED_vdiv:
    case CY_SCHED_vfpu:
    case CY_SCHED_vfdiv:
    case CY_SCHED_vsfu:
    case CY_SCHED_tensor:
    case CY_SCHED_lsu:
    case CY_SCHED_atomic: return true;
    default: return false;
    }
}

static void on_retired(void *context, const struct cy_event *event)
{
    struct tally *tally = &((struct cy_stats *)context)->tallies[event->sm];
    unsigned unit = unit_index(tally, event->unit);
    tally->units[unit]++;
    if (is_vector_unit(unit)) {
        tally->vector++;
        tally->active += (uint64_t)__builtin_popcountll(event->active);
    }
}

static void on_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    struct tally *tally = &((struct cy_stats *)context)->tallies[event->sm];
    uint64_t lines[64];
    unsigned line_count = 0, lanes = 0;
    if (!access->lanes)
        return;
    uint64_t first = access->address[__builtin_ctzll(access->lanes)];
    for (uint64_t left = access->lanes; left; left &= left - 1, lanes++) {
        uint64_t line = access->address[__builtin_ctzll(left)] / LINE_BYTES;
        unsigned i = 0;
        while (i < line_count && lines[i] != line)
            i++;
        if (i == line_count)
            lines[line_count++] = line;
    }
    enum space space = first >= CY_LDS_BASE && first < CY_LDS_END ? LOCAL : GLOBAL;
    enum direction direction = access->read && access->write ? ATOMICS : access->write ? STORES : LOADS;
    struct traffic *traffic = &tally->traffic[space][direction];
    traffic->instructions++;
    traffic->lanes += lanes;
    traffic->bytes += (uint64_t)lanes * access->size;
    traffic->lines += line_count;
}

static void on_branch(void *context, const struct cy_event *event, uint64_t taken)
{
    struct tally *tally = &((struct cy_stats *)context)->tallies[event->sm];
    tally->branches++;
    tally->divergent += taken && taken != event->active;
}

static void on_barrier(void *context, const struct cy_event *event)
{
    ((struct cy_stats *)context)->tallies[event->sm].barriers++;
}

struct cy_stats *cy_stats_create(uint32_t sms)
{
    struct cy_stats *stats = cy_xrealloc(NULL, sizeof(*stats));
    *stats = (struct cy_stats){.sms = sms};
    stats->tallies = cy_xrealloc(NULL, sms * sizeof(stats->tallies[0]));
    memset(stats->tallies, 0, sms * sizeof(stats->tallies[0]));
    return stats;
}

void cy_stats_free(struct cy_stats *stats)
{
    if (!stats)
        return;
    cy_free(stats->tallies);
    cy_free(stats->counts);
    cy_free(stats);
}

struct cy_observers cy_stats_observers(struct cy_stats *stats)
{
    return (struct cy_observers){
        .context = stats, .retired = on_retired, .memory = on_memory, .branch = on_branch, .barrier = on_barrier};
}

/* ---- counts ---- */

struct cy_insn_counts *cy_stats_counts(struct cy_stats *stats, const struct cy_program *program,
                                       const struct cy_buf *elf)
{
    stats->words = cy_program_count_words(program);
    stats->code_base = cy_program_code_base(program);
    stats->elf = elf;
    const size_t size = (stats->sms + 1) * stats->words * sizeof(stats->counts[0]);
    stats->counts = cy_xrealloc(NULL, size);
    memset(stats->counts, 0, size);
    return stats->counts;
}

static void add_traffic(struct traffic *traffic, uint64_t accesses, uint64_t lanes, uint64_t lines)
{
    traffic->instructions += accesses;
    traffic->lanes += lanes;
    traffic->lines += lines;
}

static void add_counts(struct tally *total, const struct cy_insn *insn, const struct cy_insn_counts *counts,
                       uint32_t threads)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    const enum direction direction = row->flags & CY_F_ATOMIC ? ATOMICS : row->flags & CY_F_STORE ? STORES : LOADS;
    total->units[row->sched] += counts->issued;
    if (is_vector_unit(row->sched)) {
        total->vector += counts->issued;
        total->active += counts->issued * threads - counts->idle_lanes;
    }
    if (row->format == CY_FORMAT_VB) {
        total->branches += counts->issued;
        total->divergent += counts->divergent;
    }
    if (row->flags & CY_F_BARRIER)
        total->barriers += counts->issued;
    add_traffic(&total->traffic[GLOBAL][direction], counts->accesses, counts->access_lanes, counts->lines);
    add_traffic(&total->traffic[LOCAL][direction], counts->local_accesses, counts->local_lanes, 0);
}

static struct tally sum_counts(const struct cy_stats *stats, uint32_t threads)
{
    struct tally total = {0};
    struct cy_object object;
    struct cy_diags unheard = {0}; /* it was loaded before */
    struct cy_insn_counts *sums = stats->counts + stats->sms * stats->words;
    cy_insn_counts_sum(stats->counts, stats->sms, stats->words, sums);
    if (!cy_object_read(&object, "", stats->elf->data, stats->elf->size, &unheard)) {
        cy_diags_free(&unheard);
        return total;
    }
    const enum cy_target target = object.flags & CY_EF_VENTUS_GEN2 ? CY_GEN2 : CY_GEN1;
    uint32_t *code = cy_xrealloc(NULL, stats->words * sizeof(code[0]));
    memset(code, 0, stats->words * sizeof(code[0]));
    cy_object_copy(&object, stats->code_base, code, stats->words * sizeof(code[0]));
    for (size_t word = 0, next; word < stats->words; word = next) {
        struct cy_insn insn;
        next = word + 1;
        if (!sums[word].issued || cy_decode(target, code + word, stats->words - word, &insn) != CY_DECODE_OK)
            continue;
        if (sums[word].looked) {
            total.looked += sums[word].looked;
            total.issued += sums[word].issued;
        }
        cy_profile_for_all_issues(&sums[word]);
        add_counts(&total, &insn, &sums[word], threads);
        next = word + insn.size / 4;
    }
    cy_free(code);
    cy_object_free(&object);
    cy_diags_free(&unheard);
    return total;
}

/* ---- the table ---- */

static struct tally sum(const struct cy_stats *stats)
{
    struct tally total = {0};
    for (uint32_t s = 0; s < stats->sms; s++) {
        const struct tally *tally = &stats->tallies[s];
        for (unsigned i = 0; i < CY_SCHED_COUNT; i++)
            total.units[i] += tally->units[i];
        total.vector += tally->vector;
        total.active += tally->active;
        total.branches += tally->branches;
        total.divergent += tally->divergent;
        total.barriers += tally->barriers;
        for (unsigned i = 0; i < SPACES; i++)
            for (unsigned j = 0; j < DIRECTIONS; j++) {
                total.traffic[i][j].instructions += tally->traffic[i][j].instructions;
                total.traffic[i][j].lanes += tally->traffic[i][j].lanes;
                total.traffic[i][j].bytes += tally->traffic[i][j].bytes;
                total.traffic[i][j].lines += tally->traffic[i][j].lines;
            }
    }
    return total;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* What was counted only has no sizes, and of local memory no lines. */
static void put_traffic(const struct tally *total, bool counted, struct cy_buf *out)
{
    static const char *const spaces[] = {"local", "global"}, *const directions[] = {"loads", "stores", "atomics"};
    cy_buf_printf(out, "%-46s %14s %14s %14s %10s\n", "memory", "instructions", counted ? "" : "bytes",
                  "128-byte lines", "lanes");
    for (unsigned i = 0; i < SPACES; i++)
        for (unsigned j = 0; j < DIRECTIONS; j++) {
            const struct traffic *traffic = &total->traffic[i][j];
            char bytes[24] = "", lines[24] = "";
            if (!traffic->instructions)
                continue;
            if (!counted)
                snprintf(bytes, sizeof(bytes), "%" PRIu64, traffic->bytes);
            if (!counted || i == GLOBAL)
                snprintf(lines, sizeof(lines), "%" PRIu64, traffic->lines);
            cy_buf_printf(out, "  %-7s %-36s %14" PRIu64 " %14s %14s %10.1f\n", spaces[i], directions[j],
                          traffic->instructions, bytes, lines, (double)traffic->lanes / (double)traffic->instructions);
        }
}

void cy_stats_print(const struct cy_stats *stats, const struct cy_counters *counters,
                    const struct cy_capabilities *device, struct cy_buf *out)
{
    const uint32_t threads = device->config.threads;
    const struct tally total = stats->counts ? sum_counts(stats, threads) : sum(stats);
    if (total.looked < total.issued)
        cy_buf_printf(out, "%-46s %13.2g%%  were looked at: what is said of their lanes and lines is an estimate\n",
                      "memory accesses", percent(total.looked, total.issued));
    cy_buf_printf(out, "%-46s %14" PRIu64 "\n", "warp instructions", counters->instructions);
    for (unsigned i = 0; i < CY_SCHED_COUNT; i++)
        if (total.units[i])
            cy_buf_printf(out, "  %-7s %-*s %14" PRIu64 "  %5.1f %%\n", cy_scheds[i].name, TEXT_WIDTH,
                          cy_scheds[i].text, total.units[i], percent(total.units[i], counters->instructions));
    cy_buf_printf(out, "%-46s %14.2f  of %u (%.1f %%)\n", "lanes active",
                  total.vector ? (double)total.active / (double)total.vector : 0.0, threads,
                  percent(total.active, total.vector * threads));
    cy_buf_printf(out, "%-46s %14" PRIu64 "  of %" PRIu64 " vector branches (%.1f %%)\n", "divergent branches",
                  total.divergent, total.branches, percent(total.divergent, total.branches));
    cy_buf_printf(out, "%-46s %14" PRIu64 "  passed by workgroups %" PRIu64 " times\n", "barriers executed",
                  total.barriers, counters->barriers);
    if (counters->splits)
        cy_buf_printf(out, "%-46s %14" PRIu64 "  times lanes that waited went on by themselves\n", "spinning",
                      counters->splits);
    put_traffic(&total, stats->counts, out);
    cy_buf_printf(out, "%-46s %14" PRIu64 "  with %" PRIu64 " warps, %" PRIu64 " work-items\n", "workgroups",
                  counters->workgroups, counters->warps, counters->work_items);
    cy_buf_printf(out, "%-46s %14u  workgroups, %u warps per SM at most; limited by %s\n", "occupancy",
                  counters->most_workgroups, counters->most_warps, counters->limited_by);
    cy_buf_printf(out, "%-46s %14s\n", "engine level", counters->engine_level);
    cy_buf_printf(out, "%-46s %14" PRIu64 "  of the instructions (%.1f %%)", "translated",
                  counters->instructions_translated,
                  percent(counters->instructions_translated, counters->instructions));
    if (counters->instructions_translated < counters->instructions)
        cy_buf_printf(out, "; not: %s", counters->not_translated);
    cy_buf_puts(out, "\n");
}
