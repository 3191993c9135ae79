/* Sub-group functions, compared with loops on the host over the work-items that called together: every type, groups of
 * many shapes, diverged lanes, warps of several sizes (the argument is the machine's setting). */
#define _POSIX_C_SOURCE 200809L
#include "cl_test.h"

#include <math.h>
#include <stdlib.h>

/* Work-items take one of three ways through `folds` and `moves`; `way` is part of the input. */
static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#define EACH(f, x) f(x, add) f(x, mul) f(x, min) f(x, max)\n"
    "#ifdef BITS\n"
    "#define ALL(f, x) EACH(f, x) f(x, and) f(x, or) f(x, xor)\n"
    "#else\n"
    "#define ALL(f, x) EACH(f, x)\n"
    "#endif\n"
    "#define NON_UNIFORM(x, op) *out++ = sub_group_non_uniform_reduce_##op(x); *out++ = "
    "sub_group_non_uniform_scan_inclusive_##op(x); *out++ = sub_group_non_uniform_scan_exclusive_##op(x);\n"
    "#define CLUSTER(x, op) *out++ = sub_group_clustered_reduce_##op(x, CLUSTER_SIZE);\n"
    "#define UNIFORM(x, op) *out++ = sub_group_reduce_##op(x); *out++ = sub_group_scan_inclusive_##op(x); *out++ = "
    "sub_group_scan_exclusive_##op(x);\n"
    "#define LOGICAL(x, op) NON_UNIFORM(x, logical_##op) CLUSTER(x, logical_##op)\n"
    "size_t self(void) { return get_global_linear_id(); }\n"
    "kernel void places(global uint *out)\n"
    "{\n"
    "    out += 8 * self();\n"
    "    out[0] = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);\n"
    "    out[1] = get_sub_group_id(), out[2] = get_sub_group_local_id(), out[3] = get_sub_group_size();\n"
    "    out[4] = get_num_sub_groups(), out[5] = get_max_sub_group_size(), out[6] = get_enqueued_num_sub_groups();\n"
    "}\n"
    "kernel void uniform(global const T *in, global T *out)\n"
    "{\n"
    "    T x = in[self()];\n"
    "    out += 9 * self();\n"
    "    UNIFORM(x, add) UNIFORM(x, min) UNIFORM(x, max)\n"
    "}\n"
    "void ALL_OF(T x, global T *out)\n"
    "{\n"
    "    ALL(NON_UNIFORM, x) ALL(CLUSTER, x)\n"
    "}\n"
    "kernel void folds(global const T *in, global const int *way, global T *out)\n"
    "{\n"
    "    T x = in[self()];\n"
    "    out += 28 * self();\n"
    "    if (way[self()] == 0) ALL_OF(x, out);\n"
    "    else if (way[self()] == 1) ALL_OF(x, out);\n"
    "    else ALL_OF(x, out);\n"
    "}\n"
    "kernel void logical(global const int *in, global const int *way, global int *out)\n"
    "{\n"
    "    int x = in[self()];\n"
    "    out += 12 * self();\n"
    "    for (int w = 0; w < 3; w++)\n"
    "        if (way[self()] == w) { LOGICAL(x, and) LOGICAL(x, or) LOGICAL(x, xor) }\n"
    "}\n"
    "#define MOVED 9\n"
    "kernel void moves(global const T *in, global const int *way, global const uint *index, global T *out)\n"
    "{\n"
    "    T x = in[self()];\n"
    "    uint i = index[self()], j = index[self()] % 5;\n"
    "    out += MOVED * self();\n"
    "    out[0] = sub_group_broadcast(x, 0);\n"
    "    if (way[self()] == 0) {\n"
    "        out[1] = sub_group_broadcast_first(x), out[2] = sub_group_shuffle(x, i);\n"
    "        out[3] = sub_group_shuffle_xor(x, j), out[4] = sub_group_shuffle_up(x, j);\n"
    "        out[5] = sub_group_shuffle_down(x, j), out[6] = sub_group_rotate(x, 3);\n"
    "        out[7] = sub_group_clustered_rotate(x, -1, CLUSTER_SIZE), out[8] = sub_group_non_uniform_all_equal(x);\n"
    "    } else {\n"
    "        out[1] = sub_group_broadcast_first(x), out[2] = sub_group_shuffle(x, i);\n"
    "        out[3] = sub_group_shuffle_xor(x, j), out[4] = sub_group_shuffle_up(x, j);\n"
    "        out[5] = sub_group_shuffle_down(x, j), out[6] = sub_group_rotate(x, 3);\n"
    "        out[7] = sub_group_clustered_rotate(x, -1, CLUSTER_SIZE), out[8] = sub_group_non_uniform_all_equal(x);\n"
    "    }\n"
    "}\n"
    "#define V_(T, n) T##n\n"
    "#define V(T, n) V_(T, n)\n"
    "kernel void vectors(global const T *in, global T *out)\n"
    "{\n"
    "    V(T, 16) x = (V(T, 16))(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) * (V(T, 16))(in[self()]);\n"
    "    uint last = get_sub_group_size() - 1;\n"
    "    out += 49 * self();\n"
    "    vstore16(sub_group_broadcast(x, last), 0, out);\n"
    "    vstore8(sub_group_broadcast(x.hi, last), 2, out), vstore4(sub_group_broadcast(x.lo.lo, last), 6, out);\n"
    "    vstore3(sub_group_broadcast(x.s456, last), 0, out + 28), vstore2(sub_group_broadcast(x.s78, last), 0, out + "
    "31);\n"
    "    if (get_sub_group_local_id() & 1 || !last) vstore16(sub_group_non_uniform_broadcast(x, last & ~1 | !!last), "
    "0, "
    "out + 33);\n"
    "}\n";

