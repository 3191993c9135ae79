/* Tables and plots of a sweep's results. */
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const struct cy_sweep_point *point, size_t name)
{
    return point->settings[name].value ? point->settings[name].value : "";
}

void cy_sweep_machines(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, struct cy_buf *out)
{
    const char *first = NULL;
    size_t others = 0, estimated = 0, known = 0;
    for (size_t i = 0; i < plan->points.count; i++) {
        if (!results[i].is_there)
            continue;
        first = first ? first : results[i].machine;
        others += strcmp(first, results[i].machine) != 0;
        estimated += results[i].estimated != 0;
        known++;
    }
    if (first)
        cy_buf_printf(out, "timing: %s, %s", first, plan->timing);
    if (others)
        cy_buf_printf(out, "; %zu of %zu points differ in the machine as their parameters say", others, known);
    if (first)
        cy_buf_putc(out, '\n');
    if (estimated)
        cy_buf_printf(out,
                      "note: the cycles of %zu of %zu points are estimates of long launches (column estimated); "
                      "sample_after = 0 in the plan computes all\n",
                      estimated, known);
}

void cy_sweep_table(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, struct cy_buf *out)
{
    int *widths = cy_xrealloc(NULL, (plan->names.count + 1) * sizeof(widths[0]));
    for (size_t n = 0; n < plan->names.count; n++) {
        widths[n] = (int)strlen(plan->names.at[n]);
        for (size_t i = 0; i < plan->points.count; i++) {
            const int width = (int)strlen(value_of(&plan->points.at[i], n));
            widths[n] = width > widths[n] ? width : widths[n];
        }
        cy_buf_printf(out, "%*s  ", widths[n], plan->names.at[n]);
    }
    cy_buf_printf(out, "%12s %9s %9s %9s\n", "cycles", "launches", "estimated", "seconds");
    for (size_t i = 0; i < plan->points.count; i++) {
        for (size_t n = 0; n < plan->names.count; n++)
            cy_buf_printf(out, "%*s  ", widths[n], value_of(&plan->points.at[i], n));
        if (results[i].is_there)
            cy_buf_printf(out, "%12llu %9llu %9llu %9.3f\n", (unsigned long long)results[i].cycles,
                          (unsigned long long)results[i].launches, (unsigned long long)results[i].estimated,
                          results[i].seconds);
        else
            cy_buf_printf(out, "%12s %9s %9s %9s\n", "-", "-", "-", "-");
    }
    cy_free(widths);
}

/* RFC 4180. */
static void put_field(struct cy_buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        cy_buf_puts(out, text);
        return;
    }
    cy_buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            cy_buf_putc(out, '"');
        cy_buf_putc(out, *text);
    }
    cy_buf_putc(out, '"');
}

void cy_sweep_csv(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, struct cy_buf *out)
{
    for (size_t n = 0; n < plan->names.count; n++) {
        put_field(out, plan->names.at[n]);
        cy_buf_putc(out, ',');
    }
    cy_buf_puts(out, "cycles,launches,estimated,seconds\n");
    for (size_t i = 0; i < plan->points.count; i++) {
        if (!results[i].is_there)
            continue;
        for (size_t n = 0; n < plan->names.count; n++) {
            put_field(out, value_of(&plan->points.at[i], n));
            cy_buf_putc(out, ',');
        }
        cy_buf_printf(out, "%llu,%llu,%llu,%.6f\n", (unsigned long long)results[i].cycles,
                      (unsigned long long)results[i].launches, (unsigned long long)results[i].estimated,
                      results[i].seconds);
    }
}

/* ---- plots ---- */

#define WIDTH 760
#define HEIGHT 520
#define LEFT 110
#define RIGHT 30
#define TOP 50
#define BOTTOM 70

static void put_frame(struct canvas *out, const char *title, const char *x, const char *y)
{
    canvas_text(out, LEFT, 26, CANVAS_START, title);
    canvas_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 20, CANVAS_MIDDLE, x);
    canvas_text(out, 20, (TOP + HEIGHT - BOTTOM) / 2, CANVAS_UPWARDS, y);
}

