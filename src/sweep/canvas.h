/* A drawing, as SVG and as pixels. */
#ifndef CY_SWEEP_CANVAS_H
#define CY_SWEEP_CANVAS_H

#include "base/mem.h"

struct canvas {
    struct cy_buf svg;
    uint32_t *pixels; /* 0xRRGGBB, row by row */
    unsigned width, height;
};
bool canvas_open(struct canvas *canvas, int width,
                 int height); /* in units, of which a pixel is half; false: no memory */
void canvas_end(struct canvas *canvas);
void canvas_free(struct canvas *canvas);

enum canvas_anchor { CANVAS_START, CANVAS_MIDDLE, CANVAS_END, CANVAS_UPWARDS }; /* the last one: its middle, turned */
void canvas_text(struct canvas *canvas, double x, double y, enum canvas_anchor anchor, const char *text);
void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height, uint32_t colour);
void canvas_dot(struct canvas *canvas, double x, double y, bool is_filled, const char *kind, const char *title);

#endif