static const char more[] =
    "kernel void votes(global const int *in, global const int *way, global uint4 *out)\n"
    "{\n"
    "    int x = in[self()];\n"
    "    uint4 every = sub_group_ballot(1), some, odd;\n"
    "    out += 8 * self();\n"
    "    out[0] = (uint4)(sub_group_all(x), sub_group_any(x), sub_group_all(1), sub_group_any(0));\n"
    "    if (way[self()] == 0) {\n"
    "        some = sub_group_ballot(x), odd = sub_group_ballot(1);\n"
    "        out[1] = (uint4)(sub_group_non_uniform_all(x), sub_group_non_uniform_any(x), sub_group_elect(), 0);\n"
    "    } else {\n"
    "        some = sub_group_ballot(x), odd = sub_group_ballot(1);\n"
    "        out[1] = (uint4)(sub_group_non_uniform_all(x), sub_group_non_uniform_any(x), sub_group_elect(), 1);\n"
    "    }\n"
    "    out[2] = every, out[3] = some, out[4] = odd;\n"
    "    uint4 set = some | (uint4)(0, 0, 1, 1);\n"
    "    out[5] = (uint4)(sub_group_ballot_bit_count(set), sub_group_ballot_inclusive_scan(set), "
    "sub_group_ballot_exclusive_scan(set), sub_group_inverse_ballot(some));\n"
    "    out[6] = (uint4)(sub_group_ballot_find_lsb(odd), sub_group_ballot_find_msb(odd), "
    "sub_group_ballot_bit_extract(some, 3), sub_group_ballot_bit_extract(set, 64));\n"
    "    uint4 eq = get_sub_group_eq_mask(), lt = get_sub_group_lt_mask(), le = get_sub_group_le_mask();\n"
    "    uint4 gt = get_sub_group_gt_mask(), ge = get_sub_group_ge_mask();\n"
    "    out[7] = (uint4)(all(le == (eq | lt)) && all(ge == (eq | gt)) && !any((lt & gt) != 0) && !any((eq & (lt | "
    "gt)) != 0), "
    "sub_group_ballot_bit_count(eq), sub_group_ballot_bit_count(lt), popcount(ge.x) + popcount(ge.y));\n"
    "}\n"
    "kernel void barriers(global const int *in, global int *out, local int *shared)\n"
    "{\n"
    "    uint at = get_sub_group_id() * get_max_sub_group_size(), own = get_sub_group_local_id();\n"
    "    shared[at + own] = in[self()];\n"
    "    sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int next = shared[at + (own + 1) % get_sub_group_size()];\n"
    "    sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group);\n"
    "    out[self()] = next;\n"
    "}\n";

