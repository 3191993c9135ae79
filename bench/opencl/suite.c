/* Kernels of the kinds that public benchmark suites hold, each in suite/NAME.cl: one launch, its result compared with
 * what the host computes.  Floating-point results may differ from the host's by rounding, since a device may fuse. */
#include "job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 256, TILE = 16 };

static struct job open_suite(const struct bench *bench, const char *name)
{
    char path[64] = "suite/";
    strcat(path, name);
    return job_load(bench, path);
}

static int *integers(size_t count, size_t below)
{
    int *values = job_allocate(count * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = (int)job_sample(below);
    return values;
}

static void pass_int(struct job *job, size_t value)
{
    cl_int number = (cl_int)value;
    job_pass(job, sizeof(number), &number);
}

static bool is_near(float a, float b)
{
    return fabsf(a - b) <= 1e-4f * (1 + fabsf(b));
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Where each vertex's edges (each row's entries) begin, with 0 to 15 of them; the last element is their number. */
static int *ragged(size_t n)
{
    int *first = job_allocate((n + 1) * sizeof(*first));
    first[0] = 0;
    for (size_t i = 0; i < n; i++)
        first[i + 1] = first[i] + (int)job_sample(16);
    return first;
}

static bool bfs(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "bfs");
    n = n ? n : 1 << 17;
    size_t local = GROUP, global = round_up(n, local);
    int *first = ragged(n), *edges = integers((size_t)first[n] + 1, n), *before = integers(n, 2),
        *after = job_allocate(n * sizeof(*after)), *wanted = job_allocate(n * sizeof(*wanted));
    for (size_t i = 0; i < n; i++)
        before[i] = job_sample(4) ? -1 : before[i] + 2; /* a quarter was reached, half of it just now */
    memcpy(wanted, before, n * sizeof(*wanted));
    for (size_t v = 0; v < n; v++)
        for (int e = first[v]; before[v] == 3 && e < first[v + 1]; e++)
            if (before[edges[e]] < 0)
                wanted[edges[e]] = 4;
    job_buffer(&job, (n + 1) * sizeof(*first), first);
    job_buffer(&job, ((size_t)first[n] + 1) * sizeof(*edges), edges);
    job_buffer(&job, n * sizeof(*before), before);
    cl_mem out = job_buffer(&job, n * sizeof(*before), before);
    pass_int(&job, 3);
    pass_int(&job, n);
    job_run(&job, 1, &global, &local);
    job_read(&job, out, n * sizeof(*after), after);
    bool ok = !memcmp(after, wanted, n * sizeof(*after));
    free(first), free(edges), free(before), free(after), free(wanted);
    return job_report(&job, "bfs", (double)n, ok);
}

static int mirrored(const int *row, int at, int width)
{
    return row[at < 0 ? -at : at >= width ? 2 * width - 2 - at : at];
}

static int high_band(const int *row, int i, int width)
{
    return mirrored(row, i, width) - ((mirrored(row, i - 1, width) + mirrored(row, i + 1, width)) >> 1);
}

static bool dwt(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "dwt");
    n = round_up(n ? n : 512, 256);
    size_t local[2] = {128, 1}, global[2] = {n / 2, n}, bytes = n * n * sizeof(int);
    int *in = integers(n * n, 256), *out = job_allocate(bytes), w = (int)n;
    bool ok = true;
    job_buffer(&job, bytes, in);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, n);
    job_pass(&job, 260 * sizeof(int), NULL);
    job_run(&job, 2, global, local);
    job_read(&job, result, bytes, out);
    for (size_t y = 0; y < n; y++)
        for (int x = 0; x < w / 2; x++) {
            const int *row = in + y * n;
            int high = high_band(row, 2 * x + 1, w), before = high_band(row, 2 * x - 1, w);
            ok &= out[y * n + (size_t)(w / 2 + x)] == high;
            ok &= out[y * n + (size_t)x] == row[2 * x] + ((before + high + 2) >> 2);
        }
    free(in), free(out);
    return job_report(&job, "dwt", (double)(n * n), ok);
}

