/* Folded stacks, the input of flamegraph.pl, speedscope and others: kernel;function;line;instruction cost.  A kernel of which only
 * some workgroups were counted is called "NAME (estimated)". */
#include "profile/profile_priv.h"

#include <inttypes.h>
#include <string.h>

static void put_frame(struct cy_buf *out, const char *text)
{
    for (; *text; text++)
        cy_buf_putc(out, *text == ';' || *text == '\n' ? ',' : *text);
}

static void put_row(const struct profile_view *view, const struct profile_row *row, const char *last, uint64_t cost,
                    struct cy_buf *out)
{
    const char *name = strrchr(row->file, '/');
    if (!cost)
        return;
    put_frame(out, view->kernel->name);
    if (view->kernel->counted < view->kernel->workgroups) /* the format has no place for comments */
        cy_buf_puts(out, " (estimated)");
    if (*row->function && strcmp(row->function, view->kernel->name) != 0) {
        cy_buf_putc(out, ';');
        put_frame(out, row->function);
    }
    if (row->line) {
        cy_buf_putc(out, ';');
        put_frame(out, name ? name + 1 : row->file);
        cy_buf_printf(out, ":%u", row->line);
    }
    cy_buf_putc(out, ';');
    put_frame(out, row->text);
    cy_buf_printf(out, "%s%s %" PRIu64 "\n", last ? ";" : "", last ? last : "", cost);
}

void cy_profile_flamegraph(const struct cy_profile *profile, struct cy_buf *out)
{
    for (size_t i = 0; i < profile->kernels.count; i++) {
        struct profile_view view;
        profile_view_open(&view, profile, i);
        for (size_t k = 0; k < view.rows.count; k++) {
            const struct profile_row *row = &view.rows.at[k];
            if (!profile->is_timed)
                put_row(&view, row, NULL, row->figures.counts.issued, out);
            for (unsigned stall = 0; profile->is_timed && stall < CY_STALL_COUNT; stall++)
                put_row(&view, row, cy_stall_name((enum cy_stall)stall), row->figures.cycles[stall], out);
        }
        profile_view_close(&view);
    }
}