enum { MOST = 1100, MOST_SIZE = 64, MOST_OUT = 49 };

static const struct shape {
    cl_uint dims;
    size_t global[3], local[3];
} shapes[] = {
    {1, {1, 1, 1}, {1, 1, 1}},      {1, {100, 1, 1}, {50, 1, 1}}, {1, {170, 1, 1}, {64, 1, 1}},
    {2, {30, 21, 1}, {7, 9, 1}},    {3, {6, 10, 7}, {4, 3, 5}},   {3, {9, 12, 9}, {4, 8, 8}},
    {1, {1100, 1, 1}, {256, 1, 1}},
};

/* Where each work-item is, by its global linear id. */
static struct {
    cl_uint group, subgroup, lane, size, count, most, enqueued, unused;
} places[MOST];
static size_t items;
static size_t by_lane[MOST][MOST_SIZE]; /* the work-items of each work-item's sub-group */
static cl_uint threads;

/* ---- numbers of any type, as the host computes them ---- */

union number {
    cl_ulong bits;
    double real;
};

static bool is_float(const char *type)
{
    return !strcmp(type, "float") || !strcmp(type, "double") || !strcmp(type, "half");
}

static size_t size_of(const char *type)
{
    return strstr(type, "char")                              ? 1
           : strstr(type, "short") || !strcmp(type, "half")  ? 2
           : strstr(type, "long") || !strcmp(type, "double") ? 8
                                                             : 4;
}

/* Truncated and extended to 64 bits. */
static union number fit(const char *type, union number x)
{
    if (is_float(type))
        return x; /* all numbers here are exact in every type */
    unsigned shift = 64 - 8 * (unsigned)size_of(type);
    x.bits <<= shift;
    x.bits = type[0] == 'u' ? x.bits >> shift : (cl_ulong)((cl_long)x.bits >> shift);
    return x;
}

static union number load(const char *type, const void *from, size_t at)
{
    union number x = {0};
    float single;
    const char *bytes = (const char *)from + at * size_of(type);
    if (!strcmp(type, "double")) {
        memcpy(&x.real, bytes, 8);
        return x;
    }
    if (!strcmp(type, "half")) {
        uint16_t half;
        memcpy(&half, bytes, 2);
        x.real = (half >> 10 & 31) == 31 ? INFINITY
                 : half & 0x7fff         ? ldexp(1024 + (half & 1023), (half >> 10 & 31) - 25)
                                         : 0;
        x.real = half & 0x8000 ? -x.real : x.real;
        return x;
    }
    if (is_float(type)) {
        memcpy(&single, bytes, 4);
        x.real = single;
        return x;
    }
    memcpy(&x.bits, bytes, size_of(type));
    return fit(type, x);
}

static void put(const char *type, void *to, size_t at, int value)
{
    cl_long wide = value;
    float single = (float)value;
    double real = value;
    uint16_t half = value < 0 ? 0xbc00 : value == 1 ? 0x3c00 : value == 2 ? 0x4000 : 0x4200; /* -1, 1, 2, 3 */
    if (!strcmp(type, "double"))
        memcpy((char *)to + at * 8, &real, 8);
    else if (!strcmp(type, "half"))
        memcpy((char *)to + at * 2, &half, 2);
    else
        memcpy((char *)to + at * size_of(type), is_float(type) ? (void *)&single : (void *)&wide, size_of(type));
}