static bool lud(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "lud");
    n = round_up(n ? n : 512, TILE) + TILE;
    size_t local[2] = {TILE, TILE}, global[2] = {n - TILE, n - TILE}, bytes = n * n * sizeof(float);
    float *a = job_noises(n * n), *out = job_allocate(bytes);
    bool ok = true;
    job_buffer(&job, bytes, a);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, n);
    job_pass(&job, TILE * TILE * sizeof(float), NULL);
    job_pass(&job, TILE * TILE * sizeof(float), NULL);
    job_run(&job, 2, global, local);
    job_read(&job, result, bytes, out);
    for (size_t y = TILE; y < n; y++)
        for (size_t x = TILE; x < n; x++) {
            float sum = 0;
            for (size_t k = 0; k < TILE; k++)
                sum += a[y * n + k] * a[k * n + x];
            ok &= is_near(out[y * n + x], a[y * n + x] - sum);
        }
    free(a), free(out);
    return job_report(&job, "lud", (double)((n - TILE) * (n - TILE)), ok);
}

static bool kmeans(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "kmeans");
    n = n ? n : 1 << 16;
    size_t local = GROUP, global = round_up(n, local);
    float *features = job_noises(16 * n), *centres = job_noises(8 * 16);
    int *nearest = job_allocate(n * sizeof(*nearest));
    bool ok = true;
    job_buffer(&job, 16 * n * sizeof(float), features);
    job_buffer(&job, 8 * 16 * sizeof(float), centres);
    cl_mem result = job_buffer(&job, n * sizeof(*nearest), NULL);
    pass_int(&job, n);
    job_run(&job, 1, &global, &local);
    job_read(&job, result, n * sizeof(*nearest), nearest);
    for (size_t i = 0; i < n; i++) {
        float distance[8] = {0}, least = INFINITY;
        for (size_t c = 0; c < 8; c++) {
            for (size_t d = 0; d < 16; d++) {
                float x = features[d * n + i] - centres[c * 16 + d];
                distance[c] += x * x;
            }
            least = fminf(least, distance[c]);
        }
        ok &= nearest[i] >= 0 && nearest[i] < 8 && is_near(distance[nearest[i] & 7], least);
    }
    free(features), free(centres), free(nearest);
    return job_report(&job, "kmeans", (double)n, ok);
}

static bool stencil5(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "stencil5");
    n = n ? n : 512;
    size_t local[2] = {TILE, TILE}, global[2] = {round_up(n, TILE), round_up(n, TILE)}, bytes = n * n * sizeof(float);
    float *in = job_noises(n * n), *out = job_allocate(bytes);
    bool ok = true;
    job_buffer(&job, bytes, in);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, n);
    pass_int(&job, n);
    job_run(&job, 2, global, local);
    job_read(&job, result, bytes, out);
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            float centre = in[y * n + x], north = in[(y ? y - 1 : 0) * n + x], west = in[y * n + (x ? x - 1 : 0)];
            float south = in[(y + 1 < n ? y + 1 : y) * n + x], east = in[y * n + (x + 1 < n ? x + 1 : x)];
            ok &= is_near(out[y * n + x], centre + 0.2f * (north + south + west + east - 4.0f * centre));
        }
    free(in), free(out);
    return job_report(&job, "stencil5", (double)(n * n), ok);
}

static bool stencil9(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "stencil9");
    n = n ? round_up(n, TILE) : 512;
    size_t local[2] = {TILE, TILE}, global[2] = {n, n}, bytes = n * n * sizeof(float);
    float *in = job_noises(n * n), *weights = job_noises(9), *out = job_allocate(bytes);
    bool ok = true;
    job_buffer(&job, bytes, in);
    job_buffer(&job, 9 * sizeof(float), weights);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, n);
    pass_int(&job, n);
    job_run(&job, 2, global, local);
    job_read(&job, result, bytes, out);
    for (size_t y = 1; y + 1 < n; y++)
        for (size_t x = 1; x + 1 < n; x++) {
            float sum = 0;
            for (size_t k = 0; k < 9; k++)
                sum += in[(y + k / 3 - 1) * n + x + k % 3 - 1] * weights[k];
            ok &= is_near(out[y * n + x], sum);
        }
    free(in), free(weights), free(out);
    return job_report(&job, "stencil9", (double)(n * n), ok);
}

