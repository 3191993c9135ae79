/* The profile as JSON; docs/profile.schema.json describes it. */
#include "profile/profile_priv.h"

#include "base/json.h"

static void put_uint(struct cy_json *json, const char *key, uint64_t value)
{
    cy_json_key(json, key);
    cy_json_uint(json, value);
}
static void put_text(struct cy_json *json, const char *key, const char *value)
{
    cy_json_key(json, key);
    cy_json_string(json, value);
}

static void put_figures(struct cy_json *json, const struct profile_view *view, const struct cy_figures_of *figures)
{
    const struct cy_insn_counts *counts = &figures->counts;
    put_uint(json, "issued", counts->issued);
    put_uint(json, "vector", figures->vector_issued);
    put_uint(json, "active_lanes", profile_lanes(view, figures));
    put_uint(json, "divergent", counts->divergent);
    put_uint(json, "flops", figures->flops);
    put_uint(json, "accesses", counts->accesses);
    put_uint(json, "access_lanes", counts->access_lanes);
    put_uint(json, "lines", counts->lines);
    put_uint(json, "local_accesses", counts->local_accesses);
    put_uint(json, "local_lanes", counts->local_lanes);
    put_uint(json, "local_passes", counts->local_passes);
    if (!view->profile->is_timed)
        return;
    put_uint(json, "cycles", profile_cycles(figures));
    cy_json_key(json, "stalls");
    cy_json_begin(json, '{');
    for (unsigned stall = CY_STALL_NONE + 1; stall < CY_STALL_EMPTY; stall++)
        put_uint(json, cy_stall_name((enum cy_stall)stall), figures->cycles[stall]);
    cy_json_end(json);
    put_uint(json, "l1d_requests", figures->l1d_requests);
    put_uint(json, "l1d_hits", figures->l1d_hits);
}

static void put_place(struct cy_json *json, const char *file, uint32_t line)
{
    if (!line)
        return;
    put_text(json, "file", file);
    put_uint(json, "line", line);
}

static void put_rows(struct cy_json *json, const struct profile_view *view)
{
    cy_json_key(json, "source_lines");
    cy_json_begin(json, '[');
    for (size_t i = 0; i < view->lines.count; i++) {
        const struct profile_line *line = &view->lines.at[i];
        cy_json_begin(json, '{');
        put_place(json, line->file, line->line);
        put_text(json, "text", line->text);
        put_figures(json, view, &line->figures);
        cy_json_end(json);
    }
    cy_json_end(json);
    cy_json_key(json, "instructions");
    cy_json_begin(json, '[');
    for (size_t i = 0; i < view->rows.count; i++) {
        const struct profile_row *row = &view->rows.at[i];
        cy_json_begin(json, '{');
        put_uint(json, "pc", row->pc);
        put_uint(json, "size", row->size);
        put_text(json, "text", row->text);
        put_text(json, "function", row->function);
        put_uint(json, "offset", row->offset);
        put_place(json, row->file, row->line);
        put_figures(json, view, &row->figures);
        cy_json_end(json);
    }
    cy_json_end(json);
}

static void put_kernel(struct cy_json *json, const struct profile_view *view)
{
    const struct cy_profile_kernel *kernel = view->kernel;
    cy_json_begin(json, '{');
    put_text(json, "name", kernel->name);
    put_text(json, "program", view->program->name);
    put_uint(json, "launches", kernel->launches);
    put_uint(json, "failed_launches", kernel->failed);
    put_uint(json, "workgroups", kernel->workgroups);
    put_uint(json, "counted_workgroups", kernel->counted);
    put_uint(json, "warps", kernel->warps);
    put_uint(json, "work_items", kernel->work_items);
    put_uint(json, "barriers", kernel->barriers);
    cy_json_key(json, "occupancy");
    cy_json_begin(json, '{');
    put_uint(json, "workgroups", kernel->resident_workgroups);
    put_uint(json, "warps", kernel->resident_warps);
    put_uint(json, "of_warps", view->profile->config.warps);
    cy_json_key(json, "limited_by");
    if (*kernel->limited_by)
        cy_json_string(json, kernel->limited_by);
    else /* no launch has ended */
        cy_json_null(json);
    cy_json_end(json);
    cy_json_key(json, "bytes");
    cy_json_double(json, profile_bytes(view));
    if (view->profile->is_timed) {
        put_uint(json, "launch_cycles", kernel->total_cycles);
        put_uint(json, "empty_cycles", kernel->empty_cycles);
        put_uint(json, "l1i_lookups", kernel->timing.l1i_lookups);
        put_uint(json, "l1i_misses", kernel->timing.l1i_misses);
        put_uint(json, "memory_reads", kernel->timing.memory_reads);
        put_uint(json, "memory_writes", kernel->timing.memory_writes);
    }
    cy_json_key(json, "total");
    cy_json_begin(json, '{');
    put_figures(json, view, &view->total);
    cy_json_end(json);
    put_rows(json, view);
    cy_json_end(json);
}

static void put_parameters(struct cy_json *json, const struct cy_profile *profile)
{
    struct cy_timing_parameter row;
    cy_json_key(json, "timing");
    if (!profile->is_timed) {
        cy_json_null(json);
        return;
    }
    cy_json_begin(json, '{');
    for (size_t i = 0; cy_timing_parameter(&profile->timing, i, &row); i++)
        put_uint(json, row.name, row.value);
    cy_json_end(json);
}

void cy_profile_json(const struct cy_profile *profile, struct cy_buf *out)
{
    struct cy_json json = {.out = out};
    cy_json_begin(&json, '{');
    put_text(&json, "format", "chengying profile");
    put_uint(&json, "version", 1);
    cy_json_key(&json, "machine");
    cy_json_begin(&json, '{');
    put_uint(&json, "sms", profile->config.sms);
    put_uint(&json, "warps", profile->config.warps);
    put_uint(&json, "threads", profile->config.threads);
    cy_json_end(&json);
    put_parameters(&json, profile);
    cy_json_key(&json, "kernels");
    cy_json_begin(&json, '[');
    for (size_t i = 0; i < profile->kernels.count; i++) {
        struct profile_view view;
        profile_view_open(&view, profile, i);
        put_kernel(&json, &view);
        profile_view_close(&view);
    }
    cy_json_end(&json);
    cy_json_end(&json);
    cy_buf_putc(out, '\n');
}