static const char *const operations[] = {"add", "mul", "min", "max", "and", "or", "xor"};
enum { ADD, MUL, MIN, MAX, AND, OR, XOR };

static union number neutral(const char *type, int op)
{
    bool is_unsigned = type[0] == 'u';
    unsigned bits = 8 * (unsigned)size_of(type);
    union number x = {0};
    if (is_float(type))
        x.real = op == MIN ? INFINITY : op == MAX ? -INFINITY : op == MUL;
    else
        x.bits = op == MUL                   ? 1
                 : op == AND                 ? ~0ull
                 : op == MIN                 ? (is_unsigned ? ~0ull : (1ull << (bits - 1)) - 1)
                 : op == MAX && !is_unsigned ? ~0ull << (bits - 1)
                                             : 0;
    return fit(type, x);
}

static union number combine(const char *type, int op, union number a, union number b)
{
    union number r = {0};
    bool less;
    if (is_float(type)) {
        r.real = op == ADD   ? a.real + b.real
                 : op == MUL ? a.real * b.real
                 : op == MIN ? fmin(a.real, b.real)
                             : fmax(a.real, b.real);
        return r;
    }
    less = type[0] == 'u' ? a.bits < b.bits : (cl_long)a.bits < (cl_long)b.bits;
    switch (op) {
    case ADD: r.bits = a.bits + b.bits; break;
    case MUL: r.bits = a.bits * b.bits; break;
    case MIN: r = less ? a : b; break;
    case MAX: r = less ? b : a; break;
    case AND: r.bits = a.bits & b.bits; break;
    case OR: r.bits = a.bits | b.bits; break;
    default: r.bits = a.bits ^ b.bits; break;
    }
    return fit(type, r);
}

/* ---- launches ---- */

static void run(cl_program program, const char *name, const struct shape *shape, cl_uint count, const size_t *sizes,
                void **data, size_t local_bytes)
{
    cl_kernel kernel = kernel_of(program, name);
    cl_mem mems[4];
    for (cl_uint i = 0; i < count; i++) {
        mems[i] = buffer_of(CL_MEM_COPY_HOST_PTR, sizes[i], data[i]);
        CHECK_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &mems[i]), CL_SUCCESS);
    }
    if (local_bytes)
        CHECK_EQ(clSetKernelArg(kernel, count, local_bytes, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, shape->dims, NULL, shape->global, shape->local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, mems[count - 1], CL_TRUE, 0, sizes[count - 1], data[count - 1], 0, NULL, NULL),
             CL_SUCCESS);
    for (cl_uint i = 0; i < count; i++)
        clReleaseMemObject(mems[i]);
    clReleaseKernel(kernel);
}

/* Sub-groups of a group are numbered without gaps, and so are their work-items. */
static void find_places(cl_program program, const struct shape *shape)
{
    size_t bytes = sizeof(places[0]) * items, enqueued = shape->local[0] * shape->local[1] * shape->local[2];
    unsigned wrong = 0;
    run(program, "places", shape, 1, &bytes, (void *[]){places}, 0);
    for (size_t i = 0; i < items; i++) {
        size_t found = 0, group = 0;
        cl_uint highest = 0;
        for (size_t k = 0; k < items; k++) {
            if (places[k].group != places[i].group)
                continue;
            group++;
            highest = places[k].subgroup > highest ? places[k].subgroup : highest;
            if (places[k].subgroup != places[i].subgroup)
                continue;
            if (!CHECK(places[k].lane < threads))
                return;
            by_lane[i][places[k].lane] = k;
            wrong += places[k].size != places[i].size;
            found++;
        }
        wrong += found != places[i].size || places[i].lane >= places[i].size || places[i].count != highest + 1;
        wrong += places[i].most != threads || places[i].enqueued != (enqueued + threads - 1) / threads;
        wrong += shape->dims == 1 && places[i].count != (group + threads - 1) / threads;
        for (size_t l = 0; l < found; l++) /* every number once */
            wrong += places[by_lane[i][l]].lane != l;
    }
    CHECK_EQ(wrong, 0);
}