/* The different values of a parameter, in the order of the plan. */
static size_t values_of(const struct cy_sweep_plan *plan, size_t name, const char **values)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->points.count; i++) {
        const char *value = value_of(&plan->points.at[i], name);
        size_t k = 0;
        while (k < count && strcmp(values[k], value) != 0)
            k++;
        if (k == count)
            values[count++] = value;
    }
    return count;
}

static size_t find(const char *const *values, const char *value)
{
    size_t at = 0;
    while (strcmp(values[at], value) != 0)
        at++;
    return at;
}

/* ---- heat maps ---- */

/* The parameters on the axes, and the others that vary: each combination of their values has a map of its own. */
struct maps {
    const struct cy_sweep_plan *plan;
    const struct cy_sweep_result *results;
    size_t x, y;
    size_t others[64], other_count;
    CY_VEC(size_t) first; /* of each map: its first point */
    const char **columns, **rows;
    size_t column_count, row_count;
    uint64_t low, high; /* cycles, of all maps: colours mean the same in each */
};

struct area {
    double left, top, width, height;
};

static bool is_in(const struct maps *maps, size_t point, size_t map)
{
    const struct cy_sweep_point *one = &maps->plan->points.at[point],
                                *other = &maps->plan->points.at[maps->first.at[map]];
    for (size_t i = 0; i < maps->other_count; i++)
        if (strcmp(value_of(one, maps->others[i]), value_of(other, maps->others[i])) != 0)
            return false;
    return true;
}

static void find_maps(struct maps *maps)
{
    const struct cy_sweep_plan *plan = maps->plan;
    maps->columns = cy_xrealloc(NULL, (plan->points.count + 1) * sizeof(maps->columns[0]));
    maps->rows = cy_xrealloc(NULL, (plan->points.count + 1) * sizeof(maps->rows[0]));
    maps->column_count = values_of(plan, maps->x, maps->columns);
    maps->row_count = values_of(plan, maps->y, maps->rows);
    maps->low = UINT64_MAX;
    for (size_t i = 0; i < plan->points.count; i++) {
        size_t map = 0;
        while (map < maps->first.count && !is_in(maps, i, map))
            map++;
        if (map == maps->first.count)
            *cy_vec_push(&maps->first) = i;
        if (!maps->results[i].is_there)
            continue;
        maps->low = maps->results[i].cycles < maps->low ? maps->results[i].cycles : maps->low;
        maps->high = maps->results[i].cycles > maps->high ? maps->results[i].cycles : maps->high;
    }
}

/* Fewer cycles are lighter. */
static void draw_cell(const struct maps *maps, const struct area *cell, uint64_t cycles, struct canvas *out)
{
    const double heat = maps->high > maps->low ? (double)(cycles - maps->low) / (double)(maps->high - maps->low) : 0;
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)cycles);
    canvas_rectangle(out, cell->left, cell->top, cell->width, cell->height,
                     (uint32_t)(255 - 70 * heat) << 16 | (uint32_t)(243 - 180 * heat) << 8 |
                         (uint32_t)(200 - 160 * heat));
    canvas_text(out, cell->left + cell->width / 2, cell->top + cell->height / 2 + 4, CANVAS_MIDDLE, text);
}

static void draw_map(const struct maps *maps, size_t map, const struct area *area, struct canvas *out)
{
    const double width = area->width / (double)maps->column_count, height = area->height / (double)maps->row_count;
    for (size_t i = 0; i < maps->plan->points.count; i++) {
        const struct cy_sweep_point *point = &maps->plan->points.at[i];
        if (!maps->results[i].is_there || !is_in(maps, i, map))
            continue;
        const struct area cell = {area->left + width * (double)find(maps->columns, value_of(point, maps->x)),
                                  area->top + height * (double)find(maps->rows, value_of(point, maps->y)), width,
                                  height};
        draw_cell(maps, &cell, maps->results[i].cycles, out);
    }
    for (size_t c = 0; c < maps->column_count; c++)
        canvas_text(out, area->left + width * ((double)c + 0.5), area->top + area->height + 18, CANVAS_MIDDLE,
                    maps->columns[c]);
    for (size_t r = 0; r < maps->row_count; r++)
        canvas_text(out, area->left - 8, area->top + height * ((double)r + 0.5) + 4, CANVAS_END, maps->rows[r]);
}

