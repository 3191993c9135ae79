/* Two profiles (docs/profile.schema.json), compared line by line.  Lines are matched by their text, so that those of an edited source
 * find each other; where the text is unknown, by file and number. */
#include "diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_read.h"

struct line {
    const char *kernel, *name;
    double cost[2];
};
struct comparison {
    struct cy_arena arena;
    CY_VEC(struct line) lines;
    CY_VEC(struct line) kernels;
    bool is_timed; /* both are */
};

static void add(struct comparison *comparison, bool is_kernel, const char *kernel, const char *name, unsigned side,
                double cost)
{
    struct line *list = is_kernel ? comparison->kernels.at : comparison->lines.at;
    const size_t count = is_kernel ? comparison->kernels.count : comparison->lines.count;
    size_t at = 0;
    while (at < count && (strcmp(list[at].kernel, kernel) != 0 || strcmp(list[at].name, name) != 0))
        at++;
    struct line *line = at < count  ? &list[at]
                        : is_kernel ? cy_vec_push(&comparison->kernels)
                                    : cy_vec_push(&comparison->lines);
    if (at == count)
        *line = (struct line){.kernel = kernel, .name = name};
    line->cost[side] += cost;
}

static double cost_of(const struct comparison *comparison, const struct cy_json_value *figures)
{
    return cy_json_number(figures, comparison->is_timed ? "cycles" : "issued");
}

static const char *name_of(struct comparison *comparison, const struct cy_json_value *line)
{
    if (*cy_json_text(line, "text"))
        return cy_json_text(line, "text");
    if (!*cy_json_text(line, "file"))
        return "(no source line)";
    return cy_arena_printf(&comparison->arena, "%s:%.0f", cy_json_text(line, "file"), cy_json_number(line, "line"));
}

static void add_profile(struct comparison *comparison, const struct cy_json_value *profile, unsigned side)
{
    const struct cy_json_value *kernels = cy_json_get(profile, "kernels");
    for (const struct cy_json_value *kernel = kernels ? kernels->first : NULL; kernel; kernel = kernel->next) {
        const char *name = cy_json_text(kernel, "name");
        const struct cy_json_value *lines = cy_json_get(kernel, "source_lines");
        add(comparison, true, name, "", side, cost_of(comparison, cy_json_get(kernel, "total")));
        for (const struct cy_json_value *line = lines ? lines->first : NULL; line; line = line->next)
            add(comparison, false, name, name_of(comparison, line), side, cost_of(comparison, line));
    }
}

static const struct cy_json_value *read_profile(struct comparison *comparison, const char *path, struct cy_diags *diags)
{
    struct cy_buf text = {0};
    const struct cy_json_value *profile = NULL;
    if (cy_file_read(path, &text, diags))
        profile = cy_json_read(&comparison->arena, path, &text, diags);
    cy_buf_free(&text);
    if (!profile)
        return NULL;
    if (strcmp(cy_json_text(profile, "format"), "chengying profile") != 0) {
        cy_diag_file(diags, CY_ERROR, path, "not a profile of cy profile --json");
        return NULL;
    }
    if (cy_json_number(profile, "version") != 1) {
        cy_diag_file(diags, CY_ERROR, path, "a profile of version %g; this program reads version 1",
                     cy_json_number(profile, "version"));
        return NULL;
    }
    return profile;
}

static bool is_timed(const struct cy_json_value *profile)
{
    const struct cy_json_value *timing = cy_json_get(profile, "timing");
    return timing && timing->kind == CY_JSON_OBJECT;
}

/* The largest change first. */
static int by_change(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    const double one = fabs(left->cost[1] - left->cost[0]), other = fabs(right->cost[1] - right->cost[0]);
    const int order = strcmp(left->kernel, right->kernel);
    return one < other ? 1 : one > other ? -1 : order ? order : strcmp(left->name, right->name);
}

static void put_line(struct cy_buf *out, const struct line *line, const char *name)
{
    char percent[24] = "new";
    if (line->cost[0] > 0)
        snprintf(percent, sizeof(percent), "%+.1f %%", 100 * (line->cost[1] - line->cost[0]) / line->cost[0]);
    cy_buf_printf(out, "%14.0f %14.0f %+14.0f %12s  %s\n", line->cost[0], line->cost[1], line->cost[1] - line->cost[0],
                  line->cost[1] > 0 ? percent : "gone", name);
}

bool cy_profile_compare(const char *left, const char *right, struct cy_buf *out, bool *is_same, struct cy_diags *diags)
{
    struct comparison comparison = {0};
    const struct cy_json_value *first = read_profile(&comparison, left, diags),
                               *second = first ? read_profile(&comparison, right, diags) : NULL;
    *is_same = true;
    if (second) {
        comparison.is_timed = is_timed(first) && is_timed(second);
        add_profile(&comparison, first, 0);
        add_profile(&comparison, second, 1);
        qsort(comparison.lines.at, comparison.lines.count, sizeof(struct line), by_change);
        qsort(comparison.kernels.at, comparison.kernels.count, sizeof(struct line), by_change);
        cy_buf_printf(out, "%14s %14s %14s %12s  %s\n", "first", "second", "change", "",
                      comparison.is_timed ? "cycles of warps" : "warp instructions");
    }
    for (size_t k = 0; k < comparison.kernels.count; k++) {
        const struct line *kernel = &comparison.kernels.at[k];
        put_line(out, kernel, cy_arena_printf(&comparison.arena, "kernel %s", kernel->kernel));
        for (size_t i = 0; i < comparison.lines.count; i++) {
            const struct line *line = &comparison.lines.at[i];
            if (strcmp(line->kernel, kernel->kernel) != 0 || line->cost[0] == line->cost[1])
                continue;
            put_line(out, line, line->name);
            *is_same = false;
        }
    }
    cy_vec_free(&comparison.lines);
    cy_vec_free(&comparison.kernels);
    cy_arena_free(&comparison.arena);
    return second != NULL;
}
