/* The table that `cy profile` prints: kernels, their source lines, their instructions. */
#include "profile/profile_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 20, INSTRUCTIONS_SHOWN = 24, TEXT_SHOWN = 160 }; /* characters of a line */

static double percent(uint64_t part, uint64_t whole)
{
    return 100 * profile_ratio((double)part, (double)whole);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- a kernel ---- */

/* Of many launches only some workgroups' accesses are looked at, mostly of the first one: what part that was. */
static void put_looked(const struct profile_view *view, struct cy_buf *out)
{
    uint64_t looked = 0, issued = 0;
    for (size_t i = 0; i < view->rows.count; i++) {
        const struct cy_insn_counts *counts = &view->rows.at[i].figures.counts;
        if (counts->accesses || counts->local_accesses) {
            looked += counts->looked;
            issued += counts->issued;
        }
    }
    if (looked < issued)
        cy_buf_printf(out, "; %.2g %% looked at", percent(looked, issued));
    cy_buf_putc(out, '\n');
}

static void put_memory(const struct profile_view *view, struct cy_buf *out)
{
    const struct cy_insn_counts *counts = &view->total.counts;
    if (counts->accesses) {
        cy_buf_printf(out, "  %-22s %14" PRIu64 "  %.2f lines of %d bytes each, %.1f lanes", "memory accesses",
                      counts->accesses, profile_ratio((double)counts->lines, (double)counts->accesses), CY_COUNT_LINE,
                      profile_ratio((double)counts->access_lanes, (double)counts->accesses));
        put_looked(view, out);
    }
    if (counts->local_accesses) {
        cy_buf_printf(out, "  %-22s %14" PRIu64 "  %.2f passes through %d banks each, %.1f lanes", "local accesses",
                      counts->local_accesses,
                      profile_ratio((double)counts->local_passes, (double)counts->local_accesses), CY_COUNT_BANKS,
                      profile_ratio((double)counts->local_lanes, (double)counts->local_accesses));
        put_looked(view, out);
    }
}

static void put_cycles(const struct profile_view *view, struct cy_buf *out)
{
    const struct cy_profile_kernel *kernel = view->kernel;
    const struct cy_figures_of *total = &view->total;
    const uint64_t slots = profile_cycles(total) + kernel->empty_cycles;
    cy_buf_printf(
        out, "  %-22s %14" PRIu64 "  %.2f instructions per cycle and SM\n", "cycles", kernel->total_cycles,
        profile_ratio((double)kernel->instructions, (double)kernel->total_cycles * view->profile->config.sms));
    cy_buf_printf(out, "  %-22s %14" PRIu64 "  of which\n", "warp-slot cycles", slots);
    for (unsigned stall = 0; stall < CY_STALL_COUNT; stall++) {
        const uint64_t cycles = stall == CY_STALL_EMPTY ? kernel->empty_cycles : total->cycles[stall];
        if (cycles)
            cy_buf_printf(out, "    %-20s %14" PRIu64 "  %5.1f %%\n", cy_stall_name((enum cy_stall)stall), cycles,
                          percent(cycles, slots));
    }
    cy_buf_printf(out, "  %-22s %14" PRIu64 "  %.1f %% of %" PRIu64 " requests\n", "L1D hits", total->l1d_hits,
                  percent(total->l1d_hits, total->l1d_requests), total->l1d_requests);
    cy_buf_printf(out, "  %-22s %14" PRIu64 "  %.1f %% of %" PRIu64 " lookups\n", "L1I misses",
                  kernel->timing.l1i_misses, percent(kernel->timing.l1i_misses, kernel->timing.l1i_lookups),
                  kernel->timing.l1i_lookups);
}

static void put_roofline(const struct profile_view *view, struct cy_buf *out)
{
    const struct profile_peak peak = profile_peak(view->profile);
    const double bytes = profile_bytes(view), flops = (double)view->total.flops,
                 cycles = (double)view->kernel->total_cycles;
    cy_buf_printf(out, "  %-22s %14.3f  flop per byte of memory: %.0f flop, %.0f bytes\n", "arithmetic intensity",
                  profile_ratio(flops, bytes), flops, bytes);
    if (!view->profile->is_timed)
        return;
    const double roof = peak.bytes * profile_ratio(flops, bytes);
    cy_buf_printf(out, "  %-22s %14.3f  flop per cycle of %.3f (%s-bound peak); %.3f bytes of %.1f\n", "achieved",
                  profile_ratio(flops, cycles), bytes > 0 && roof < peak.flops ? roof : peak.flops,
                  bytes > 0 && roof < peak.flops ? "memory" : "compute", profile_ratio(bytes, cycles), peak.bytes);
}

static void put_kernel(const struct profile_view *view, struct cy_buf *out)
{
    const struct cy_profile_kernel *kernel = view->kernel;
    const struct cy_figures_of *total = &view->total;
    const uint32_t threads = view->profile->config.threads;
    uint64_t branches = 0;
    for (size_t i = 0; i < view->rows.count; i++)
        if (view->rows.at[i].is_vector_branch)
            branches += view->rows.at[i].figures.counts.issued;
    cy_buf_printf(out,
                  "kernel %s (%s): %" PRIu64 " launch%s, %" PRIu64 " workgroup%s, %" PRIu64 " warp%s, %" PRIu64
                  " work-item%s\n",
                  kernel->name, view->program->name, kernel->launches, kernel->launches == 1 ? "" : "es",
                  kernel->workgroups, plural(kernel->workgroups), kernel->warps, plural(kernel->warps),
                  kernel->work_items, plural(kernel->work_items));
    if (kernel->failed)
        cy_buf_printf(out, "  %-22s %14" PRIu64 "  faulted or were cancelled: %s\n", "failed launches", kernel->failed,
                      view->profile->is_timed ? "not in the figures" : "counted as far as they went");
    if (kernel->counted < kernel->workgroups)
        cy_buf_printf(out,
                      "  %-22s %14" PRIu64 "  of %" PRIu64
                      " workgroups (%.1f %%): counts are estimates; --exact counts all\n",
                      "counted", kernel->counted, kernel->workgroups, percent(kernel->counted, kernel->workgroups));
    cy_buf_printf(out, "  %-22s %14" PRIu64 "\n", "warp instructions", total->counts.issued);
    cy_buf_printf(out, "  %-22s %14.2f  of %u (%.1f %%)\n", "lanes active",
                  profile_ratio((double)profile_lanes(view, total), (double)total->vector_issued), threads,
                  percent(profile_lanes(view, total), total->vector_issued * threads));
    cy_buf_printf(out, "  %-22s %14" PRIu64 "  of %" PRIu64 " vector branches (%.1f %%)\n", "divergent branches",
                  total->counts.divergent, branches, percent(total->counts.divergent, branches));
    put_memory(view, out);
    if (*kernel->limited_by) /* a launch has ended */
        cy_buf_printf(out, "  %-22s %14u  of %u warps per SM; limited by %s\n", "occupancy", kernel->resident_warps,
                      view->profile->config.warps, kernel->limited_by);
    if (view->profile->is_timed)
        put_cycles(view, out);
    put_roofline(view, out);
}

/* ---- rows ---- */

static void put_figures(const struct profile_view *view, const struct cy_figures_of *figures, struct cy_buf *out)
{
    const struct cy_insn_counts *counts = &figures->counts;
    cy_buf_printf(out, "%6.1f %% %12" PRIu64, percent(profile_cost(view, figures), profile_cost(view, &view->total)),
                  counts->issued);
    if (view->profile->is_timed)
        cy_buf_printf(out, " %12" PRIu64, profile_cycles(figures));
    if (figures->vector_issued)
        cy_buf_printf(out, " %6.1f",
                      profile_ratio((double)profile_lanes(view, figures), (double)figures->vector_issued));
    else
        cy_buf_printf(out, " %6s", "-");
    if (counts->accesses)
        cy_buf_printf(out, " %6.2f", profile_ratio((double)counts->lines, (double)counts->accesses));
    else
        cy_buf_printf(out, " %6s", "-");
    if (counts->local_accesses)
        cy_buf_printf(out, " %6.2f", profile_ratio((double)counts->local_passes, (double)counts->local_accesses));
    else
        cy_buf_printf(out, " %6s", "-");
    if (!view->profile->is_timed)
        return;
    if (figures->l1d_requests)
        cy_buf_printf(out, " %5.0f%%", percent(figures->l1d_hits, figures->l1d_requests));
    else
        cy_buf_printf(out, " %6s", "-");
    unsigned worst = CY_STALL_NONE + 1;
    for (unsigned stall = worst; stall < CY_STALL_COUNT; stall++)
        worst = figures->cycles[stall] > figures->cycles[worst] ? stall : worst;
    if (figures->cycles[worst])
        cy_buf_printf(out, "  %-14s %3.0f%%", cy_stall_name((enum cy_stall)worst),
                      percent(figures->cycles[worst], profile_cycles(figures)));
    else
        cy_buf_printf(out, "  %-14s %4s", "-", "");
}

static void put_heading(const struct profile_view *view, const char *last, struct cy_buf *out)
{
    cy_buf_printf(out, "%8s %12s", "share", "issued");
    if (view->profile->is_timed)
        cy_buf_printf(out, " %12s", "cycles");
    cy_buf_printf(out, " %6s %6s %6s", "lanes", "lines", "passes");
    if (view->profile->is_timed)
        cy_buf_printf(out, " %6s  %-19s", "L1D", "mostly waits for");
    cy_buf_printf(out, "  %s\n", last);
}

/* The beginning of a line, with nothing that a terminal takes for a command. */
static void put_source(const char *text, struct cy_buf *out)
{
    size_t columns = 0;
    for (; *text && columns < TEXT_SHOWN; text++) {
        columns += (*text & 0xc0) != 0x80; /* not inside a character of UTF-8 */
        cy_buf_putc(out, (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);
    }
    for (; (*text & 0xc0) == 0x80; text++)
        cy_buf_putc(out, *text);
    cy_buf_puts(out, *text ? "..." : "");
}

static void put_lines(const struct profile_view *view, struct cy_buf *out)
{
    if (!view->lines.count || (view->lines.count == 1 && !view->lines.at[0].line))
        return;
    cy_buf_putc(out, '\n');
    put_heading(view, "source line", out);
    for (size_t i = 0; i < view->lines.count && i < LINES_SHOWN; i++) {
        const struct profile_line *line = &view->lines.at[i];
        put_figures(view, &line->figures, out);
        if (line->line) {
            cy_buf_printf(out, "  %s:%u  ", line->file, line->line);
            put_source(line->text, out);
            cy_buf_putc(out, '\n');
        } else {
            cy_buf_puts(out, "  (no source line)\n");
        }
    }
    if (view->lines.count > LINES_SHOWN)
        cy_buf_printf(out, "  ... %zu more\n", view->lines.count - LINES_SHOWN);
}

static uint64_t threshold(const struct profile_view *view)
{
    uint64_t costs[INSTRUCTIONS_SHOWN] = {0};
    for (size_t i = 0; i < view->rows.count; i++) {
        uint64_t cost = profile_cost(view, &view->rows.at[i].figures);
        for (size_t k = 0; k < INSTRUCTIONS_SHOWN; k++)
            if (cost > costs[k]) {
                const uint64_t lower = costs[k];
                costs[k] = cost;
                cost = lower;
            }
    }
    return costs[INSTRUCTIONS_SHOWN - 1];
}

/* The costliest instructions, in the order of the code. */
static void put_instructions(const struct profile_view *view, struct cy_buf *out)
{
    const uint64_t least = threshold(view);
    size_t shown = 0;
    cy_buf_putc(out, '\n');
    put_heading(view, "instruction", out);
    for (size_t i = 0; i < view->rows.count; i++) {
        const struct profile_row *row = &view->rows.at[i];
        if (profile_cost(view, &row->figures) < least || shown == INSTRUCTIONS_SHOWN)
            continue;
        shown++;
        put_figures(view, &row->figures, out);
        cy_buf_printf(out, "  %08x <%s+0x%x> %s\n", row->pc, row->function, row->offset, row->text);
    }
    if (view->rows.count > shown)
        cy_buf_printf(out, "  ... %zu cheaper; --json has all\n", view->rows.count - shown);
}

/* Kernels by cost, highest first. */
struct ordered {
    size_t kernel;
    uint64_t cost;
};
static int by_cost(const void *a, const void *b)
{
    const struct ordered *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost < right->cost ? 1 : -1;
    return left->kernel < right->kernel ? -1 : left->kernel > right->kernel;
}

static void put_machine(const struct cy_profile *profile, struct cy_buf *out)
{
    char preset[192];
    cy_timing_config_describe(&profile->timing, preset, sizeof(preset));
    cy_buf_printf(out, "timing: %u SM%s x %u warps x %u threads, %s\n", profile->config.sms,
                  plural(profile->config.sms), profile->config.warps, profile->config.threads, preset);
}

void cy_profile_text(const struct cy_profile *profile, struct cy_buf *out)
{
    struct ordered *order = cy_xrealloc(NULL, (profile->kernels.count + 1) * sizeof(order[0]));
    for (size_t i = 0; i < profile->kernels.count; i++)
        order[i] = (struct ordered){i, profile->is_timed ? profile->kernels.at[i].total_cycles
                                                         : profile->kernels.at[i].instructions};
    qsort(order, profile->kernels.count, sizeof(order[0]), by_cost);
    if (profile->is_timed && !profile->is_machine_said && profile->kernels.count)
        put_machine(profile, out);
    for (size_t i = 0; i < profile->kernels.count; i++) {
        struct profile_view view;
        profile_view_open(&view, profile, order[i].kernel);
        if (i)
            cy_buf_putc(out, '\n');
        put_kernel(&view, out);
        put_lines(&view, out);
        put_instructions(&view, out);
        profile_view_close(&view);
    }
    if (!profile->kernels.count)
        cy_buf_puts(out, "no kernel was launched\n");
    cy_free(order);
}