/* "n=64, threads=4" */
static void put_others(const struct maps *maps, size_t map, struct cy_buf *text)
{
    const struct cy_sweep_point *point = &maps->plan->points.at[maps->first.at[map]];
    for (size_t i = 0; i < maps->other_count; i++)
        cy_buf_printf(text, "%s%s=%s", i ? ", " : "", maps->plan->names.at[maps->others[i]],
                      value_of(point, maps->others[i]));
}

enum { MOST_MAPS = 36, MAP_WIDTH = 400, MAP_HEIGHT = 300 }; /* of several: with their margins */

static bool draw_maps(const struct maps *maps, struct canvas *out)
{
    const size_t across = (size_t)ceil(sqrt((double)maps->first.count)),
                 down = (maps->first.count + across - 1) / across;
    const bool is_one = maps->first.count <= 1;
    const int width = is_one ? WIDTH : LEFT + MAP_WIDTH * (int)across,
              height = is_one ? HEIGHT : TOP + MAP_HEIGHT * (int)down + 40;
    if (!canvas_open(out, width, height))
        return false;
    canvas_text(out, LEFT, 26, CANVAS_START, "Cycles (darker: more)");
    canvas_text(out, (LEFT + width - RIGHT) / 2.0, height - 20, CANVAS_MIDDLE, maps->plan->names.at[maps->x]);
    canvas_text(out, 20, (TOP + height - BOTTOM) / 2, CANVAS_UPWARDS, maps->plan->names.at[maps->y]);
    for (size_t map = 0; map < maps->first.count; map++) {
        struct area area = {LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM};
        struct cy_buf text = {0};
        if (!is_one)
            area = (struct area){LEFT + MAP_WIDTH * (int)(map % across), TOP + 24 + MAP_HEIGHT * (int)(map / across),
                                 MAP_WIDTH - 90, MAP_HEIGHT - 70};
        put_others(maps, map, &text);
        if (text.size)
            canvas_text(out, area.left, area.top - 8, CANVAS_START, text.data);
        draw_map(maps, map, &area, out);
        cy_buf_free(&text);
    }
    return true;
}

static bool heat_maps(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, size_t x, size_t y,
                      const size_t *varying, size_t count, struct canvas *out, struct cy_diags *diags)
{
    struct maps maps = {.plan = plan, .results = results, .x = x, .y = y};
    for (size_t i = 0; i < count; i++)
        if (varying[i] != x && varying[i] != y)
            maps.others[maps.other_count++] = varying[i];
    find_maps(&maps);
    bool ok = maps.first.count <= MOST_MAPS;
    if (!ok) {
        struct cy_buf names = {0};
        for (size_t i = 0; i < maps.other_count; i++)
            cy_buf_printf(&names, "%s%s", i ? ", " : "", plan->names.at[maps.others[i]]);
        cy_diag_file(diags, CY_ERROR, plan->toml.source.name,
                     "a heat map over %s and %s for each combination of %s would be %zu maps, and %d fit: choose other "
                     "axes with --x and --y, or plot a plan with fewer values from the same --store",
                     plan->names.at[x], plan->names.at[y], names.data, maps.first.count, MOST_MAPS);
        cy_buf_free(&names);
    } else if (!draw_maps(&maps, out)) {
        cy_diag_file(diags, CY_ERROR, plan->toml.source.name, "no memory for the plot");
        ok = false;
    } else {
        canvas_end(out);
    }
    cy_vec_free(&maps.first);
    cy_free(maps.columns);
    cy_free(maps.rows);
    return ok;
}

/* ---- a Pareto front ---- */

/* Everything that varies, for the title of a dot. */
static void put_settings(const struct cy_sweep_plan *plan, size_t point, struct cy_buf *text)
{
    for (size_t n = 0; n < plan->names.count; n++)
        cy_buf_printf(text, "%s%s=%s", n ? ", " : "", plan->names.at[n], value_of(&plan->points.at[point], n));
}

