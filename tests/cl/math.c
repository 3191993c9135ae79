/* The math functions as programs call them: in float, double and half, on every device, in every width of vectors, built with
 * each option that changes arithmetic; against MPFR, within the limits of math.def.  Arguments are special values, all pairs of
 * them, and random ones.
 *
 *     test_cl_math [all | NAME]    without an argument one of 331 combinations */
#include "math_cases.h"

enum { PER_ITEM = 34, COUNT = 12288 };

/* ---- arguments ---- */

static unsigned char arguments[3][COUNT * 8];
static cl_int numbers[COUNT];
static struct call calls[COUNT];

static void make_arguments(const struct type *t)
{
    for (unsigned i = 0; i < COUNT; i++) {
        const bool paired = i < SPECIALS * SPECIALS;
        double v[3];
        v[0] = anything(t);
        v[1] = anything(t);
        v[2] = random_bits() % 2 ? anything(t) : special(t, (unsigned)(random_bits() % SPECIALS));
        if (paired) {
            v[0] = special(t, i % SPECIALS);
            v[1] = special(t, i / SPECIALS);
        }
        for (unsigned k = 0; k < 3; k++)
            put_value(t, arguments[k] + i * t->bytes, v[k]);
        numbers[i] = i % 3 ? int_specials[random_bits() % (sizeof(int_specials) / sizeof(*int_specials))]
                           : (cl_int)(random_bits() % 81) - 40;
        mpfr_ptr exact[] = {calls[i].x, calls[i].y, calls[i].z};
        for (unsigned k = 0; k < 3; k++) { /* with the sign of a NaN */
            const double value = value_of(t, arguments[k] + i * t->bytes);
            mpfr_set_d(exact[k], value, MPFR_RNDN);
            mpfr_setsign(exact[k], exact[k], signbit(value) != 0, MPFR_RNDN);
        }
        calls[i].n = numbers[i];
        calls[i].type = t;
    }
}

/* ---- kernels ---- */

static const struct width {
    unsigned count, offset;
    const char *part;
} widths[] = {{1, 0, ".s0"}, {2, 1, ".s01"}, {3, 3, ".s012"}, {4, 6, ".s0123"}, {8, 10, ".lo"}, {16, 18, ""}};
enum { WIDTHS = sizeof(widths) / sizeof(*widths) };

static void write_width(char *text, size_t room, const struct row *row, const struct width *w)
{
    char n[12] = "", store[2][64], call[200];
    if (w->count > 1)
        snprintf(n, sizeof(n), "%u", w->count);
    write_call(call, sizeof(call), row, w->part, n);
    for (unsigned k = 0; k < 2; k++)
        if (w->count == 1)
            snprintf(store[k], sizeof(store[k]), "%s[%u] = %s;", k ? "q" : "o", w->offset, k ? "s" : "r");
        else
            snprintf(store[k], sizeof(store[k]), "vstore%u(%s, 0, %s + %u);", w->count, k ? "s" : "r", k ? "q" : "o",
                     w->offset);
    const bool second = row->shape == out || has_int(row);
    if (is_integral(row))
        snprintf(text, room, "    { S%s s = %s; %s }\n", n, call, store[1]);
    else
        snprintf(text, room, "    { %s%s%s T%s r = %s; %s %s }\n", second ? "S" : "", second ? n : "",
                 second ? " s;" : "", n, call, store[0], second ? store[1] : "");
}

static cl_program program_of(const struct row *row, const struct type *t, const char *text)
{
    char source[6000];
    int at = write_types(source, sizeof(source), row, t);
    at += snprintf(
        source + at, sizeof(source) - (size_t)at,
        "kernel void k(global T *results, global S *seconds, global const T *xs, global const T *ys,\n"
        "              global const T *zs, global const int *ns)\n{\n"
        "    size_t i = get_global_id(0);\n    T16 x = vload16(i, xs), y = vload16(i, ys), z = vload16(i, zs);\n"
        "    int16 m = vload16(i, ns);\n    global T *o = results + %d * i;\n    global S *q = seconds + %d * i;\n",
        PER_ITEM, PER_ITEM);
    for (unsigned k = 0; k < WIDTHS; k++) {
        write_width(source + at, sizeof(source) - (size_t)at, row, &widths[k]);
        at += (int)strlen(source + at);
    }
    snprintf(source + at, sizeof(source) - (size_t)at, "}\n");
    return build(source, text);
}

/* ---- checks ---- */

