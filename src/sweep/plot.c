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
    cy_buf_printf(out, "%12s %9s %9s\n", "cycles", "launches", "seconds");
    for (size_t i = 0; i < plan->points.count; i++) {
        for (size_t n = 0; n < plan->names.count; n++)
            cy_buf_printf(out, "%*s  ", widths[n], value_of(&plan->points.at[i], n));
        if (results[i].is_there)
            cy_buf_printf(out, "%12llu %9llu %9.3f\n", (unsigned long long)results[i].cycles,
                          (unsigned long long)results[i].launches, results[i].seconds);
        else
            cy_buf_printf(out, "%12s %9s %9s\n", "-", "-", "-");
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
    cy_buf_puts(out, "cycles,launches,seconds\n");
    for (size_t i = 0; i < plan->points.count; i++) {
        if (!results[i].is_there)
            continue;
        for (size_t n = 0; n < plan->names.count; n++) {
            put_field(out, value_of(&plan->points.at[i], n));
            cy_buf_putc(out, ',');
        }
        cy_buf_printf(out, "%llu,%llu,%.6f\n", (unsigned long long)results[i].cycles,
                      (unsigned long long)results[i].launches, results[i].seconds);
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

/* Fewer cycles are lighter.  Points that differ in other parameters share a cell: the fewest cycles are shown. */
static void heat_map(const struct cy_sweep_plan *plan, const struct cy_sweep_result *results, size_t x, size_t y,
                     struct canvas *out)
{
    const char **columns = cy_xrealloc(NULL, (plan->points.count + 1) * sizeof(columns[0])),
               **rows = cy_xrealloc(NULL, (plan->points.count + 1) * sizeof(rows[0]));
    const size_t column_count = values_of(plan, x, columns), row_count = values_of(plan, y, rows);
    uint64_t *cells = cy_xrealloc(NULL, column_count * row_count * sizeof(cells[0])), low = UINT64_MAX, high = 0;
    memset(cells, 0, column_count * row_count * sizeof(cells[0]));
    for (size_t i = 0; i < plan->points.count; i++) {
        const struct cy_sweep_point *point = &plan->points.at[i];
        uint64_t *cell = &cells[find(rows, value_of(point, y)) * column_count + find(columns, value_of(point, x))];
        if (results[i].is_there && (!*cell || results[i].cycles < *cell))
            *cell = results[i].cycles;
    }
    for (size_t i = 0; i < column_count * row_count; i++) {
        low = cells[i] && cells[i] < low ? cells[i] : low;
        high = cells[i] > high ? cells[i] : high;
    }
    const double width = (double)(WIDTH - LEFT - RIGHT) / (double)column_count,
                 height = (double)(HEIGHT - TOP - BOTTOM) / (double)row_count;
    put_frame(out, "Cycles (darker: more)", plan->names.at[x], plan->names.at[y]);
    for (size_t r = 0; r < row_count; r++)
        for (size_t c = 0; c < column_count; c++) {
            const uint64_t cycles = cells[r * column_count + c];
            const double heat = high > low ? (double)(cycles - low) / (double)(high - low) : 0;
            const double at_x = LEFT + width * (double)c, at_y = TOP + height * (double)r;
            char text[24];
            if (!cycles)
                continue;
            snprintf(text, sizeof(text), "%llu", (unsigned long long)cycles);
            canvas_rectangle(out, at_x, at_y, width, height,
                             (uint32_t)(255 - 70 * heat) << 16 | (uint32_t)(243 - 180 * heat) << 8 |
                                 (uint32_t)(200 - 160 * heat));
            canvas_text(out, at_x + width / 2, at_y + height / 2 + 4, CANVAS_MIDDLE, text);
        }
    for (size_t c = 0; c < column_count; c++)
        canvas_text(out, LEFT + width * ((double)c + 0.5), HEIGHT - BOTTOM + 18, CANVAS_MIDDLE, columns[c]);
    for (size_t r = 0; r < row_count; r++)
        canvas_text(out, LEFT - 8, TOP + height * ((double)r + 0.5) + 4, CANVAS_END, rows[r]);
    cy_free(cells);
    cy_free(columns);
    cy_free(rows);
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
        snprintf(text, sizeof(text), "%g: %llu", at, (unsigned long long)results[i].cycles);
        canvas_dot(out, at_x, at_y, front, front ? "front" : "other", text);
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
    if (!x) {
        x_index = varying[0];
        if (count == 2)
            y_index = varying[1];
    }
    if (!canvas_open(out, WIDTH, HEIGHT)) {
        cy_diag_file(diags, CY_ERROR, plan->toml.source.name, "no memory for the plot");
        return false;
    }
    if (y || (!x && count == 2))
        heat_map(plan, results, x_index, y_index, out);
    else
        pareto(plan, results, x_index, out);
    canvas_end(out);
    return true;
}
