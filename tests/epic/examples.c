/* The examples against pictures computed here, pixel by pixel, on several configurations: the picture is the same for
 * any number of cores, lanes and threads. */
#include <math.h>
#include <stdint.h>
#include <mpfr.h>

#include "epic/assemble.h"

enum { WIDTH = 320, HEIGHT = 240, PIXELS = WIDTH * HEIGHT };

/* ---- binary32 arithmetic in single steps (a compiler may join a product and a sum of one expression) ---- */

static float mul(float a, float b)
{
    return a * b;
}
static float add(float a, float b)
{
    return a + b;
}
static float sub(float a, float b)
{
    return a - b;
}
static float divide(float a, float b)
{
    return a / b;
}

/* Correctly rounded. */
static float rounded(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), float x)
{
    mpfr_t value;
    mpfr_init2(value, 24);
    mpfr_set_flt(value, x, MPFR_RNDN);
    function(value, value, MPFR_RNDN);
    const float result = mpfr_get_flt(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}

/* ---- comparison ---- */

struct expected {
    const uint32_t *pixels; /* of all frames */
    uint64_t frames;        /* how many there should be */
    uint64_t seen;
    const char *name;
};

static bool compare_frame(void *user, const struct cy_epic_frame *frame)
{
    struct expected *expected = user;
    const uint64_t number = expected->seen++;
    if (!CHECK(number < expected->frames) || !CHECK_EQ(frame->number, number) || !CHECK_EQ(frame->width, WIDTH) ||
        !CHECK_EQ(frame->height, HEIGHT))
        return false;
    const uint32_t *pixels = expected->pixels + number * PIXELS;
    unsigned different = 0;
    for (uint32_t i = 0; i < PIXELS; i++)
        if (frame->pixels[i] != pixels[i] && different++ < 5)
            fprintf(stderr, "%s, frame %u, pixel (%u, %u): 0x%08x, expected 0x%08x\n", expected->name, (unsigned)number,
                    i % WIDTH, i / WIDTH, frame->pixels[i], pixels[i]);
    CHECK_EQ(different, 0);
    return true;
}

static void check_example(const char *name, const char *define, uint32_t blocks, const uint32_t *pixels,
                          uint64_t frames)
{
    static const struct cy_epic_config shapes[] = {
        {.cores = 4, .lanes = 8},
        {.cores = 1, .lanes = 1},
        {.cores = 4, .lanes = 8, .threads = 1, .counters = true},
        {.cores = 3, .lanes = 5, .threads = 3},
        {.cores = 16, .lanes = 32, .threads = 16},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct cy_epic_config config = shapes[i];
        struct expected expected = {pixels, frames, 0, name};
        struct cy_epic_fault fault;
        config.memory_bytes = 16 << 20;
        struct cy_epic *gpu = make_gpu(&config);
        cy_epic_on_frame(gpu, compare_frame, &expected);
        if (load_example(gpu, name, define, i % 8, (uint32_t)i * 4096)) { /* anywhere in instruction memory */
            if (!CHECK_EQ(cy_epic_launch(gpu, i % 8, blocks, &fault), CY_EPIC_OK))
                fprintf(stderr, "%s: %s\n", name, fault.text);
            CHECK_EQ(expected.seen, frames);
        }
        cy_epic_destroy(gpu);
    }
}

/* ---- triangle ---- */

static int32_t edge_at(int32_t px, int32_t py, int32_t qx, int32_t qy, int32_t x, int32_t y)
{
    return (qx - px) * (y - py) - (qy - py) * (x - px);
}

static void test_triangle(void)
{
    static uint32_t pixels[PIXELS];
    const int32_t ax = 160, ay = 20, bx = 300, by = 215, cx = 20, cy = 215;
    const int32_t area = edge_at(ax, ay, bx, by, cx, cy);
    for (int32_t y = 0; y < HEIGHT; y++) {
        for (int32_t x = 0; x < WIDTH; x++) {
            const int32_t a = edge_at(bx, by, cx, cy, x, y), b = edge_at(cx, cy, ax, ay, x, y),
                          c = edge_at(ax, ay, bx, by, x, y);
            uint32_t color = (uint32_t)(y / 4 + 16);
            if (a >= 0 && b >= 0 && c >= 0)
                color = (uint32_t)(a * 255 / area << 16 | b * 255 / area << 8 | c * 255 / area);
            pixels[y * WIDTH + x] = color;
        }
    }
    check_example("triangle", NULL, HEIGHT, pixels, 1);
}

/* ---- mandelbrot ---- */

static uint32_t wheel(float angle, float offset)
{
    const float wave = rounded(mpfr_cos, add(angle, offset));
    return (uint32_t)add(mul(wave, 127.5f), 127.5f);
}

static uint32_t mandelbrot_color(float cx, float cy)
{
    float x = 0, y = 0;
    for (int turns = 0; turns < 96; turns++) {
        const float xx = mul(x, x), yy = mul(y, y), length = add(xx, yy);
        if (length > 256) {
            const float twice = rounded(mpfr_log, rounded(mpfr_log, length));
            const float smooth = add(sub((float)turns, mul(twice, 1.442695f)), 1.4712337f);
            const float angle = mul(smooth, 0.15f);
            return wheel(angle, 3.0f) << 16 | wheel(angle, 3.6f) << 8 | wheel(angle, 4.0f);
        }
        const float xy = mul(x, y);
        y = add(add(xy, xy), cy);
        x = add(sub(xx, yy), cx);
    }
    return 0;
}

static void test_mandelbrot(void)
{
    static uint32_t pixels[PIXELS];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            pixels[y * WIDTH + x] =
                mandelbrot_color(add(mul((float)x, 0.01f), -2.3f), add(mul((float)y, 0.01f), -1.2f));
    check_example("mandelbrot", NULL, HEIGHT, pixels, 1);
}

/* ---- life ---- */

static uint32_t sown(int x, int y)
{
    const int mx = x < WIDTH - 1 - x ? x : WIDTH - 1 - x, my = y < HEIGHT - 1 - y ? y : HEIGHT - 1 - y;
    uint32_t hash = (uint32_t)(my * WIDTH + mx) * 0x9e3779b1u;
    hash = (hash ^ hash >> 15) * 0x85ebca6bu;
    return hash >> 28 < 5 ? 0x01ffffc0 : 0;
}

static uint32_t next_cell(const uint32_t *field, int x, int y)
{
    const uint32_t old = field[y * WIDTH + x];
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if ((dx || dy) && field[(y + dy + HEIGHT) % HEIGHT * WIDTH + (x + dx + WIDTH) % WIDTH] >> 24)
                neighbours++;
    uint32_t age = old >> 24;
    if (neighbours == 3 || (neighbours == 2 && age > 0)) {
        age = age + 1 < 30 ? age + 1 : 30;
        return age << 24 | (255 - 8 * age) << 16 | (250 - 3 * age) << 8 | (120 + 4 * age);
    }
    const uint32_t r = old >> 16 & 255, g = old >> 8 & 255, b = old & 255;
    return (r - r / 8) << 16 | (g - g / 8) << 8 | (b - b / 8);
}

static void test_life(void)
{
    enum { GENERATIONS = 6 };
    static uint32_t pixels[GENERATIONS * PIXELS];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            pixels[y * WIDTH + x] = sown(x, y);
    for (int n = 1; n < GENERATIONS; n++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                pixels[n * PIXELS + y * WIDTH + x] = next_cell(pixels + (n - 1) * PIXELS, x, y);
    check_example("life", "GENERATIONS=6", 1, pixels, GENERATIONS);
}

/* ---- cube ---- */

struct vertex {
    float x, y, z, depth;
    int32_t sx, sy; /* sixteenths of a pixel */
};

static struct vertex project(int number, float sine, float cosine)
{
    float x = 0, y = 0, z = 0;
    if (number < 8) {
        x = number & 1 ? 1 : -1;
        y = number & 2 ? 1 : -1;
        z = number & 4 ? 1 : -1;
    } else {
        const float tip = number & 1 ? 1.75f : -1.75f;
        x = (number - 8) / 2 == 0 ? tip : 0;
        y = (number - 8) / 2 == 1 ? tip : 0;
        z = (number - 8) / 2 == 2 ? tip : 0;
    }
    struct vertex vertex;
    vertex.x = fmaf(z, sine, mul(x, cosine));
    const float z1 = sub(mul(z, cosine), mul(x, sine));
    vertex.y = sub(mul(y, cosine), mul(z1, sine));
    vertex.z = add(fmaf(z1, cosine, mul(y, sine)), 4.6f);
    const float near = divide(1, vertex.z), zoom = mul(225, near);
    vertex.sx = (int32_t)rintf(mul(fmaf(vertex.x, zoom, 160), 16));
    vertex.sy = (int32_t)rintf(mul(fmaf(vertex.y, zoom, 120), 16));
    vertex.depth = sub(2, near);
    return vertex;
}

static uint32_t shade(const struct vertex *a, const struct vertex *b, const struct vertex *c, uint32_t color)
{
    const float ux = sub(b->x, a->x), uy = sub(b->y, a->y), uz = sub(b->z, a->z);
    const float vx = sub(c->x, a->x), vy = sub(c->y, a->y), vz = sub(c->z, a->z);
    const float nx = sub(mul(uy, vz), mul(uz, vy)), ny = sub(mul(uz, vx), mul(ux, vz)),
                nz = sub(mul(ux, vy), mul(uy, vx));
    const float length = sqrtf(fmaf(nz, nz, fmaf(ny, ny, mul(nx, nx))));
    const float cosine = divide(fmaf(nz, 0.61f, fmaf(ny, 0.65f, mul(nx, 0.45f))), length);
    const uint32_t light = (uint32_t)rintf(mul(cosine > 0 ? cosine : 0, 185)) + 70;
    return ((color >> 16) * light >> 8) << 16 | ((color >> 8 & 255) * light >> 8) << 8 | ((color & 255) * light >> 8);
}

/* Positive on the inner side; pixels on edges other than top and left ones are outside. */
static int32_t biased_edge(const struct vertex *p, const struct vertex *q, int32_t x, int32_t y)
{
    const int32_t dx = q->sx - p->sx, dy = q->sy - p->sy;
    const bool top_or_left = dy < 0 || (dy == 0 && dx > 0);
    return edge_at(p->sx, p->sy, q->sx, q->sy, x, y) - (top_or_left ? 0 : 1);
}

static void draw(const struct vertex *a, const struct vertex *b, const struct vertex *c, uint32_t color,
                 uint32_t *pixels, float *depths)
{
    const int32_t area = edge_at(a->sx, a->sy, b->sx, b->sy, c->sx, c->sy);
    if (area <= 0)
        return;
    const uint32_t shaded = shade(a, b, c, color);
    const float da = divide(a->depth, (float)area), db = divide(b->depth, (float)area),
                dc = divide(c->depth, (float)area);
    for (int32_t y = 0; y < HEIGHT; y++) {
        for (int32_t x = 0; x < WIDTH; x++) {
            const int32_t px = x * 16 + 8, py = y * 16 + 8;
            const int32_t ea = biased_edge(b, c, px, py), eb = biased_edge(c, a, px, py),
                          ec = biased_edge(a, b, px, py);
            if (ea < 0 || eb < 0 || ec < 0)
                continue;
            const float depth = fmaf((float)ec, dc, fmaf((float)eb, db, mul((float)ea, da)));
            if (depth < depths[y * WIDTH + x]) {
                depths[y * WIDTH + x] = depth;
                pixels[y * WIDTH + x] = shaded;
            }
        }
    }
}

static void cube_frame(int number, uint32_t *pixels)
{
    static const struct {
        uint32_t color;
        uint8_t corners[6];
    } faces[] = {
        {0xe04038, {0, 2, 6, 0, 6, 4}},     {0xf09030, {1, 7, 3, 1, 5, 7}},     {0x40b050, {0, 4, 5, 0, 5, 1}},
        {0x3890e0, {2, 7, 6, 2, 3, 7}},     {0xe8d040, {0, 1, 3, 0, 3, 2}},     {0xa058d0, {4, 7, 5, 4, 6, 7}},
        {0xf0f0f0, {8, 10, 12, 8, 11, 13}}, {0xf0f0f0, {9, 10, 13, 9, 11, 12}}, {0x50d8d8, {8, 13, 10, 8, 12, 11}},
        {0x50d8d8, {9, 12, 10, 9, 13, 11}},
    };
    static float depths[PIXELS];
    struct vertex vertices[14];
    const float angle = mul((float)number, 0.1308997f), sine = rounded(mpfr_sin, angle),
                cosine = rounded(mpfr_cos, angle);
    for (int i = 0; i < 14; i++)
        vertices[i] = project(i, sine, cosine);
    for (uint32_t i = 0; i < PIXELS; i++) {
        const uint32_t level = i / WIDTH / 8;
        pixels[i] = 0x08080c + level * 0x010102;
        depths[i] = INFINITY;
    }
    for (size_t i = 0; i < sizeof(faces) / sizeof(faces[0]); i++)
        for (int half = 0; half < 6; half += 3)
            draw(&vertices[faces[i].corners[half]], &vertices[faces[i].corners[half + 1]],
                 &vertices[faces[i].corners[half + 2]], faces[i].color, pixels, depths);
}

static void test_cube(void)
{
    enum { FRAMES = 16 };
    static uint32_t pixels[FRAMES * PIXELS];
    for (int i = 0; i < FRAMES; i++)
        cube_frame(i, pixels + (size_t)i * PIXELS);
    check_example("cube", NULL, FRAMES, pixels, FRAMES);
}

TEST_MAIN(test_triangle, test_mandelbrot, test_life, test_cube)