static bool stencil3d(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "stencil3d");
    n = n ? round_up(n, TILE) : 64;
    size_t local[3] = {TILE, 4, 4}, global[3] = {n, n, n}, plane = n * n, bytes = n * plane * sizeof(float);
    float *in = job_noises(n * plane), *out = job_allocate(bytes);
    bool ok = true;
    job_buffer(&job, bytes, in);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, n);
    job_run(&job, 3, global, local);
    job_read(&job, result, bytes, out);
    for (size_t z = 1; z + 1 < n; z++)
        for (size_t y = 1; y + 1 < n; y++)
            for (size_t x = 1; x + 1 < n; x++) {
                const float *at = in + z * plane + y * n + x;
                float around = at[-1] + at[1] + *(at - n) + at[n] + *(at - plane) + at[plane];
                ok &= is_near(out[at - in], 0.5f * *at + 0.08f * around);
            }
    free(in), free(out);
    return job_report(&job, "stencil3d", (double)(n * plane), ok);
}

static bool gather(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "gather");
    n = n ? n : 1 << 14;
    size_t local = GROUP, global = round_up(n, local);
    float *position = job_noises(4 * n), *force = job_allocate(4 * n * sizeof(float));
    int *neighbours = integers(32 * n, n);
    bool ok = true;
    job_buffer(&job, 4 * n * sizeof(float), position);
    job_buffer(&job, 32 * n * sizeof(int), neighbours);
    cl_mem result = job_buffer(&job, 4 * n * sizeof(float), NULL);
    pass_int(&job, n);
    job_run(&job, 1, &global, &local);
    job_read(&job, result, 4 * n * sizeof(float), force);
    for (size_t i = 0; i < n; i++) {
        double sum[4] = {0}, scale = 1;
        for (size_t k = 0; k < 32; k++) {
            const float *other = position + 4 * (size_t)neighbours[k * n + i];
            double d[4], r2 = 0.5;
            for (size_t x = 0; x < 4; x++) {
                d[x] = (double)position[4 * i + x] - (double)other[x];
                r2 += x < 3 ? d[x] * d[x] : 0;
            }
            double r6 = 1 / (r2 * r2 * r2), factor = r6 * (r6 - 0.5) / r2;
            scale += fabs(factor);
            for (size_t x = 0; x < 4; x++)
                sum[x] += d[x] * factor;
        }
        for (size_t x = 0; x < 4; x++)
            ok &= fabs((double)force[4 * i + x] - sum[x]) <= 1e-5 * scale;
    }
    free(position), free(force), free(neighbours);
    return job_report(&job, "gather", (double)(32 * n), ok);
}

static bool bitonic(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "bitonic");
    n = n ? round_up(n, GROUP) : 1 << 18; /* a power of two */
    size_t local = GROUP, distance = 64, size = 1024, bytes = n * sizeof(int);
    int *in = integers(n, 1 << 24), *out = job_allocate(bytes);
    bool ok = true;
    job_buffer(&job, bytes, in);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, distance);
    pass_int(&job, size);
    job_run(&job, 1, &n, &local);
    job_read(&job, result, bytes, out);
    for (size_t i = 0; i < n; i++) {
        int a = in[i], b = in[i ^ distance];
        ok &= out[i] == ((!(i & distance) == !(i & size)) == (a < b) ? a : b);
    }
    free(in), free(out);
    return job_report(&job, "bitonic", (double)n, ok);
}

