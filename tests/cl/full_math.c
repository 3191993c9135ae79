/* The math functions in full: those of one float over all 2^32 of them, of one half over all 2^16; the others over all pairs or
 * triples of special values and many random ones.  Each chunk runs in another width of vectors.  The host's arithmetic finds the
 * results that may be outside the limit of math.def, and MPFR judges them.  With the options whose table differs the same again,
 * with the others over a part of the arguments.
 *
 *     full_math --list
 *     full_math [option...] NAME...   names as in math.def: sin, half_sin, +
 *         --type=float|double|half    only this type
 *         --options=TEXT              only this build option; empty for none
 *         --samples=N                 of functions that have too many arguments for all
 *         --stride=N                  every N-th float, a quick look
 *         --width=N                   only vectors of N
 *         --device=N */
#include "math_cases.h"
#include "math_fast.h"

#include <limits.h>
#include <unistd.h>

enum { CHUNK = 3 << 18, PAD = 16, CACHE = 1024, REPORTED = 8 };
static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
enum { WIDTHS = sizeof(widths) / sizeof(*widths) };

static struct {
    const char *type, *options;
    uint64_t samples, stride;
    unsigned width, device;
} settings = {.samples = 1 << 22, .stride = 1};

/* One chunk, its arguments in the type itself and as doubles. */
static _Alignas(64) unsigned char arguments[3][(CHUNK + PAD) * 8], results[(CHUNK + PAD) * 8],
    seconds[(CHUNK + PAD) * 8];
static double values[3][CHUNK];
static cl_int numbers[CHUNK + PAD];

struct work {
    const struct row *row;
    const struct type *type;
    unsigned kind;
    const struct option *option;
    fast_function *fast;
    uint64_t total, stride;
    double worst;
    double worst_x, worst_y, worst_z;
    int worst_n;
    uint64_t judged, wrong;
    struct call call;
};

/* ---- arguments ---- */

static bool has_y(const struct row *row)
{
    return row->shape == two || row->shape == op || row->shape == three || row->shape == relation2 ||
           row->shape == int_out2 || row->shape == next;
}
static bool is_exhaustive(const struct work *w)
{
    return !has_y(w->row) && w->row->shape != with_int && w->type->bytes < 8;
}

LOOPS static void fill_all(const struct work *w, uint64_t first, size_t count)
{
    const uint32_t base = (uint32_t)(first * w->stride), stride = (uint32_t)w->stride;
    uint16_t *restrict halves = (uint16_t *)(void *)arguments[0];
    uint32_t *restrict words = (uint32_t *)(void *)arguments[0];
    if (w->type->bytes == 2)
        for (size_t i = 0; i < count; i++)
            halves[i] = (uint16_t)(base + (uint32_t)i * stride);
    else
        for (size_t i = 0; i < count; i++)
            words[i] = base + (uint32_t)i * stride;
}

/* All pairs or triples of special values first, and of special values and ints. */
static void fill_some(const struct work *w, uint64_t first, size_t count)
{
    enum { INTS = sizeof(int_specials) / sizeof(*int_specials) };
    const struct type *t = w->type;
    const uint64_t paired = (uint64_t)SPECIALS * SPECIALS * (w->row->shape == three ? SPECIALS : 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t k = first + i;
        double v[3];
        for (unsigned j = 0; j < 3; j++)
            v[j] = anything(t);
        if (k < paired) {
            v[0] = special(t, (unsigned)(k % SPECIALS));
            v[1] = special(t, (unsigned)(k / SPECIALS % SPECIALS));
            v[2] = special(t, (unsigned)(k / SPECIALS / SPECIALS));
        } else if (k % 8 == 0) {
            const uint64_t which = random_bits() % 3;
            v[which] = special(t, (unsigned)(random_bits() % SPECIALS));
        }
        for (unsigned j = 0; j < 3; j++)
            put_value(t, arguments[j] + i * t->bytes, v[j]);
        numbers[i] = k < (uint64_t)SPECIALS * INTS ? int_specials[k / SPECIALS]
                     : k % 4 == 0                  ? (cl_int)random_bits()
                     : k % 4 == 1                  ? int_specials[random_bits() % INTS]
                                                   : (cl_int)(random_bits() % 321) - 160;
    }
}

LOOPS static void to_doubles(const struct type *t, const unsigned char *from, double *restrict to, size_t count)
{
    if (t->bytes == 4)
        for (size_t i = 0; i < count; i++)
            to[i] = (double)((const float *)(const void *)from)[i];
    else
        for (size_t i = 0; i < count; i++)
            to[i] = value_of(t, from + i * t->bytes);
}

