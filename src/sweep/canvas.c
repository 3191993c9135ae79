/* A drawing, as SVG and as pixels at the same time: rectangles, dots and words are all that the plots need. */
#include "sweep/canvas.h"

#include <math.h>
#include <string.h>

/* Numbers and not an enumeration, because lengths are floating point. */
#define SCALE 2            /* pixels per unit */
#define CELL 4             /* pixels per dot of a glyph */
#define GLYPH 3            /* dots in a row of it, */
#define LINES 5            /* and how many rows */
#define ADVANCE (4 * CELL) /* from one to the next */

/* From the space on: five rows of three dots, each an octal digit. */
static const char glyphs[][LINES + 1] = {
    "00000", "22202", "55000", "57575", "36267", "51245", "25257", "22000", /*   ! " # $ % & ' */
    "12221", "42224", "05250", "02720", "00024", "00700", "00002", "11244", /* ( ) * + , - . / */
    "75557", "26227", "71747", "71717", "55711", "74717", "74757", "71122", /* 0 to 7 */
    "75757", "75717", "02020", "02024", "12421", "07070", "42124", "71202", /* 8 9 : ; < = > ? */
    "75546", "25755", "65656", "34443", "65556", "74647", "74644", "34553", /* @ A to G */
    "55755", "72227", "11152", "55655", "44447", "57755", "65555", "25552", /* H to O */
    "65644", "25563", "65655", "34216", "72222", "55557", "55552", "55775", /* P to W */
    "55255", "55222", "71247", "64446", "44211", "31113", "25000", "00007", /* X Y Z [ \ ] ^ _ */
    "42000", "03553", "44656", "03443", "11353", "02743", "12722", "03536", /* ` a to g */
    "44655", "20222", "10152", "44565", "62227", "07755", "06555", "02552", /* h to o */
    "06564", "03531", "06544", "03616", "27221", "05553", "05552", "05577", /* p to w */
    "05225", "05534", "07127", "32623", "22222", "62326", "03600",          /* x y z { | } ~ */
};

bool canvas_open(struct canvas *canvas, int width, int height)
{
    const size_t count = (size_t)width * (size_t)height * SCALE * SCALE;
    *canvas = (struct canvas){.width = (unsigned)width * SCALE, .height = (unsigned)height * SCALE};
    canvas->pixels = cy_try_alloc(count * sizeof(canvas->pixels[0]));
    if (!canvas->pixels)
        return false;
    memset(canvas->pixels, 0xff, count * sizeof(canvas->pixels[0]));
    cy_buf_printf(&canvas->svg,
                  "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
                  "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
                  width, height, width, height);
    return true;
}

void canvas_end(struct canvas *canvas)
{
    cy_buf_puts(&canvas->svg, "</svg>\n");
}

void canvas_free(struct canvas *canvas)
{
    cy_buf_free(&canvas->svg);
    cy_free(canvas->pixels);
    *canvas = (struct canvas){0};
}

/* ---- pixels ---- */

/* `part` of the pixel gets this colour. */
static void blend(struct canvas *canvas, int x, int y, uint32_t colour, double part)
{
    if (x < 0 || y < 0 || x >= (int)canvas->width || y >= (int)canvas->height)
        return;
    uint32_t *pixel = &canvas->pixels[(size_t)y * canvas->width + (size_t)x], mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const double old = *pixel >> shift & 0xff, fresh = colour >> shift & 0xff;
        mixed |= (uint32_t)lround(old + (fresh - old) * part) << shift;
    }
    *pixel = mixed;
}

static void fill(struct canvas *canvas, double x, double y, double width, double height, uint32_t colour)
{
    for (int row = (int)lround(y); row < (int)lround(y + height); row++)
        for (int column = (int)lround(x); column < (int)lround(x + width); column++)
            blend(canvas, column, row, colour, 1);
}

/* The part of a pixel that is inside a circle, by a grid of samples. */
static double inside(double x, double y, double radius)
{
    const int grid = 4;
    int count = 0;
    for (int i = 0; i < grid * grid; i++) {
        const double dx = x + (i % grid + 0.5) / grid, dy = y + (i / grid + 0.5) / grid;
        count += dx * dx + dy * dy <= radius * radius;
    }
    return (double)count / (grid * grid);
}

static void disc(struct canvas *canvas, double x, double y, double radius, uint32_t colour)
{
    for (int row = (int)floor(y - radius); row <= (int)(y + radius); row++)
        for (int column = (int)floor(x - radius); column <= (int)(x + radius); column++)
            blend(canvas, column, row, colour, inside(column - x, row - y, radius));
}

static void glyph(struct canvas *canvas, double x, double y, bool upwards, char letter)
{
    const unsigned at = (unsigned)(unsigned char)letter - ' ';
    const char *rows = at < CY_COUNT(glyphs) ? glyphs[at] : glyphs['?' - ' '];
    for (int r = 0; r < LINES; r++)
        for (int c = 0; c < GLYPH; c++)
            if ((rows[r] - '0') >> (GLYPH - 1 - c) & 1) {
                if (upwards)
                    fill(canvas, x + r * CELL, y - (c + 1) * CELL, CELL, CELL, 0);
                else
                    fill(canvas, x + c * CELL, y + r * CELL, CELL, CELL, 0);
            }
}

/* ---- shapes ---- */

void canvas_rectangle(struct canvas *canvas, double x, double y, double width, double height, uint32_t colour)
{
    cy_buf_printf(&canvas->svg,
                  "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='rgb(%u,%u,%u)' stroke='white'/>", x, y,
                  width, height, colour >> 16, colour >> 8 & 0xff, colour & 0xff);
    fill(canvas, x * SCALE + 1, y * SCALE + 1, width * SCALE - 2, height * SCALE - 2, colour);
}

void canvas_dot(struct canvas *canvas, double x, double y, bool is_filled, const char *kind, const char *title)
{
    enum { BLUE = 0x3366cc, WHITE = 0xffffff, RADIUS = 4 };
    cy_buf_printf(&canvas->svg,
                  "<circle class='%s' cx='%.1f' cy='%.1f' r='%d' stroke='#36c' fill='%s'><title>%s</title></circle>\n",
                  kind, x, y, RADIUS, is_filled ? "#36c" : "white", title);
    disc(canvas, x * SCALE, y * SCALE, RADIUS * SCALE + 1, BLUE);
    if (!is_filled)
        disc(canvas, x * SCALE, y * SCALE, RADIUS * SCALE - 1, WHITE);
}

static void put_escaped(struct cy_buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            cy_buf_puts(out, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
        else
            cy_buf_putc(out, *text);
}

void canvas_text(struct canvas *canvas, double x, double y, enum canvas_anchor anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end", "middle"};
    const double length = (double)strlen(text) * ADVANCE - CELL;
    const double before = anchor == CANVAS_START ? 0 : anchor == CANVAS_END ? length : length / 2;
    if (anchor == CANVAS_UPWARDS)
        cy_buf_printf(&canvas->svg, "<text transform='translate(%.1f %.1f) rotate(-90)' text-anchor='middle'>", x, y);
    else
        cy_buf_printf(&canvas->svg, "<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchors[anchor]);
    put_escaped(&canvas->svg, text);
    cy_buf_puts(&canvas->svg, "</text>\n");
    for (size_t i = 0; text[i]; i++) {
        const double along = (double)i * ADVANCE - before;
        if (anchor == CANVAS_UPWARDS)
            glyph(canvas, x * SCALE - LINES * CELL, y * SCALE - along, true, text[i]);
        else
            glyph(canvas, x * SCALE + along, y * SCALE - LINES * CELL, false, text[i]);
    }
}