static int ways[MOST];
static cl_uint indices[MOST];
static char in[MOST * 8], out[MOST * MOST_OUT * 16];
enum { CLUSTER = 4 };

/* The combination over the work-items that go the same way as i, with lanes from `low` to below `high`. */
static union number fold(const char *type, const void *values, size_t i, bool any_way, int op, cl_uint low,
                         cl_uint high)
{
    union number x = neutral(type, op);
    for (cl_uint l = low; l < high && l < places[i].size; l++) {
        size_t k = by_lane[i][l];
        if (any_way || ways[k] == ways[i])
            x = combine(type, op, x, load(type, values, k));
    }
    return x;
}

/* Without a value if it gives none of the work-items that take part. */
static bool same(const char *type, const void *values, size_t at, union number x)
{
    union number y = load(type, values, at);
    return is_float(type) ? x.real == y.real : x.bits == y.bits;
}

static void test_folds(cl_program program, const char *type, const struct shape *shape)
{
    size_t size = size_of(type), wrong = 0;
    int count = is_float(type) ? 4 : 7;
    run(program, "uniform", shape, 2, (size_t[]){size * items, 9 * size * items}, (void *[]){in, out}, 0);
    for (size_t i = 0; i < items; i++) {
        static const int row[3] = {ADD, MIN, MAX};
        cl_uint lane = places[i].lane;
        for (size_t k = 0; k < 3; k++) {
            wrong += !same(type, out, 9 * i + 3 * k, fold(type, in, i, true, row[k], 0, threads));
            wrong += !same(type, out, 9 * i + 3 * k + 1, fold(type, in, i, true, row[k], 0, lane + 1));
            wrong += !same(type, out, 9 * i + 3 * k + 2, fold(type, in, i, true, row[k], 0, lane));
        }
    }
    CHECK_EQ(wrong, 0);
    run(program, "folds", shape, 3, (size_t[]){size * items, sizeof(int) * items, 28 * size * items},
        (void *[]){in, ways, out}, 0);
    for (size_t i = 0; i < items; i++) {
        cl_uint lane = places[i].lane, base = lane & ~(CLUSTER - 1u);
        for (int op = 0; op < count; op++) {
            size_t at = 28 * i + 3 * (size_t)op, cluster = 28 * i + 3 * (size_t)count + (size_t)op;
            wrong += !same(type, out, at, fold(type, in, i, false, op, 0, threads));
            wrong += !same(type, out, at + 1, fold(type, in, i, false, op, 0, lane + 1));
            wrong += !same(type, out, at + 2, fold(type, in, i, false, op, 0, lane));
            wrong += !same(type, out, cluster, fold(type, in, i, false, op, base, base + CLUSTER));
        }
    }
    if (!CHECK_EQ(wrong, 0))
        fprintf(stderr, "type %s, global %zu\n", type, shape->global[0]);
}

static void test_logical(cl_program program, const struct shape *shape)
{
    size_t wrong = 0;
    static int values[MOST], truth[MOST];
    for (size_t i = 0; i < items; i++) {
        values[i] = i % 7 == 3 ? 0 : 1 << i % 31;
        truth[i] = values[i] != 0;
    }
    run(program, "logical", shape, 3, (size_t[]){4 * items, 4 * items, 12 * 4 * items}, (void *[]){values, ways, out},
        0);
    for (size_t i = 0; i < items; i++) {
        cl_uint lane = places[i].lane, base = lane & ~(CLUSTER - 1u);
        static const int row[3] = {AND, OR, XOR};
        for (size_t k = 0; k < 3; k++) {
            const cl_uint ends[4][2] = {{0, threads}, {0, lane + 1}, {0, lane}, {base, base + CLUSTER}};
            for (size_t e = 0; e < 4; e++) {
                union number x = fold("int", truth, i, false, row[k], ends[e][0], ends[e][1]);
                x.bits &= 1;
                wrong += !same("int", out, 12 * i + 4 * k + e, x);
            }
        }
    }
    CHECK_EQ(wrong, 0);
}

