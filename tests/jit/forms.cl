// Accesses that are one instruction in the forms of AVX2 and AVX-512 (forms.c, which compares with the
// interpreter: nothing is recorded).
//
// data: in int[1024] perm
// data: out int[2048] value -7
// run: moves 1000/128 in out
// run: moves 320x3/20x3 in out
// gives:
// data: in int[512] random 0 40
// data: out int[4096] zero
// run: collisions 512/32 in out
// gives:
// data: in int[1024] random -20 200
// data: out int[8192] value 9
// run: rows 1000/96 in out
// run: rows 1000/33 in out
// gives:
// data: in int[1024] random 0 63
// data: out int[1024] zero
// run: chains 1000/64 in out
// gives:
// data: in float[1024] random -8 8
// data: out float[8192] zero
// run: floats 1024/256 in out local:1024
// gives:
// data: in uchar[4096] random
// data: out uchar[16384] zero
// run: bytes 1000/100 in out
// gives:
// data: in float[64] random
// data: from int[257] steps 0 9
// data: to int[2048] random 0 63
// data: out float[256] zero
// run: sparse 256/32 in from to out
// gives:
// data: in int[256] random 0 15
// data: out int[256] zero
// run: stacks 250/50 in out
// gives:
// data: in float[16384] random -8 8
// data: at int[512] random 0 960
// data: out float[16384] zero
// run: wide 512/64 in at out
// run: wide 500/50 in at out
// run: wide 36/6 in at out
// run: uneven 512/32 in at out
// run: uneven 510/30 in at out
// run: few_words 512/128 in at out
// gives:
// data: in int[2048] random
// data: out int[8192] zero
// run: computed 1024/128 in out int:64
// run: computed 1000/50 in out int:32
// run: computed 1024/32 in out int:16
// run: computed 1024/64 in out int:8
// run: computed 1024/256 in out int:3
// run: computed 1024/256 in out int:1
// run: computed 128x8/32x8 in out int:20
// gives:
// data: bits int[1024] random
// data: out int[8192] zero
// run: conversions 1024/64 bits out
// gives:
// data: rows float[16384] random -8 8
// run: own_rows 64/32 rows int:37 float:0.5
// run: own_rows 120/12 rows int:64 float:1.5
// run: own_rows_back 256/64 rows int:61 float:0.7
// gives:
// data: in int[1024] random 0 63
// data: from int[1025] steps 0 7
// data: to int[8192] random 0 1023
// data: out int[2048] value -1
// run: frontier 1024/64 in from to out int:0
// run: frontier 1024/64 in from to out int:3
// run: frontier 1000/100 in from to out int:12
// run: frontier 1024/256 in from to out int:40
// run: frontier 1024/32 in from to out int:63
// gives:
// data: in int[1024] random
// data: out int[4096] zero
// run: extremes 1024/128 in out
// run: extremes 1000/40 in out
// gives:
// data: in int[192] random 0 100
// data: out uint[4096] zero
// run: exchanges 190/16 in out
// gives:

