/* The callgrind format (valgrind's manual, "Callgrind Format Specification"): one object per program, a function per symbol, costs
 * by address and line.  callgrind_annotate and KCachegrind read it. */
#include "profile/profile_priv.h"

#include <inttypes.h>
#include <string.h>

/* Events, in the order of the costs. */
static void put_events(const struct cy_profile *profile, struct cy_buf *out)
{
    cy_buf_puts(out, "event: Wi : warp instructions\nevent: La : active lanes\nevent: Ml : memory lines\nevent: Lp : "
                     "local passes\n");
    if (profile->is_timed)
        cy_buf_puts(
            out, "event: Cy : cycles of warps\nevent: Sm : stalled for memory\nevent: Ss : stalled by the scoreboard\n"
                 "event: Sn : no instruction\nevent: So : other stalls\nevent: Dm : L1D misses\n");
    cy_buf_puts(out, profile->is_timed ? "events: Cy Wi La Ml Lp Sm Ss Sn So Dm\n" : "events: Wi La Ml Lp\n");
}

static void put_costs(const struct profile_view *view, const struct cy_figures_of *figures, struct cy_buf *out)
{
    const uint64_t *cycles = figures->cycles;
    if (view->profile->is_timed)
        cy_buf_printf(out, " %" PRIu64, profile_cycles(figures));
    cy_buf_printf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, figures->counts.issued,
                  profile_lanes(view, figures), figures->counts.lines, figures->counts.local_passes);
    if (!view->profile->is_timed)
        return;
    cy_buf_printf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, cycles[CY_STALL_MEMORY],
                  cycles[CY_STALL_SCOREBOARD], cycles[CY_STALL_NO_INSTRUCTION],
                  cycles[CY_STALL_BANK_CONFLICT] + cycles[CY_STALL_UNIT_BUSY] + cycles[CY_STALL_BARRIER] +
                      cycles[CY_STALL_DIVERGENCE],
                  figures->l1d_requests - figures->l1d_hits);
}

/* A reader looks for the source there. */
static const char *file_of(const struct profile_view *view, const struct profile_row *row)
{
    const char *written = view->program->source_file;
    if (!*row->file)
        return "???";
    return written && !strcmp(row->file, PROFILE_SOURCE) ? written : row->file;
}

static void put_kernel(const struct profile_view *view, struct cy_buf *out)
{
    const char *function = NULL, *file = NULL;
    cy_buf_printf(out, "\nob=%s\n", view->program->object_file ? view->program->object_file : view->program->name);
    for (size_t i = 0; i < view->rows.count; i++) {
        const struct profile_row *row = &view->rows.at[i];
        const bool is_new = !function || strcmp(function, row->function) != 0;
        if (is_new) {
            cy_buf_printf(out, "fl=%s\nfn=%s\n", file_of(view, row), *row->function ? row->function : "???");
            file = row->file;
        } else if (strcmp(file, row->file) != 0) {
            cy_buf_printf(out, "fi=%s\n", file_of(view, row));
            file = row->file;
        }
        function = row->function;
        cy_buf_printf(out, "0x%x %u", row->pc, row->line);
        put_costs(view, &row->figures, out);
        cy_buf_putc(out, '\n');
    }
}

/* Readers show descriptions with the file's name. */
static void put_share(const struct cy_profile_kernel *kernel, struct cy_buf *out)
{
    if (kernel->counted < kernel->workgroups)
        cy_buf_printf(out,
                      "desc: Estimated: kernel %s, of whose %" PRIu64 " workgroups %" PRIu64
                      " were counted; --exact counts all\n",
                      kernel->name, kernel->workgroups, kernel->counted);
}

void cy_profile_callgrind(const struct cy_profile *profile, struct cy_buf *out)
{
    struct cy_figures_of total = {0};
    struct profile_view view;
    cy_buf_puts(out, "# callgrind format\nversion: 1\ncreator: chengying\npositions: instr line\n");
    for (size_t i = 0; i < profile->kernels.count; i++)
        put_share(&profile->kernels.at[i], out);
    put_events(profile, out);
    for (size_t i = 0; i < profile->kernels.count; i++) {
        profile_view_open(&view, profile, i);
        profile_figures_add(&total, &view.total);
        put_kernel(&view, out);
        profile_view_close(&view);
    }
    view = (struct profile_view){.profile = profile};
    cy_buf_puts(out, "\ntotals:");
    put_costs(&view, &total, out);
    cy_buf_putc(out, '\n');
}