/* Cycles over a parameter that costs something: a point is on the front if no other has less of both. */
static void pareto(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, size_t x,
                   struct canvas *out)
{
    double low = INFINITY, high = -INFINITY;
    uint64_t least = UINT64_MAX, most = 0;
    char text[48];
    for (size_t i = 0; i < plan->points.count; i++) {
        const double at = strtod(value_of(&plan->points.at[i], x), NULL);
        if (!results[i].is_there)
            continue;
        low = at < low ? at : low;
        high = at > high ? at : high;
        least = results[i].cycles < least ? results[i].cycles : least;
        most = results[i].cycles > most ? results[i].cycles : most;
    }
    put_frame(out, "Cycles; filled: the Pareto front (nothing has less of both)", plan->names.at[x], "cycles");
    for (size_t i = 0; i < plan->points.count; i++) {
        const double at = strtod(value_of(&plan->points.at[i], x), NULL);
        bool front = true;
        if (!results[i].is_there)
            continue;
        for (size_t k = 0; k < plan->points.count; k++) {
            const double other = strtod(value_of(&plan->points.at[k], x), NULL);
            front = front && !(results[k].is_there && other <= at && results[k].cycles <= results[i].cycles &&
                               (other < at || results[k].cycles < results[i].cycles));
        }
        const double at_x = LEFT + (high > low ? (at - low) / (high - low) : 0.5) * (WIDTH - LEFT - RIGHT);
        const double at_y = HEIGHT - BOTTOM -
                            (most > least ? (double)(results[i].cycles - least) / (double)(most - least) : 0.5) *
                                (HEIGHT - TOP - BOTTOM);
        struct cy_buf title = {0};
        put_settings(plan, i, &title);
        cy_buf_printf(&title, ": %llu", (unsigned long long)results[i].cycles);
        canvas_dot(out, at_x, at_y, front, front ? "front" : "other", title.data);
        cy_buf_free(&title);
    }
    for (int end = 0; end < 2 && most; end++) {
        snprintf(text, sizeof(text), "%g", end ? high : low);
        canvas_text(out, end ? WIDTH - RIGHT : LEFT, HEIGHT - BOTTOM + 24, CANVAS_MIDDLE, text);
        snprintf(text, sizeof(text), "%llu", (unsigned long long)(end ? most : least));
        canvas_text(out, LEFT - 12, end ? TOP + 4 : HEIGHT - BOTTOM + 4, CANVAS_END, text);
    }
}

static bool find_name(const struct cy_sweep_plan *plan, const char *name, size_t *index, struct cy_diags *diags)
{
    for (*index = 0; *index < plan->names.count; ++*index)
        if (!strcmp(plan->names.at[*index], name))
            return true;
    const char *near = cy_sweep_nearest(plan, name);
    cy_diag_file(diags, CY_ERROR, plan->toml.source.name, "no parameter '%s'%s%s%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

bool cy_sweep_plot(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, const char *x,
                   const char *y, struct canvas *out, struct cy_diags *diags)
{
    size_t x_index = 0, y_index = 0, varying[64], count = 0;
    const char **values = cy_xrealloc(NULL, (plan->points.count + 1) * sizeof(values[0]));
    for (size_t n = 0; n < plan->names.count && count < CY_COUNT(varying); n++)
        if (values_of(plan, n, values) > 1)
            varying[count++] = n;
    cy_free(values);
    if (!x && !count) {
        cy_diag_file(diags, CY_ERROR, plan->toml.source.name, "nothing to plot: no parameter has two values");
        return false;
    }
    if ((x && !find_name(plan, x, &x_index, diags)) || (y && !find_name(plan, y, &y_index, diags)))
        return false;
    if (!x && y) {
        size_t i = 0;
        while (i + 1 < count && varying[i] == y_index)
            i++;
        x_index = varying[i];
    } else if (!x) {
        x_index = varying[0];
        y_index = varying[count > 1];
    }
    if (y || (!x && count > 1))
        return heat_maps(plan, results, x_index, y_index, varying, count, out, diags);
    if (!canvas_open(out, WIDTH, HEIGHT)) {
        cy_diag_file(diags, CY_ERROR, plan->toml.source.name, "no memory for the plot");
        return false;
    }
    pareto(plan, results, x_index, out);
    canvas_end(out);
    return true;
}
