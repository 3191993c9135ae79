/* The roofline plot as SVG: what the kernels achieve against the machine's peaks, both axes logarithmic. */
#include "profile/profile_priv.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 720
#define HEIGHT 480
#define LEFT 70
#define RIGHT 20
#define TOP 40
#define BOTTOM 60

struct point {
    const char *name;
    double intensity, rate;
};
struct plot {
    struct cy_buf *out;
    int low_x, high_x, low_y, high_y; /* powers of ten */
};

static double x_of(const struct plot *plot, double value)
{
    const double part = (log10(value) - plot->low_x) / (plot->high_x - plot->low_x);
    return LEFT + part * (WIDTH - LEFT - RIGHT);
}
static double y_of(const struct plot *plot, double value)
{
    const double part = (log10(value) - plot->low_y) / (plot->high_y - plot->low_y);
    return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

/* Text for XML. */
static void put_text(struct cy_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            cy_buf_puts(out, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
        else
            cy_buf_putc(out, *text);
    }
}

static void put_axes(const struct plot *plot)
{
    struct cy_buf *out = plot->out;
    for (int power = plot->low_x; power <= plot->high_x; power++) {
        const double x = x_of(plot, pow(10, power));
        cy_buf_printf(out, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>", x, TOP, x, HEIGHT - BOTTOM);
        cy_buf_printf(out, "<text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n", x, HEIGHT - BOTTOM + 18,
                      pow(10, power));
    }
    for (int power = plot->low_y; power <= plot->high_y; power++) {
        const double y = y_of(plot, pow(10, power));
        cy_buf_printf(out, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>", LEFT, y, WIDTH - RIGHT, y);
        cy_buf_printf(out, "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT - 8, y + 4, pow(10, power));
    }
    cy_buf_printf(out, "<text x='%d' y='%d' text-anchor='middle'>flop per byte of memory</text>\n",
                  (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16);
    cy_buf_printf(out, "<text transform='translate(18 %d) rotate(-90)' text-anchor='middle'>flop per cycle</text>\n",
                  (TOP + HEIGHT - BOTTOM) / 2);
}

static void put_roof(const struct plot *plot, const struct profile_peak *peak)
{
    const double low = pow(10, plot->low_x), high = pow(10, plot->high_x), floor_y = pow(10, plot->low_y);
    double ridge = peak->bytes > 0 ? peak->flops / peak->bytes : low, start = low, rate = peak->bytes * low;
    if (rate < floor_y && peak->bytes > 0) { /* where the slope enters the plot */
        start = floor_y / peak->bytes;
        rate = floor_y;
    }
    ridge = ridge < low ? low : ridge > high ? high : ridge;
    cy_buf_printf(plot->out,
                  "<polyline fill='none' stroke='#c33' stroke-width='2' points='%.1f,%.1f %.1f,%.1f %.1f,%.1f'/>\n",
                  x_of(plot, start), y_of(plot, peak->bytes > 0 ? rate : peak->flops), x_of(plot, ridge),
                  y_of(plot, peak->bytes > 0 && peak->bytes * ridge < peak->flops ? peak->bytes * ridge : peak->flops),
                  x_of(plot, high), y_of(plot, peak->flops));
    cy_buf_printf(plot->out, "<text x='%d' y='%.1f' text-anchor='end' fill='#c33'>%g flop per cycle</text>\n",
                  WIDTH - RIGHT - 4, y_of(plot, peak->flops) - 6, peak->flops);
    if (peak->bytes > 0)
        cy_buf_printf(plot->out, "<text x='%.1f' y='%.1f' fill='#c33'>%.3g bytes per cycle</text>\n",
                      x_of(plot, start) + 24, y_of(plot, rate) - 2, peak->bytes);
}

static int power_below(double value)
{
    return (int)floor(log10(value));
}

void cy_profile_roofline(const struct cy_profile *profile, struct cy_buf *out)
{
    const struct profile_peak peak = profile_peak(profile);
    struct plot plot = {.out = out, .low_x = -2, .high_x = 2, .low_y = -2, .high_y = power_below(peak.flops) + 1};
    struct point *points = cy_xrealloc(NULL, (profile->kernels.count + 1) * sizeof(points[0]));
    size_t count = 0;
    for (size_t i = 0; i < profile->kernels.count; i++) {
        struct profile_view view;
        profile_view_open(&view, profile, i);
        const double flops = (double)view.total.flops, bytes = profile_bytes(&view);
        struct point point = {profile->kernels.at[i].name, profile_ratio(flops, bytes),
                              profile_ratio(flops, (double)profile->kernels.at[i].total_cycles)};
        profile_view_close(&view);
        if (point.intensity <= 0 || (profile->is_timed && point.rate <= 0))
            continue;           /* no floating point: it has no place in this plot */
        if (!profile->is_timed) /* the model decides the height; without it the point is on the roof */
            point.rate = peak.flops;
        plot.low_x = power_below(point.intensity) < plot.low_x ? power_below(point.intensity) : plot.low_x;
        plot.high_x = power_below(point.intensity) + 1 > plot.high_x ? power_below(point.intensity) + 1 : plot.high_x;
        plot.low_y = power_below(point.rate) < plot.low_y ? power_below(point.rate) : plot.low_y;
        points[count++] = point;
    }
    cy_buf_printf(out,
                  "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
                  "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n"
                  "<text x='%d' y='22' font-size='15'>Roofline: %u SMs of %u threads%s</text>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, profile->config.sms, profile->config.threads,
                  profile->is_timed ? "" : " (no cycle model: intensity only)");
    put_axes(&plot);
    put_roof(&plot, &peak);
    for (size_t i = 0; i < count; i++) {
        const double x = x_of(&plot, points[i].intensity), y = y_of(&plot, points[i].rate);
        cy_buf_printf(out, "<circle cx='%.1f' cy='%.1f' r='5' fill='#36c'><title>", x, y);
        put_text(out, points[i].name);
        cy_buf_printf(out, ": %g flop per byte", points[i].intensity);
        if (profile->is_timed)
            cy_buf_printf(out, ", %g flop per cycle", points[i].rate);
        cy_buf_printf(out, "</title></circle><text x='%.1f' y='%.1f'>", x + 8, y + 16);
        put_text(out, points[i].name);
        cy_buf_puts(out, "</text>\n");
    }
    cy_buf_puts(out, "</svg>\n");
    cy_free(points);
}