static void fill(const struct work *w, uint64_t first, size_t count)
{
    if (is_exhaustive(w))
        fill_all(w, first, count);
    else
        fill_some(w, first, count);
    for (unsigned k = 0; k < (has_y(w->row) ? 3u : 1u); k++)
        to_doubles(w->type, arguments[k], values[k], count);
}

/* ---- the device ---- */

static cl_mem buffers[6];

static cl_program program_of(const struct work *w)
{
    char source[12000], call[200];
    const struct row *row = w->row;
    int at = write_types(source, sizeof(source), row, w->type);
    for (unsigned k = 0; k < WIDTHS; k++) {
        char n[12] = "";
        if (widths[k] > 1)
            snprintf(n, sizeof(n), "%u", widths[k]);
        write_call(call, sizeof(call), row, "", n);
        at +=
            snprintf(source + at, sizeof(source) - (size_t)at,
                     "#define vload(i, p) (p)[i]\n#define vstore(v, i, p) (p)[i] = (v)\n"
                     "kernel void k%u(global T *results, global S *seconds, global const T *xs, global const T *ys,\n"
                     "                global const T *zs, global const int *ns)\n{\n    size_t i = get_global_id(0);\n"
                     "    T%s x = vload%s(i, xs);\n",
                     widths[k], n, n);
        if (has_y(row))
            at += snprintf(source + at, sizeof(source) - (size_t)at, "    T%s y = vload%s(i, ys);\n", n, n);
        if (row->shape == three)
            at += snprintf(source + at, sizeof(source) - (size_t)at, "    T%s z = vload%s(i, zs);\n", n, n);
        if (row->shape == with_int)
            at += snprintf(source + at, sizeof(source) - (size_t)at, "    int%s m = vload%s(i, ns);\n", n, n);
        if (is_integral(row))
            at += snprintf(source + at, sizeof(source) - (size_t)at, "    S%s s = %s;\n", n, call);
        else
            at += snprintf(source + at, sizeof(source) - (size_t)at,
                           "    S%s s;\n    T%s r = %s;\n    vstore%s(r, i, results);\n", n, n, call, n);
        if (is_integral(row) || row->shape == out || has_int(row))
            at += snprintf(source + at, sizeof(source) - (size_t)at, "    vstore%s(s, i, seconds);\n", n);
        at += snprintf(source + at, sizeof(source) - (size_t)at, "}\n");
    }
    return build(source, w->option->text);
}

static void must(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, error);
        exit(2);
    }
}

static void start(const struct work *w, cl_kernel kernel, unsigned width, size_t count, cl_event *done)
{
    const struct row *row = w->row;
    const size_t bytes = w->type->bytes, global = (count + width - 1) / width;
    const bool second = is_integral(row) || row->shape == out || has_int(row);
    for (unsigned k = 0; k < (row->shape == three ? 3u : has_y(row) ? 2u : 1u); k++)
        must(clEnqueueWriteBuffer(queue, buffers[2 + k], CL_TRUE, 0, count * bytes, arguments[k], 0, NULL, NULL),
             "write");
    if (row->shape == with_int)
        must(clEnqueueWriteBuffer(queue, buffers[5], CL_TRUE, 0, count * 4, numbers, 0, NULL, NULL), "write");
    for (cl_uint k = 0; k < 6; k++)
        must(clSetKernelArg(kernel, k, sizeof(cl_mem), &buffers[k]), "argument");
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL), "kernel");
    const size_t second_bytes = has_int(row) ? 4 : bytes;
    if (second)
        must(clEnqueueReadBuffer(queue, buffers[1], CL_FALSE, 0, count * second_bytes, seconds, 0, NULL, NULL), "read");
    must(clEnqueueReadBuffer(queue, buffers[0], CL_FALSE, 0, count * bytes, results, 0, NULL, done), "read");
    must(clFlush(queue), "flush");
}

/* ---- judging ---- */

