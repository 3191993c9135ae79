/* Conway's game of life on a torus.  Two buffers alternate as the old and the new generation; only what is shown is
 * read back.  On a terminal it is animated, otherwise the last generation is printed.
 *
 *     cy exec -- build/bin/examples/life [GENERATIONS] */
#define _POSIX_C_SOURCE 200809L
#include "example.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 64, HEIGHT = 24 };

static const char *source =
    "kernel void step(global const uchar *old, global uchar *new)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), around = 0;\n"
    "    for (int dy = h - 1; dy <= h + 1; dy++)\n"
    "        for (int dx = w - 1; dx <= w + 1; dx++)\n"
    "            around += old[(y + dy) % h * w + (x + dx) % w];\n"
    "    /* `around` counts the cell itself, too */\n"
    "    new[y * w + x] = around == 3 || (around == 4 && old[y * w + x]);\n"
    "}\n";

/* A gun that shoots gliders. */
static const char *const gun[] = {
    "........................#...........", "......................#.#...........",
    "............##......##............##", "...........#...#....##............##",
    "##........#.....#...##..............", "##........#...#.##....#.#...........",
    "..........#.....#.......#...........", "...........#...#....................",
    "............##......................",
};

static void step_on_host(unsigned char *cells)
{
    static unsigned char old[HEIGHT * WIDTH];
    memcpy(old, cells, sizeof(old));
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        int around = 0;
        for (int dy = HEIGHT - 1; dy <= HEIGHT + 1; dy++)
            for (int dx = WIDTH - 1; dx <= WIDTH + 1; dx++)
                around += old[(i / WIDTH + dy) % HEIGHT * WIDTH + (i % WIDTH + dx) % WIDTH];
        cells[i] = around == 3 || (around == 4 && old[i]);
    }
}

static void show(const unsigned char *cells)
{
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++)
            putchar(cells[y * WIDTH + x] ? '#' : '.');
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    static unsigned char cells[HEIGHT * WIDTH], expected[HEIGHT * WIDTH];
    int generations = argc > 1 ? atoi(argv[1]) : 200;
    for (size_t y = 0; y < sizeof(gun) / sizeof(*gun); y++)
        for (size_t x = 0; gun[y][x]; x++)
            cells[(y + 3) * WIDTH + x + 3] = gun[y][x] == '#';
    memcpy(expected, cells, sizeof(cells));

    struct example example = start(source, 0, NULL);
    cl_kernel kernel = kernel_of(&example, "step");
    cl_mem turns[2] = {buffer_of(&example, sizeof(cells), cells), buffer_of(&example, sizeof(cells), NULL)};
    const size_t global[] = {WIDTH, HEIGHT};
    for (int i = 0; i < generations; i++) {
        check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &turns[i % 2]), "argument 0");
        check(clSetKernelArg(kernel, 1, sizeof(cl_mem), &turns[(i + 1) % 2]), "argument 1");
        check(clEnqueueNDRangeKernel(example.queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), "the launch");
        if (isatty(STDOUT_FILENO)) {
            const struct timespec pause = {.tv_nsec = 30000000};
            check(
                clEnqueueReadBuffer(example.queue, turns[(i + 1) % 2], CL_TRUE, 0, sizeof(cells), cells, 0, NULL, NULL),
                "reading the cells");
            printf("\033[H\033[J");
            show(cells);
            nanosleep(&pause, NULL);
        }
        step_on_host(expected);
    }
    check(clEnqueueReadBuffer(example.queue, turns[generations % 2], CL_TRUE, 0, sizeof(cells), cells, 0, NULL, NULL),
          "reading the cells");
    if (!isatty(STDOUT_FILENO))
        show(cells);
    int good = !memcmp(cells, expected, sizeof(cells));
    printf("%d generations, %s\n", generations, good ? "as the host has them" : "which the host has not");

    clReleaseMemObject(turns[0]);
    clReleaseMemObject(turns[1]);
    clReleaseKernel(kernel);
    finish(&example);
    return !good;
}