static void test_moves(cl_program program, const char *type, const struct shape *shape)
{
    size_t size = size_of(type), wrong = 0;
    run(program, "moves", shape, 4, (size_t[]){size * items, 4 * items, 4 * items, 9 * size * items},
        (void *[]){in, ways, indices, out}, 0);
    for (size_t i = 0; i < items; i++) {
        cl_uint lane = places[i].lane, j = indices[i] % 5, first = UINT32_MAX;
        bool equal = true;
        for (cl_uint l = 0; l < places[i].size; l++)
            if (!ways[by_lane[i][l]] == !ways[i]) {
                first = l < first ? l : first;
                equal &= same(type, in, by_lane[i][l], load(type, in, i));
            }
        const cl_uint from[8] = {
            0,        first,    indices[i],           lane ^ j,
            lane - j, lane + j, (lane + 3) % threads, (lane & ~(CLUSTER - 1u)) | ((lane - 1) & (CLUSTER - 1u))};
        for (size_t k = 0; k < 8; k++) {
            if (from[k] >= places[i].size)
                continue;
            size_t source_item = by_lane[i][from[k]];
            if (k == 0 || !ways[source_item] == !ways[i])
                wrong += !same(type, out, 9 * i + k, load(type, in, source_item));
        }
        union number answer = {.bits = equal};
        if (is_float(type))
            answer.real = equal;
        wrong += !same(type, out, 9 * i + 8, answer);
    }
    if (!CHECK_EQ(wrong, 0))
        fprintf(stderr, "type %s, global %zu\n", type, shape->global[0]);
}

static void test_vectors(cl_program program, const char *type, const struct shape *shape)
{
    /* factors of the components that each broadcast moves */
    static const int parts[6][2] = {{1, 16}, {9, 8}, {1, 4}, {5, 3}, {8, 2}, {1, 16}};
    size_t size = size_of(type), wrong = 0;
    run(program, "vectors", shape, 2, (size_t[]){size * items, 49 * size * items}, (void *[]){in, out}, 0);
    for (size_t i = 0; i < items; i++) {
        cl_uint last = places[i].size - 1, odd = last ? (last & ~1u) | 1 : 0;
        size_t at = 49 * i;
        for (size_t p = 0; p < 6; p++)
            for (int k = 0; k < parts[p][1]; k++, at++) {
                cl_uint from = p == 5 ? odd : last;
                union number factor = {.bits = (cl_ulong)(parts[p][0] + k)};
                if (is_float(type))
                    factor.real = parts[p][0] + k;
                if (from > last || (p == 5 && last && !(places[i].lane & 1)))
                    continue;
                wrong += !same(type, out, at, combine(type, MUL, factor, load(type, in, by_lane[i][from])));
            }
    }
    CHECK_EQ(wrong, 0);
}