static void judge(struct work *w, size_t i, unsigned width, const void *about, const void *about_second)
{
    struct call *c = &w->call;
    const struct row *row = w->row;
    mpfr_ptr exact[] = {c->x, c->y, c->z};
    const unsigned size = has_int(row) ? 4 : w->type->bytes;
    const unsigned char *result = results + i * w->type->bytes, *second = seconds + i * size;
    double worst = 0;
    for (unsigned k = 0; k < 3; k++) { /* with the sign of a NaN */
        mpfr_set_d(exact[k], values[k][i], MPFR_RNDN);
        mpfr_setsign(exact[k], exact[k], signbit(values[k][i]) != 0, MPFR_RNDN);
    }
    c->n = numbers[i];
    if (about && !is_integral(row) && !has_int(row)) { /* good enough where the limit is wide */
        mpfr_set_d(c->r, *(const double *)about, MPFR_RNDN);
        mpfr_set_d(c->second, *(const double *)about_second, MPFR_RNDN);
        c->inexact = 1;
        if (is_right(row, c, w->option->flags, result, second, width == 1, &worst))
            return;
        worst = 0;
    }
    w->judged++;
    row->reference(c);
    const bool right = is_right(row, c, w->option->flags, result, second, width == 1, &worst);
    if (worst > w->worst) {
        w->worst = worst;
        w->worst_x = values[0][i];
        w->worst_y = values[1][i];
        w->worst_z = values[2][i];
        w->worst_n = numbers[i];
    }
    if (right || w->wrong++ >= REPORTED)
        return;
    printf("    %s of %s%u, '%s': x %a", row->name, w->type->name, width, w->option->text, values[0][i]);
    if (has_y(row))
        printf(", y %a", values[1][i]);
    if (row->shape == three)
        printf(", z %a", values[2][i]);
    if (row->shape == with_int)
        printf(", n %d", numbers[i]);
    if (!is_integral(row))
        mpfr_printf(" gives %a, not %Ra: %g ulp", value_of(w->type, result), c->r, worst);
    if (row->shape == out)
        mpfr_printf("; second %a, not %Ra", value_of(w->type, second), c->second);
    if (is_integral(row) || has_int(row)) {
        int64_t got = 0;
        memcpy(&got, second, size);
        printf("; %lld, not %ld", (long long)((int64_t)((uint64_t)got << (64 - 8 * size)) >> (64 - 8 * size)),
               c->number);
    }
    printf("\n");
    fflush(stdout);
}

/* The errors in ulp of results that are floats or halves: a large one where MPFR has to look.  Gives the largest. */
LOOPS static float measure(const struct type *t, size_t count, const double *restrict got, const double *restrict about,
                           float *restrict errors)
{
    const int64_t least = t->least + t->precision - 1 + 1023, most = t->most - 1 + 1023;
    const double to_unit = ldexp(1, t->precision - 1), beyond = ldexp(1, t->most);
    uint32_t largest = 0; /* the bits of floats that are not negative are ordered as they are */
    for (size_t i = 0; i < count; i++) {
        uint64_t bits, got_bits;
        const double exact = fabs(about[i]) >= beyond ? copysign(INFINITY, about[i]) : about[i];
        memcpy(&bits, &exact, 8);
        memcpy(&got_bits, &got[i], 8);
        int64_t exponent = (int64_t)(bits >> 52 & 2047);
        exponent = exponent < least ? least : exponent > most ? most : exponent;
        const uint64_t scale_bits = (uint64_t)(2046 - exponent) << 52; /* one over its power of two */
        double scale;
        memcpy(&scale, &scale_bits, 8);
        const double error = fabs(got[i] - exact) * scale * to_unit;
        const bool same = (bits == got_bits) | ((got[i] != got[i]) & (exact != exact));
        const bool other_zero = (got[i] == 0) & (exact == 0);
        const bool counted = (error <= 0x1p40) & !other_zero;
        const double told = same ? 0 : counted ? error : INFINITY;
        const float single = (float)told;
        uint32_t single_bits;
        memcpy(&single_bits, &single, 4);
        errors[i] = single;
        largest = single_bits > largest ? single_bits : largest;
    }
    float most_error;
    memcpy(&most_error, &largest, 4);
    return most_error;
}

static float measure_wide(size_t count, const double *got, const long double *about, float *errors)
{
    float most = 0;
    for (size_t i = 0; i < count; i++) {
        int exponent = 0;
        const long double exact = fabsl(about[i]) >= 0x1p1024L ? copysignl(INFINITY, about[i]) : about[i];
        const long double value = (long double)got[i];
        frexpl(exact, &exponent);
        exponent = exponent < -1021 ? -1021 : exponent > 1024 ? 1024 : exponent;
        const long double error = ldexpl(fabsl(value - exact), 53 - exponent);
        const bool same = (value == exact && signbit(value) == signbit(exact)) || (isnan(value) && isnan(exact));
        errors[i] = same ? 0.0f : error <= 0x1p40L && !(value == 0 && exact == 0) ? (float)error : INFINITY;
        most = errors[i] > most ? errors[i] : most;
    }
    return most;
}

/* Does the error count where it is within the limit? */
static bool counts(const struct work *w, double x, double y)
{
    return !is_free(w->row, w->kind, w->option->flags, x, y) && !(w->row->relaxed == NEAR_65536 && fabs(x) > 65536);
}