kernel void moves(global const int *in, global int *out) /* words at any addresses, and back to others */
{
    int i = get_global_id(0) + get_global_size(0) * get_global_id(1), at = in[i];
    out[in[at]] = in[in[(at + 5) & 1023]] + i;
    if (at & 4)
        out[1024 + at] = in[1023 - in[at]];
}
kernel void collisions(global const int *in, global int *out) /* of a strip's lanes that write one word, the last one counts */
{
    int i = get_global_id(0), group = get_group_id(0) * 64;
    out[group + in[i]] = i;
    if (in[i] & 1)
        out[1024 + group + in[i] / 4] = i;
    out[2048 + group] = i;
    if (i % 3 == 0)
        out[3072 + group] = i;
}
kernel void rows(global const int *in, global int *out) /* consecutive words, of which some lanes store theirs */
{
    int i = get_global_id(0), x = in[i];
    if (x > 0) {
        out[i] = x;
        if (x < 100)
            out[1024 + i] = x * in[i + 3 & 1023];
        else
            out[4097 + i] = x - 1;
    }
    for (int k = 0; k < (x & 7); k++)
        out[2048 + i] = k * x;
    out[3072 + i] = x < 50 ? out[i] : 3;
}
kernel void chains(global const int *in, global int *out) /* loads whose address was loaded, until one ends */
{
    int i = get_global_id(0), at = in[i], turns = 0;
    while (at != 7 && turns < in[at] + 20) {
        at = in[(at * 5 + turns) & 1023];
        turns += 1 + (at & 1);
    }
    out[i] = at * 64 + turns;
}
kernel void floats(global const float *in, global float *out, local float *tile)
{
    int i = get_global_id(0), l = get_local_id(0);
    tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float x = tile[(l * 37 + (int)fabs(in[i])) & 255], y = tile[l ^ 5];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x > y)
        tile[l] = x * y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = x / y + tile[255 - l];
    float4 v = vload4(i & 127, in);
    vstore4(v * x, 1023 - i, out + 4096);
}
kernel void bytes(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    out[in[i] * 16 + (i & 15)] = 1;
    if (in[i] & 3)
        out[4096 + i] |= in[in[i + 1]];
    out[8192 + i] = in[i * 3];
}
kernel void sparse(global const float *in, global const int *from, global const int *to, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = from[i]; k < from[i + 1]; k++)
        sum = fma(in[to[k]], in[k & 63], sum);
    out[i] = sum;
}
kernel void stacks(global const int *in, global int *out) /* private memory */
{
    int i = get_global_id(0), stack[16], top = 0;
    for (int k = 0; k < 16; k++)
        stack[k] = in[(i + k) & 255];
    for (int k = 0; k < in[i]; k++) {
        top = stack[top] & 15;
        stack[(top + k) & 15] += k;
    }
    out[i] = top + stack[in[i]];
}
kernel void wide(global const float16 *in, global const int *at, global float *out) /* sixteen words of each lane */
{
    int i = get_global_id(0);
    float16 x = in[i] * 2 + in[at[i]];
    float8 y = vload8(at[i] + 3, (global const float *)in);
    if (at[i] & 1)
        vstore16(x + x.s1, i, out);
    else
        vstore8(y + x.lo, i, out);
    vstore4(y.hi, i * 2, out + 8192);
    vstore4(x.lo.hi - y.lo, 1023 - i, out + 8192 + 4096);
}
kernel void uneven(global const float *in, global const int *at, global float *out) /* structures of five and three words, backwards too */
{
    int i = get_global_id(0), n = get_global_size(0);
    global const float *five = in + 5 * (n - 1 - i), *any = in + at[i] + 1;
    float3 x = vload3(at[i], in);
    float sum = five[0] + five[1] * five[2] - five[4];
    for (int k = 0; k < at[i] % 5; k++, any += 7)
        sum += any[0] * any[2] + any[3];
    vstore3(x + sum, i, out);
    out[4096 + 5 * i] = sum;
    out[4097 + 5 * i] = x.x;
    out[4098 + 5 * i] = x.y - five[3];
    out[4099 + 5 * i] = x.z;
    out[10000 + 6 * (n - i)] = x.x;
    out[10001 + 6 * (n - i)] = x.z;
    out[10002 + 6 * (n - i)] = sum;
    out[10003 + 6 * (n - i)] = x.y;
}
kernel void few_words(global const float4 *in, global const int *at, global float4 *out) /* hardly more than moves: widest strips */
{
    int i = get_global_id(0);
    out[i] = in[i];
    out[2048 + 2 * i] = in[at[i]];
}
kernel void computed(global const int *in, global int *out, int step) /* addresses that may be consecutive: only their numbers show it */
{
    int t = get_global_id(0) + get_global_size(0) * get_global_id(1), at = 2 * step * (t / step) + t % step, n = 2047;
    out[at] = in[min(at, n)] - in[min(at + step, n)];
    out[4096 + (t ^ step & ~7)] = in[max(t - 1, 0)] + in[t < 600 ? t : t - step];
    if (in[t] & 3)
        out[6144 + min(t, 900)] = in[(t & ~31) + (t + step & 31)];
}
kernel void conversions(global const int *bits, global int *out) /* of every kind of number: halves of them are too large */
{
    const float edges[] = {NAN, INFINITY, -INFINITY, 2147483648.0f, -2147483648.0f, 2147483520.0f, -2147483904.0f,
                           4294967296.0f, 4294967040.0f, -0.9f, -1.0f, 0.5f, 1.5f, -2.5f, -0.0f, 1e-40f};
    int i = get_global_id(0);
    float x = i < 16 ? edges[i] : as_float(bits[i]), y = as_float(bits[i] & 0x81ffffff | 0x4e000000);
    out[i] = convert_int_sat(x);
    out[1024 + i] = convert_uint_sat(x);
    out[2048 + i] = convert_int_sat(y);
    out[3072 + i] = convert_uint_sat(y);
    out[4096 + i] = convert_int_sat_rte(x);
    out[5120 + i] = convert_uint_sat_rte(y);
    out[6144 + i] = convert_uchar_sat(x);
    out[7168 + i] = convert_short_sat(as_float(bits[i] & 0x81ffffff | 0x46000000));
}
kernel void own_rows(global float *rows, int n, float f) /* each item changes words of its own, one after the other */
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        rows[i * n + k] = rows[i * n + k] * f + 1.0f;
}
kernel void own_rows_back(global float *rows, int n, float f) /* the last item has the first row */
{
    int i = get_global_size(0) - 1 - get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += rows[i * n + k];
    for (int k = 0; k < n; k++)
        rows[i * n + k] = rows[i * n + k] * f + sum;
}
kernel void frontier(global const int *in, global const int *from, global const int *to, global int *out, int below)
{ /* a loop that few lanes of a strip enter, or many */
    int i = get_global_id(0), turns = 0;
    if (in[i] <= below) {
        for (int k = from[i]; k < from[i + 1]; k++, turns++)
            if (in[to[k]] > below)
                out[to[k]] = below;
        out[1024 + i] = turns;
    }
}
kernel void extremes(global const int *in, global int *out) /* of all kinds of floats, while lanes that wait keep integers */
{
    int i = get_global_id(0), kept = in[i] & 255;
    float x = as_float(in[i]), y = as_float(in[i ^ 1]), z = kept & 1 ? 0.0f : -0.0f;
    if (kept & 6) {
        float t = fma(x, 0.5f, y) + 2.0f;
        out[1024 + i] = as_int(fmax(fmin(t, x), -z));
        kept = as_int(t * 0.25f + x);
    }
    out[i] = kept;
    out[2048 + i] = as_int(fmax(kept & 8 ? x : z, y));
    out[3072 + i] = as_int(fmin(kept & 16 ? -z : y, z));
}
kernel void exchanges(global const int *in, global uint *out) /* some succeed; has checks in code that is never reached */
{
    uint i = get_global_id(0);
    out[1024 + i] = atomic_cmpxchg(&out[i], in[i] & 1, i + 7);
    if (in[i] & 2)
        out[2048 + i] = atomic_cmpxchg(&out[i], i + 7, 5);
    out[3072 + i] = atomic_cmpxchg(&out[i], i + 7, 5);
}