static void test_votes(cl_program program, const struct shape *shape)
{
    static cl_uint answer[MOST][8][4];
    static int values[MOST];
    size_t wrong = 0;
    for (size_t i = 0; i < items; i++)
        values[i] = i * 7 % 11 < 4 || i > 90;
    run(program, "votes", shape, 3, (size_t[]){4 * items, 4 * items, sizeof(answer[0]) * items},
        (void *[]){values, ways, answer}, 0);
    for (size_t i = 0; i < items; i++) {
        cl_ulong all = 0, true_all = 0, together = 0, some = 0, own = 1ull << places[i].lane;
        for (cl_uint l = 0; l < places[i].size; l++) {
            size_t k = by_lane[i][l];
            bool beside = !ways[k] == !ways[i];
            all |= 1ull << l;
            true_all |= (cl_ulong)(values[k] != 0) << l;
            together |= (cl_ulong)beside << l;
            some |= (cl_ulong)(beside && values[k]) << l;
        }
        cl_uint first = (cl_uint)__builtin_ctzll(together);
        cl_ulong most = threads == 64 ? ~0ull : (1ull << threads) - 1;
        const cl_uint expected[8][4] = {
            {true_all == all, true_all != 0, 1, 0},
            {some == together, some != 0, places[i].lane == first, ways[i] != 0},
            {(cl_uint)all, (cl_uint)(all >> 32), 0, 0},
            {(cl_uint)some, (cl_uint)(some >> 32), 0, 0},
            {(cl_uint)together, (cl_uint)(together >> 32), 0, 0},
            {(cl_uint)__builtin_popcountll(some), (cl_uint)__builtin_popcountll(some & (own | (own - 1))),
             (cl_uint)__builtin_popcountll(some & (own - 1)), (some & own) != 0},
            {first, 63 - (cl_uint)__builtin_clzll(together), some >> 3 & 1, 1},
            {1, 1, places[i].lane, (cl_uint)__builtin_popcountll(most & ~(own - 1))},
        };
        wrong += memcmp(answer[i], expected, sizeof(expected)) != 0;
    }
    CHECK_EQ(wrong, 0);
}

static void test_barriers(cl_program program, const struct shape *shape)
{
    static int values[MOST], next[MOST];
    size_t wrong = 0;
    for (size_t i = 0; i < items; i++)
        values[i] = (int)i;
    run(program, "barriers", shape, 2, (size_t[]){4 * items, 4 * items}, (void *[]){values, next}, 4 * 1024);
    for (size_t i = 0; i < items; i++)
        wrong += (size_t)next[i] != by_lane[i][(places[i].lane + 1) % places[i].size];
    CHECK_EQ(wrong, 0);
}

/* ---- what the host can ask ---- */

static void test_queries(cl_program program)
{
    cl_kernel kernel = kernel_of(program, "places"), fixed;
    size_t answer = 0, sizes[3] = {0}, local[3] = {threads + 1, 2, 1}, count = 2, most = 0, got;
    cl_uint warps = 0;
    cl_bool progress = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(warps), &warps, NULL), CL_SUCCESS);
    CHECK(warps >= 1);
    CHECK_EQ(
        clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof(progress), &progress, NULL),
        CL_SUCCESS);
    CHECK_EQ(progress, CL_TRUE);
#define ASK(name, in_size, input, size, value)                                                                         \
    clGetKernelSubGroupInfo(kernel, device, name, in_size, input, size, value, &got)
    CHECK_EQ(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(local), local, sizeof(answer), &answer), CL_SUCCESS);
    CHECK_EQ(answer, threads);
    CHECK_EQ(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(local), local, sizeof(answer), &answer), CL_SUCCESS);
    CHECK_EQ(answer, (2 * (threads + 1) + threads - 1) / threads);
    CHECK_EQ(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(size_t), local, sizeof(answer), &answer), CL_SUCCESS);
    CHECK_EQ(answer, 2);
    CHECK_EQ(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(count), &count, sizeof(sizes), sizes), CL_SUCCESS);
    CHECK(sizes[0] == 2 * threads && sizes[1] == 1 && sizes[2] == 1);
    CHECK_EQ(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(count), &count, sizeof(size_t), &answer), CL_SUCCESS);
    CHECK_EQ(answer, 2 * threads);
    count = 1000;
    CHECK_EQ(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(count), &count, sizeof(sizes), sizes), CL_SUCCESS);
    CHECK(!sizes[0] && !sizes[1] && !sizes[2]);
    CHECK_EQ(ASK(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof(answer), &answer), CL_SUCCESS);
    CHECK_EQ(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL),
             CL_SUCCESS);
    CHECK_EQ(answer, (most + threads - 1) / threads);
    CHECK_EQ(ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof(answer), &answer), CL_SUCCESS);
    CHECK_EQ(answer, 0);
    CHECK_EQ(ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, 0, NULL), CL_SUCCESS);
    CHECK_EQ(got, sizeof(size_t));
    CHECK_EQ(ASK(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, 4, &answer), CL_INVALID_VALUE);
    CHECK_EQ(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0, local, sizeof(answer), &answer), CL_INVALID_VALUE);
    CHECK_EQ(ASK(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, NULL, sizeof(answer), &answer), CL_INVALID_VALUE);
    CHECK_EQ(ASK(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 5, local, sizeof(answer), &answer), CL_INVALID_VALUE);
    CHECK_EQ(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4, &count, sizeof(sizes), sizes), CL_INVALID_VALUE);
    CHECK_EQ(ASK(0, 0, NULL, sizeof(answer), &answer), CL_INVALID_VALUE);
    CHECK_EQ(clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, &answer, NULL),
             CL_INVALID_KERNEL);
    CHECK_EQ(clGetKernelSubGroupInfo(kernel, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, &answer, NULL),
             CL_SUCCESS);
    clReleaseKernel(kernel);
    cl_program other =
        build("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int *p) { *p = 1; }", "");
    fixed = kernel = kernel_of(other, "k");
    count = 3;
    CHECK_EQ(ASK(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(count), &count, sizeof(sizes), sizes), CL_SUCCESS);
    CHECK(!sizes[0]);
    clReleaseKernel(fixed);
    clReleaseProgram(other);