static bool spmv(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "spmv");
    n = n ? n : 1 << 16;
    size_t local = GROUP, global = round_up(n, local);
    int *first = ragged(n);
    size_t entries = (size_t)first[n] + 1;
    int *columns = integers(entries, n);
    float *values = job_noises(entries), *x = job_noises(n), *y = job_allocate(n * sizeof(*y));
    bool ok = true;
    job_buffer(&job, (n + 1) * sizeof(*first), first);
    job_buffer(&job, entries * sizeof(*columns), columns);
    job_buffer(&job, entries * sizeof(*values), values);
    job_buffer(&job, n * sizeof(*x), x);
    cl_mem result = job_buffer(&job, n * sizeof(*y), NULL);
    pass_int(&job, n);
    job_run(&job, 1, &global, &local);
    job_read(&job, result, n * sizeof(*y), y);
    for (size_t row = 0; row < n; row++) {
        float sum = 0;
        for (int k = first[row]; k < first[row + 1]; k++)
            sum += values[k] * x[columns[k]];
        ok &= is_near(y[row], sum);
    }
    free(first), free(columns), free(values), free(x), free(y);
    return job_report(&job, "spmv", (double)entries, ok);
}

static bool histogram(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "histogram");
    size_t per_item = 16, chunk = 4 * per_item * GROUP, local = GROUP;
    n = round_up(n ? n : 1 << 20, chunk);
    size_t groups = n / chunk, global = groups * GROUP, counts_bytes = groups * 256 * sizeof(cl_uint);
    unsigned char *in = job_allocate(n);
    cl_uint *counts = job_allocate(counts_bytes);
    long total[256] = {0};
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        in[i] = (unsigned char)job_sample(256);
        in[i] &= (unsigned char)job_sample(256); /* uneven */
        total[in[i]]++;
    }
    job_buffer(&job, n, in);
    cl_mem result = job_buffer(&job, counts_bytes, NULL);
    pass_int(&job, per_item);
    job_pass(&job, 256 * sizeof(cl_uint), NULL);
    job_run(&job, 1, &global, &local);
    job_read(&job, result, counts_bytes, counts);
    for (size_t i = 0; i < groups * 256; i++)
        total[i % 256] -= (long)counts[i];
    for (size_t i = 0; i < 256; i++)
        ok &= !total[i];
    free(in), free(counts);
    return job_report(&job, "histogram", (double)n, ok);
}

static bool search(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "search");
    unsigned char pattern[] = "abcabd";
    size_t local = GROUP, length = sizeof(pattern) - 1;
    n = n ? n : 1 << 20;
    size_t global = round_up(n, local);
    unsigned char *text = job_allocate(n);
    cl_uint wanted = 0, found = 0;
    for (size_t i = 0; i < n; i++)
        text[i] = (unsigned char)('a' + job_sample(4));
    for (size_t i = 0; i + length <= n; i++)
        wanted += !memcmp(text + i, pattern, length);
    job_buffer(&job, n, text);
    job_buffer(&job, length, pattern);
    cl_mem result = job_buffer(&job, sizeof(found), &found);
    pass_int(&job, n);
    pass_int(&job, length);
    job_run(&job, 1, &global, &local);
    job_read(&job, result, sizeof(found), &found);
    free(text);
    return job_report(&job, "search", (double)n, found == wanted * job.runs); /* every run adds its own */
}

static bool transpose(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "transpose");
    n = n ? round_up(n, TILE) : 512;
    size_t local[2] = {TILE, TILE}, global[2] = {n, n}, bytes = n * n * sizeof(float);
    float *in = job_noises(n * n), *out = job_allocate(bytes);
    bool ok = true;
    job_buffer(&job, bytes, in);
    cl_mem result = job_buffer(&job, bytes, NULL);
    pass_int(&job, n);
    job_pass(&job, TILE * 17 * sizeof(float), NULL);
    job_run(&job, 2, global, local);
    job_read(&job, result, bytes, out);
    for (size_t i = 0; i < n * n; i++)
        ok &= out[i] == in[i % n * n + i / n];
    free(in), free(out);
    return job_report(&job, "transpose", (double)(n * n), ok);
}