static unsigned char results[COUNT / 16 * PER_ITEM * 8], seconds[COUNT / 16 * PER_ITEM * 8];

static double check(const struct row *row, const struct type *t, const struct option *option)
{
    double worst = 0;
    unsigned wrong = 0;
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned k = 0; k < WIDTHS; k++) {
            const size_t at = (size_t)i / 16 * PER_ITEM + widths[k].offset + i % 16;
            struct call *c = &calls[i];
            const unsigned size = has_int(row) ? 4 : t->bytes;
            if (i % 16 >= widths[k].count ||
                is_right(row, c, option->flags, results + at * t->bytes, seconds + at * size, k == 0, &worst))
                continue;
            CHECK_STR("outside the limit", "within the limit");
            if (wrong++ < 4)
                printf("    %s of %s%u, %s: (%a, %a, %a, %ld) gives %a; %ld, %a\n", row->name, t->name, widths[k].count,
                       option->text, mpfr_get_d(c->x, MPFR_RNDN), mpfr_get_d(c->y, MPFR_RNDN),
                       mpfr_get_d(c->z, MPFR_RNDN), c->n, is_integral(row) ? NAN : value_of(t, results + at * t->bytes),
                       c->number, mpfr_get_d(c->r, MPFR_RNDN));
        }
    return worst;
}

/* ---- runs ---- */

static void run(const struct row *row, const struct type *t, const char *text)
{
    cl_program program = program_of(row, t, text);
    cl_kernel kernel = kernel_of(program, "k");
    const size_t size = COUNT * t->bytes, global = COUNT / 16;
    cl_mem buffers[6] = {buffer_of(0, sizeof(results), NULL), buffer_of(0, sizeof(seconds), NULL)};
    for (unsigned k = 0; k < 3; k++)
        buffers[2 + k] = buffer_of(CL_MEM_COPY_HOST_PTR, size, arguments[k]);
    buffers[5] = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers);
    for (cl_uint k = 0; k < 6; k++)
        CHECK_EQ(clSetKernelArg(kernel, k, sizeof(cl_mem), &buffers[k]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof(results), results, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, sizeof(seconds), seconds, 0, NULL, NULL), CL_SUCCESS);
    for (unsigned k = 0; k < 6; k++)
        clReleaseMemObject(buffers[k]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void refer(const struct row *row)
{
    for (unsigned i = 0; i < COUNT; i++)
        row->reference(&calls[i]);
}

/* Functions that were wrong once: these are always tried. */
static bool was_wrong(const char *name, unsigned type)
{
    static const struct {
        const char *name;
        unsigned type;
    } once[] = {{"half_sin", 0}, {"atan2", 1}, {"fract", 2}};
    for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++)
        if (type == once[i].type && !strcmp(name, once[i].name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    const bool all = *only != 0;
    cl_uint devices = open_device(0);
    tear_down();
    mpfr_set_emin(-5000);
    mpfr_set_emax(5000);
    for (unsigned i = 0; i < COUNT; i++)
        mpfr_inits2(PRECISION, calls[i].x, calls[i].y, calls[i].z, calls[i].r, calls[i].second, (mpfr_ptr)0);
    unsigned number = 0;
    for (unsigned t = 0; t < 3; t++) {
        make_arguments(&types[t]);
        for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
            const struct row *row = &rows[r];
            bool referred = false;
            if (row->ulp[t] < 0 || (all && strcmp(only, "all") && strcmp(only, row->name)))
                continue;
            for (cl_uint d = 0; d < devices; d++)
                for (unsigned o = 0; o < OPTIONS; o++) {
                    const bool always = d == 0 && o == 0 && was_wrong(row->name, t);
                    if (!all && number++ % 331 && !always) /* prime: not always the same option */
                        continue;
                    if (!referred)
                        refer(row);
                    referred = true;
                    open_device(d);
                    run(row, &types[t], options[o].text);
                    double worst = check(row, &types[t], &options[o]);
                    printf("%-14s %-6s device %u %9.3f of %-5g %s\n", row->name, types[t].name, d, worst, row->ulp[t],
                           options[o].text);
                    fflush(stdout);
                    tear_down();
                }
        }
    }
    for (unsigned i = 0; i < COUNT; i++)
        mpfr_clears(calls[i].x, calls[i].y, calls[i].z, calls[i].r, calls[i].second, (mpfr_ptr)0);
    mpfr_free_cache();
    return test_finish();
}