static void look_at(struct work *w, size_t from, size_t count, unsigned width, const void *about,
                    const void *about_second, const int *about_number)
{
    static double got[CACHE];
    static float errors[2][CACHE];
    const struct row *row = w->row;
    const bool wide = w->type->bytes == 8;
    const double limit = row->ulp[w->kind];
    const float look = (float)(limit * 0.9999);
    const unsigned size = has_int(row) ? 4 : w->type->bytes;
    bool quiet = !is_integral(row) && !has_int(row); /* nothing to look at */
    for (unsigned k = 0; k < (row->shape == out ? 2u : 1u) && !is_integral(row); k++) {
        const unsigned char *at = (k ? seconds : results) + from * w->type->bytes;
        to_doubles(w->type, at, got, count);
        const float most = wide ? measure_wide(count, got, k ? about_second : about, errors[k])
                                : measure(w->type, count, got, k ? about_second : about, errors[k]);
        quiet &= most <= look && most <= w->worst;
    }
    if (quiet)
        return;
    const bool loose = !wide && (w->option->flags || !strncmp(row->name, "native_", 7));
    for (size_t i = 0; i < count; i++) {
        float error = is_integral(row) ? 0 : errors[0][i];
        if (row->shape == out && errors[1][i] > error)
            error = errors[1][i];
        bool look_closer = error > look;
        if (is_integral(row) || has_int(row)) {
            int64_t number = 0;
            memcpy(&number, seconds + (from + i) * size, size);
            number = (int64_t)((uint64_t)number << (64 - 8 * size)) >> (64 - 8 * size);
            look_closer |= number != (is_relation(row) && width > 1 ? -about_number[i] : about_number[i]);
        }
        if (look_closer) {
            if (!is_free(row, w->kind, w->option->flags, values[0][from + i], values[1][from + i]))
                judge(w, from + i, width, loose ? (const double *)about + i : NULL,
                      loose ? (const double *)about_second + i : NULL);
        } else if (error > w->worst && counts(w, values[0][from + i], values[1][from + i])) {
            w->worst = error;
            w->worst_x = values[0][from + i];
            w->worst_y = values[1][from + i];
            w->worst_z = values[2][from + i];
            w->worst_n = numbers[from + i];
        }
    }
}

/* The references of a whole chunk, while the device works on it. */
static void refer(const struct work *w, size_t count, void *about, void *about_second, int *about_number)
{
    const size_t size = w->type->bytes == 8 ? sizeof(long double) : sizeof(double);
    for (size_t from = 0; from < count; from += CACHE) {
        struct fast_batch b = {count - from < CACHE ? count - from : CACHE,
                               1 - ldexp(1, -w->type->precision),
                               values[0] + from,
                               values[1] + from,
                               values[2] + from,
                               numbers + from,
                               (char *)about + from * size,
                               (char *)about_second + from * size,
                               about_number + from};
        w->fast(&b);
    }
}

/* ---- runs ---- */

static void show_progress(const struct work *w, uint64_t done)
{
    if (isatty(2))
        fprintf(stderr, "\r%s %s '%s': %3.0f%%  worst %.3f  \b\b", w->row->name, w->type->name, w->option->text,
                100.0 * (double)done / (double)w->total, w->worst);
}

static void report(const struct work *w)
{
    if (isatty(2))
        fprintf(stderr, "\r%78s\r", "");
    printf("%-14s %-6s %11llu arguments%s: ", w->row->name, w->type->name, (unsigned long long)w->total,
           is_exhaustive(w) && w->stride == 1 ? ", all" : "");
    if (w->wrong)
        printf("%llu wrong, ", (unsigned long long)w->wrong);
    printf("worst %.4f ulp of %g", w->worst, w->row->ulp[w->kind]);
    if (w->worst > 0) {
        printf(" at %a", w->worst_x);
        if (has_y(w->row))
            printf(", %a", w->worst_y);
        if (w->row->shape == three)
            printf(", %a", w->worst_z);
        if (w->row->shape == with_int)
            printf(", %d", w->worst_n);
    }
    printf("  %s\n", w->option->text);
    fflush(stdout);
}