#undef ASK
}

static bool has_type(const char *type)
{
    char text[4096] = "";
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL), CL_SUCCESS);
    return (strcmp(type, "half") != 0 || strstr(text, "cl_khr_fp16")) &&
           (strcmp(type, "double") != 0 || strstr(text, "cl_khr_fp64"));
}

int main(int argc, char **argv)
{
    static const char *const types[] = {"int",  "long",  "char",  "uchar",  "short", "ushort",
                                        "uint", "ulong", "float", "double", "half"};
    if (argc > 1)
        setenv("CHENGYING_MACHINE", argv[1], 1);
    set_up(0);
    size_t multiple = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(multiple), &multiple, NULL),
             CL_SUCCESS);
    threads = (cl_uint)multiple;
    for (size_t t = 0; t < (argc > 1 ? 2 : sizeof(types) / sizeof(types[0])); t++)
        for (int plain = 0; plain < (!has_type(types[t]) ? 0 : t == 0 && argc == 1 ? 2 : 1); plain++) {
            char options[160];
            snprintf(options, sizeof(options), "-cl-std=CL%s -DT=%s -DCLUSTER_SIZE=%d -DALL_OF=all_of_%s %s %s",
                     argc > 1 ? "2.0" : "3.0", types[t], CLUSTER, operations[t % 7], is_float(types[t]) ? "" : "-DBITS",
                     plain ? "-cl-opt-disable" : "");
            char whole[sizeof(source) + sizeof(more)];
            snprintf(whole, sizeof(whole), "%s%s", source, more);
            cl_program program = build(whole, options);
            for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]) - (argc > 1 || t > 0); s++) {
                const struct shape *shape = &shapes[s];
                items = shape->global[0] * shape->global[1] * shape->global[2];
                for (size_t i = 0; i < items; i++) {
                    put(types[t], in, i, i % 5 == 1 ? 2 : i % 11 == 4 && types[t][0] != 'u' ? -1 : i == 77 ? 3 : 1);
                    ways[i] = i % 3 == 0 ? 0 : i % 8 == 5 ? 2 : i > 95 ? (int)(i / 7 % 3) : 1;
                    indices[i] = (cl_uint)(i * 13 % threads);
                }
                find_places(program, shape);
                test_folds(program, types[t], shape);
                test_moves(program, types[t], shape);
                test_vectors(program, types[t], shape);
                if (t == 0) {
                    test_logical(program, shape);
                    test_votes(program, shape);
                    test_barriers(program, shape);
                }
            }
            if (t == 0)
                test_queries(program);
            clReleaseProgram(program);
        }
    tear_down();
    return test_finish();
}
