/* A picture of the Mandelbrot set, computed on the device in bands (so that there is progress to show), checked against
 * the host and written as PNG.
 *
 *     cy exec -- build/bin/examples/mandelbrot mandelbrot.png
 */
#define _POSIX_C_SOURCE 200809L
#include "example.h"

#include <png.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 960, HEIGHT = 640, BAND = 32, LIMIT = 256 };
#define LEFT (-2.25f)
#define TOP (-1.0f)
#define STEP (1.0f / 320)

/* Multiplications and additions are not fused, so that the host can compute exactly the same. */
static const char *source =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "kernel void mandelbrot(global uchar *counts, int width, float left, float top, float step)\n"
    "{\n"
    "    int i = (int)get_global_id(0), j = (int)get_global_id(1), n = 0;\n"
    "    float x0 = left + (float)i * step, y0 = top + (float)j * step, x = 0, y = 0;\n"
    "    while (n < 255 && x * x + y * y < 4) {\n"
    "        float t = x * x - y * y + x0;\n"
    "        y = 2 * x * y + y0;\n"
    "        x = t;\n"
    "        n++;\n"
    "    }\n"
    "    counts[j * width + i] = (uchar)n;\n"
    "}\n";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static unsigned char count_on_host(int i, int j)
{
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
    float x0 = LEFT + (float)i * STEP, y0 = TOP + (float)j * STEP, x = 0, y = 0;
    int n = 0;
    while (n < LIMIT - 1 && x * x + y * y < 4) {
        float t = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = t;
        n++;
    }
    return (unsigned char)n;
}

static void show_progress(int done)
{
    if (!isatty(STDERR_FILENO))
        return;
    int filled = done * 40 / HEIGHT;
    fprintf(stderr, "\r[%.*s%*s] %3d %%%s", filled, "########################################", 40 - filled, "",
            done * 100 / HEIGHT, done == HEIGHT ? "\n" : "");
}

static int write_png(const char *path, const unsigned char *counts)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    unsigned char *pixels = malloc(3 * WIDTH * HEIGHT);
    if (!pixels)
        return 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        unsigned n = counts[i];
        pixels[3 * i] = (unsigned char)(n == LIMIT - 1 ? 0 : n * 9 % 256);
        pixels[3 * i + 1] = (unsigned char)(n == LIMIT - 1 ? 0 : n * 5 % 256);
        pixels[3 * i + 2] = (unsigned char)(n == LIMIT - 1 ? 0 : 80 + n * 3 % 176);
    }
    int ok = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
    free(pixels);
    return ok;
}

int main(int argc, char **argv)
{
    static unsigned char counts[WIDTH * HEIGHT];
    const char *path = argc > 1 ? argv[1] : "mandelbrot.png";
    double began = seconds();
    struct example example = start(source, 0, NULL);
    cl_kernel kernel = kernel_of(&example, "mandelbrot");
    double built = seconds();

    const int width = WIDTH;
    const float left = LEFT, top = TOP, step = STEP;
    cl_mem out = buffer_of(&example, sizeof(counts), NULL);
    check(clSetKernelArg(kernel, 0, sizeof(out), &out), "argument 0");
    check(clSetKernelArg(kernel, 1, sizeof(width), &width), "argument 1");
    check(clSetKernelArg(kernel, 2, sizeof(left), &left), "argument 2");
    check(clSetKernelArg(kernel, 3, sizeof(top), &top), "argument 3");
    check(clSetKernelArg(kernel, 4, sizeof(step), &step), "argument 4");
    for (size_t band = 0; band < HEIGHT; band += BAND) {
        const size_t offset[] = {0, band}, global[] = {WIDTH, BAND}, local[] = {32, 8};
        check(clEnqueueNDRangeKernel(example.queue, kernel, 2, offset, global, local, 0, NULL, NULL), "the launch");
        check(clFinish(example.queue), "waiting");
        show_progress((int)band + BAND);
    }
    check(clEnqueueReadBuffer(example.queue, out, CL_TRUE, 0, sizeof(counts), counts, 0, NULL, NULL),
          "reading the result");
    double computed = seconds();

    int wrong = 0;
    for (int j = 0; j < HEIGHT; j++)
        for (int i = 0; i < WIDTH; i++)
            wrong += counts[j * WIDTH + i] != count_on_host(i, j);
    double compared = seconds();
    if (!write_png(path, counts)) {
        fprintf(stderr, "mandelbrot: cannot write %s\n", path);
        return 1;
    }
    printf("%-24s %s\n", "device", example.name);
    printf("%-24s %dx%d pixels in %d launches\n", "picture", WIDTH, HEIGHT, HEIGHT / BAND);
    printf("%-24s %.3f s\n", "compiled in", built - began);
    printf("%-24s %.3f s\n", "computed in", computed - built);
    printf("%-24s %.3f s\n", "the host alone takes", compared - computed);
    printf("%-24s %d of %d pixels\n", "differ from the host", wrong, WIDTH * HEIGHT);
    printf("%-24s %s\n", "written to", path);

    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    finish(&example);
    return wrong != 0;
}