/* The longest anti-diagonal, with the cells that it builds on computed by the host. */
static bool nw(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "nw");
    size_t blocks = (n ? round_up(n, TILE) : 2048) / TILE, local = TILE, global = blocks * TILE;
    n = blocks * TILE + 1;
    size_t cells = n * n;
    int *reference = integers(cells, 21), *wanted = job_allocate(cells * sizeof(int));
    bool ok = true;
    for (size_t i = 0; i < cells; i++) {
        size_t x = i % n, y = i / n;
        if (!x || !y) {
            wanted[i] = -10 * (int)(x + y);
            continue;
        }
        int match = wanted[i - n - 1] + (reference[i] -= 10);
        int gap = (wanted[i - 1] > wanted[i - n] ? wanted[i - 1] : wanted[i - n]) - 10;
        wanted[i] = match > gap ? match : gap;
    }
    int *score = job_allocate(cells * sizeof(int));
    for (size_t i = 0; i < cells; i++) {
        size_t x = i % n, y = i / n;
        bool is_on_diagonal = x && y && (x - 1) / TILE + (y - 1) / TILE == blocks - 1;
        score[i] = is_on_diagonal ? 0 : wanted[i];
    }
    cl_mem result = job_buffer(&job, cells * sizeof(int), score);
    job_buffer(&job, cells * sizeof(int), reference);
    pass_int(&job, n);
    pass_int(&job, blocks - 1);
    pass_int(&job, 10);
    job_pass(&job, 17 * 17 * sizeof(int), NULL);
    job_run(&job, 1, &global, &local);
    job_read(&job, result, cells * sizeof(int), score);
    ok = !memcmp(score, wanted, cells * sizeof(int));
    free(reference), free(wanted), free(score);
    return job_report(&job, "nw", (double)(blocks * TILE * TILE), ok);
}

static bool copy(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "copy");
    size_t local = GROUP;
    n = round_up(n ? n : 1 << 20, local);
    unsigned char *in = job_allocate(n), *out = job_allocate(n);
    for (size_t i = 0; i < n; i++)
        in[i] = (unsigned char)job_sample(256);
    job_buffer(&job, n, in);
    cl_mem result = job_buffer(&job, n, NULL);
    job_run(&job, 1, &n, &local);
    job_read(&job, result, n, out);
    bool ok = !memcmp(in, out, n);
    free(in), free(out);
    return job_report(&job, "copy", (double)n, ok);
}

static bool fill(const struct bench *bench, size_t n)
{
    struct job job = open_suite(bench, "fill");
    size_t local = GROUP;
    cl_uint value = 0x12345678;
    n = round_up(n ? n : 1 << 20, local);
    cl_uint *out = job_allocate(n * sizeof(*out));
    bool ok = true;
    cl_mem result = job_buffer(&job, n * sizeof(*out), NULL);
    job_pass(&job, sizeof(value), &value);
    job_run(&job, 1, &n, &local);
    job_read(&job, result, n * sizeof(*out), out);
    for (size_t i = 0; i < n; i++)
        ok &= out[i] == value;
    free(out);
    return job_report(&job, "fill", (double)n, ok);
}

const struct bench_entry bench_suite[] = {{"bfs", bfs},
                                          {"dwt", dwt},
                                          {"lud", lud},
                                          {"kmeans", kmeans},
                                          {"stencil5", stencil5},
                                          {"stencil9", stencil9},
                                          {"stencil3d", stencil3d},
                                          {"gather", gather},
                                          {"bitonic", bitonic},
                                          {"spmv", spmv},
                                          {"histogram", histogram},
                                          {"search", search},
                                          {"transpose", transpose},
                                          {"nw", nw},
                                          {"copy", copy},
                                          {"fill", fill},
                                          {NULL, NULL}};