static void run(struct work *w)
{
    static long double about[2][CHUNK]; /* or doubles */
    static int about_number[CHUNK];
    cl_program program = program_of(w);
    cl_kernel kernels[WIDTHS];
    for (unsigned k = 0; k < WIDTHS; k++) {
        char name[16];
        snprintf(name, sizeof(name), "k%u", widths[k]);
        kernels[k] = kernel_of(program, name);
    }
    unsigned turn = 0;
    const size_t size = w->type->bytes == 8 ? sizeof(long double) : sizeof(double);
    for (uint64_t first = 0; first < w->total; first += CHUNK, turn++) {
        const size_t count = w->total - first < CHUNK ? (size_t)(w->total - first) : CHUNK;
        unsigned k = turn % WIDTHS;
        while (settings.width && widths[k] != settings.width)
            k = (k + 1) % WIDTHS;
        cl_event done;
        fill(w, first, count);
        start(w, kernels[k], widths[k], count, &done);
        if (w->fast)
            refer(w, count, about[0], about[1], about_number);
        must(clWaitForEvents(1, &done), "wait");
        clReleaseEvent(done);
        if (w->fast)
            for (size_t from = 0; from < count; from += CACHE)
                look_at(w, from, count - from < CACHE ? count - from : CACHE, widths[k], (char *)about[0] + from * size,
                        (char *)about[1] + from * size, about_number + from);
        else
            for (size_t i = 0; i < count; i++)
                judge(w, i, widths[k], NULL, NULL);
        show_progress(w, first + count);
    }
    report(w);
    CHECK_EQ(w->wrong, 0);
    for (unsigned k = 0; k < WIDTHS; k++)
        clReleaseKernel(kernels[k]);
    clReleaseProgram(program);
}

static void run_row(const struct row *row)
{
    struct work w = {.row = row};
    struct call *c = &w.call;
    mpfr_inits2(PRECISION, c->x, c->y, c->z, c->r, c->second, (mpfr_ptr)0);
    for (unsigned t = 0; t < 3; t++)
        for (unsigned o = 0; o < OPTIONS; o++) {
            if (row->ulp[t] < 0 || (settings.type && strcmp(settings.type, types[t].name)) ||
                (settings.options && strcmp(settings.options, options[o].text)))
                continue;
            /* all arguments where the limit is another one, or asked for */
            const bool whole =
                settings.options || !*options[o].text || (options[o].flags & RELAXED && t == 0 && row->relaxed != SAME);
            const bool wide = types[t].bytes == 8;
            w = (struct work){.row = row, .type = &types[t], .kind = t, .option = &options[o], .call = w.call};
            w.fast = fast_of(row->name, wide);
            c->type = &types[t];
            w.stride = settings.stride * (whole || types[t].bytes == 2 ? 1 : 251);
            if (is_exhaustive(&w))
                w.total = (((uint64_t)1 << 8 * types[t].bytes) + w.stride - 1) / w.stride;
            else
                w.total = settings.samples / (w.fast ? 1 : 16) / (wide ? 4 : 1) / (whole ? 1 : 16) / settings.stride;
            run(&w);
        }
    mpfr_clears(c->x, c->y, c->z, c->r, c->second, (mpfr_ptr)0);
}

static const char *value_after(const char *text, const char *option)
{
    const size_t length = strlen(option);
    return !strncmp(text, option, length) ? text + length : NULL;
}

/* Is it an option, not a name? */
static bool read_option(const char *text)
{
    const char *value;
    if ((value = value_after(text, "--type=")))
        settings.type = value;
    else if ((value = value_after(text, "--options=")))
        settings.options = value;
    else if ((value = value_after(text, "--samples=")))
        settings.samples = strtoull(value, NULL, 0);
    else if ((value = value_after(text, "--stride=")))
        settings.stride = strtoull(value, NULL, 0);
    else if ((value = value_after(text, "--width=")))
        settings.width = (unsigned)strtoul(value, NULL, 0);
    else if ((value = value_after(text, "--device=")))
        settings.device = (unsigned)strtoul(value, NULL, 0);
    else if (!strcmp(text, "--list"))
        for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
            puts(rows[r].name);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    bool listed = false;
    mpfr_set_emin(-5000);
    mpfr_set_emax(5000);
    for (int i = 1; i < argc; i++)
        listed |= read_option(argv[i]) && !strcmp(argv[i], "--list");
    if (listed)
        return 0;
    open_device(settings.device);
    for (unsigned k = 0; k < 6; k++)
        buffers[k] = buffer_of(0, (CHUNK + PAD) * 8, NULL);
    for (int i = 1; i < argc; i++) {
        bool known = read_option(argv[i]);
        for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
            if (!strcmp(argv[i], rows[r].name)) {
                run_row(&rows[r]);
                known = true;
            }
        if (!known)
            fprintf(stderr, "full_math: no function %s\n", argv[i]);
        CHECK(known);
    }
    for (unsigned k = 0; k < 6; k++)
        clReleaseMemObject(buffers[k]);
    tear_down();
    mpfr_free_cache();
    return test_finish();
}
