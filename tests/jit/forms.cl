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
// data: in int[128] random
// data: from int[257] steps 0 9
// data: to int[2048] random 0 63
// data: out int[2048] zero
// run: sparse_elements 256/32 in from to out
// run: sparse_elements 250/10 in from to out
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
// data: data int[768] random
// data: factors int[192] random
// data: words int[512] random
// run: twos 192/96 data factors words uint:1 uint:0
// run: twos 192/96 data factors words uint:2 uint:1
// run: twos 192/96 data factors words uint:5 uint:2
// run: twos 192/96 data factors words uint:8 uint:1
// run: twos 192/64 data factors words uint:16 uint:3
// run: twos 192/32 data factors words uint:24 uint:1
// run: twos 192/96 data factors words uint:32 uint:1
// run: twos 190/19 data factors words uint:48 uint:0
// run: twos 192/96 data factors words uint:64 uint:2
// run: twos 192/192 data factors words uint:96 uint:1
// gives:
// data: in int[1024] perm
// data: out long[16384] zero
// data: narrow short[4096] zero
// run: around 512/64 in out int:1024
// run: around 512/1 in out int:1024
// run: parted 1024/128 in out narrow int:1024
// run: parted 1000/50 in out narrow int:512
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
// data: in uchar[16384] random
// data: out uchar[65536] zero
// run: pixels 1024/128 in out
// run: pixels 1000/40 in out
// run: pixels 36/6 in out
// run: pixels 36/4 in out
// gives:
// data: in ushort[16384] random
// data: out ushort[65536] zero
// run: samples 1024/64 in out
// run: samples 1000/100 in out
// run: samples 60/10 in out
// gives:
// data: in uchar[3072] random
// data: out uchar[3072] zero
// run: whole_buffers 1024/256 in out
// gives:
// data: in uchar[1024] random
// data: out uchar[1024] zero
// run: overlaps 16/16 in out
// gives:
// data: in uchar[1024] random
// data: out uchar[1024] zero
// run: overlaps 8/8 in out
// gives:
// data: in uchar[8192] random
// data: at uint[512] random 0 2000
// data: out uchar[65536] zero
// run: any_bytes 512/64 in at out int:5
// run: any_bytes 500/50 in at out int:12
// run: any_bytes 60/10 in at out int:9
// gives:
// data: in ushort[65536] steps 0 1
// data: out uint[65536] zero
// run: from_halves 65536/128 in out
// gives:
// data: in uint[32768] random
// data: out ushort[98304] zero
// run: to_halves 32768/128 in out int:0
// run: to_halves 32768/128 in out int:8191
// gives:
// data: in int[1024] random
// data: out int[10240] zero
// run: quotients 1024/64 in out
// run: quotients 1000/50 in out
// gives:
// data: in uint[2048] random 0 1000
// data: out uint[2048] zero
// run: swapped 1000/100 in out int:0
// run: swapped 1000/128 in out int:7
// gives:
// data: in float[4096] random -8 8
// data: out uint[1024] zero
// run: tree 1000/64 in out
// gives:
// data: in int[1024] random 0 60
// data: out int[1024] zero
// run: cases 1000/64 in out
// run: cases 1000/33 in out
// gives:
// data: in int[256] random 0 100000
// data: out int[256] zero
// run: steps 256/64 in out
// gives:
// data: a int[4096] random 0 100000
// run: quicksort 128/64 a int:32
// run: quicksort 100/50 a int:40
// gives:
// data: rows float[16384] random -1000 1000
// run: nan_rows 256/64 rows int:64
// run: nan_rows 250/50 rows int:61
// gives:
// data: in int[8192] random
// data: out int[8192] zero
// run: fours 1000/64 in out float:0.75
// run: fours 1000/50 in out float:-1.5
// gives:
// data: in float[16384] random -8 8
// data: out float[16384] zero
// run: eights 1000/128 in out float:0.75
// run: sixteens 1000/128 in out float:0.75
// run: sixteens 500/20 in out float:0.75
// gives:
// data: in uchar[4096] random
// data: out uchar[4096] zero
// run: letters 1000/64 in out
// run: letters 1000/50 in out
// gives:
// data: in uchar[16384] random
// data: out uchar[16384] zero
// run: saturated 1000/64 in out
// gives:
// data: in short[2048] random
// data: out int[1024] zero
// run: signs 1000/128 in out
// gives:
// data: in int[1024] random -30 90
// data: out int[1024] zero
// run: sparse_cases 1000/64 in out
// gives:
// data: in uchar[16384] random
// data: out uchar[65536] zero
// run: small_bytes 512/128 in out int:77
// run: small_bytes 512/32 in out int:0
// run: small_bytes 512/128 in out int:-1
// run: small_bytes 512/128 in out int:255
// run: small_bytes 512/128 in out int:256
// run: small_bytes 512/128 in out int:70000
// run: small_bytes 512/128 in out int:-2147483648
// run: small_bytes 500/50 in out int:100
// gives:
// data: in short[16384] random
// data: out short[32768] zero
// run: small_halves 512/64 in out int:19000
// run: small_halves 512/64 in out int:-5
// run: small_halves 512/64 in out int:40000
// run: small_halves 512/64 in out int:-2147483648
// run: small_halves 500/20 in out int:3
// gives:
// data: in uchar[4096] random
// data: out uchar[16384] zero
// run: small_rows 1024/256 in out int:60
// run: small_rows 1024/256 in out int:-1
// run: small_rows 1024/256 in out int:255
// run: small_rows 1024/256 in out int:300
// run: small_rows 1024/256 in out int:-100000
// run: small_rows 1000/100 in out int:90
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
kernel void sparse_elements(global const double *in, global const int *from, global const int *to, global double *out)
{
    int i = get_global_id(0);
    double sum = 0;
    long bits = 0;
    for (int k = from[i]; k < from[i + 1]; k++)
        sum = fma(in[to[k]], in[k & 63], sum);
    out[i] = sum;
    out[256 + i] = in[to[i]];
    if (to[i] & 5) { /* one word of an element, whose other one others use */
        bits = ((global const uint *)in)[to[i] * 2 + 1];
        out[512 + i] = in[to[i + 1]] + (to[i] & 8 ? in[to[i + 2]] : 0);
    }
    out[768 + i] = as_double(bits << (to[i] & 31));
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
kernel void pixels(global const uchar *in, global uchar *out) /* bytes of each lane, forwards and backwards, some under masks */
{
    int i = get_global_id(0), n = get_global_size(0);
    uchar3 c = vload3(i, in);
    vstore3(c.zxy + (uchar)1, n - 1 - i, out);
    uchar4 d = vload4(n - 1 - i, in + 1), e = vload4(i, in);
    vstore4(d ^ e.wzyx, i, out + 4096);
    vstore2((uchar2)(c.x, d.y), i, out + 8192);
    vstore8((uchar8)(d, e) | (uchar8)(2), i, out + 16384);
    vstore16(vload16(i & 511, in) + (uchar16)(c.x), i, out + 32768);
    if (c.x & 1) {
        vstore3(c * (uchar)3, i, out + 49152);
        vstore4(e, i, out + 53248);
        if (c.y & 2)
            vstore3(d.xyz, n - 1 - i, out + 57344);
        vstore2(vload2(i, in + 5), i, out + 61440);
    }
    out[12288 + 3 * i] = in[4 * i + 2]; /* one, and two with a gap */
    out[12290 + 3 * i] = c.y;
}
typedef struct {
    short x, y, z;
    char kind, age;
    int all;
} sample;
kernel void samples(global const ushort *in, global ushort *out) /* halves, and what is mixed with them */
{
    int i = get_global_id(0), n = get_global_size(0);
    ushort3 a = vload3(i, in);
    ushort4 b = vload4(n - 1 - i, in);
    short8 c = vload8(i, (global const short *)in);
    vstore3(a.yzx, i, out);
    vstore3(b.xyz + a, n - 1 - i, out + 4096);
    vstore4(b + (ushort)7, i, out + 8192);
    vstore8(convert_ushort8(c >> (short8)(2)), i, out + 12288);
    sample s = ((global const sample *)in)[i];
    s.kind = s.age - 1;
    s.all += s.x;
    ((global sample *)(out + 24576))[i] = s;
    for (int k = 0; k < (a.x & 3); k++)
        vstore4(b * (ushort)k, i, out + 32768);
    if (a.y & 4)
        vstore3(a, i, out + 40960);
    vstore2((ushort2)(a.x, c.s7), 2 * i, out + 49152);
}
kernel void whole_buffers(global const uchar *in, global uchar *out) /* from the first byte to the last */
{
    int i = get_global_id(0);
    vstore3(vload3(1023 - i, in), i, out);
}
kernel void overlaps(global const uchar *in, global uchar *out) /* of lanes that store to the same bytes, the last store counts */
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        out[i + k] = in[4 * i + k];
    vstore4(vload4(i, in), 0, out + 64 + 2 * i);
    vstore3(vload3(0, in + i), 0, out + 256 - 2 * i);
}
kernel void any_bytes(global const uchar *in, global const uint *at, global uchar *out, int step)
{
    int i = get_global_id(0), from = at[i];
    out[i] = in[from];
    vstore3(vload3(0, in + from), 0, out + 1024 + 4 * i);
    vstore8(vload8(0, in + step * i), 0, out + 4096 + step * i); /* the step is known when it runs */
    vstore2(as_uchar2(((global const ushort *)in)[from]), i, out + 16384);
    if (from & 1)
        vstore4(vload4(0, in + 2 * from), 0, out + 20480 + 16 * from);
}
kernel void from_halves(global const ushort *in, global uint *out) /* every one */
{
    int i = get_global_id(0);
    out[i] = as_uint(vload_half(i, (global const half *)in));
}
kernel void to_halves(global const uint *in, global ushort *out, int spread)
{
    int i = get_global_id(0);
    uint bits = spread ? in[i] / 4096 + (uint)i * spread * 16 : in[i]; /* next to halves and between them, or anything */
    vstore_half(as_float(bits), i, (global half *)out);
    vstore_half2((float2)(as_float(bits) * 0x1p-100f, as_float(bits ^ 0x80001000)), i, (global half *)(out + 32768));
}
kernel void quotients(global const int *in, global int *out) /* by 0, by -1, of the least number, next to multiples */
{
    int i = get_global_id(0), a = in[i], b = in[(i * 7) & 1023];
    b = i % 4 == 0 ? b % 11 - 5 : i % 4 == 1 ? b >> (i / 4 & 31) : b;
    if (i % 8 == 3)
        a = (int)0x80000000, b = i & 16 ? -1 : b;
    if (i % 8 == 5 && b)
        a = a / b * b - (i >> 3 & 1);
    out[i] = b ? a / b : a;
    out[1024 + i] = b ? a % b : b;
    out[2048 + i] = (uint)a / ((uint)b | 1);
    out[3072 + i] = (uint)a % ((uint)b | 1);
    ulong n = (ulong)a << 32 | (uint)b, d = ((ulong)in[(i * 5) & 1023] << 32 | (uint)in[(i * 3) & 1023]) >> (i & 63) | 1;
    if (i % 4 == 2)
        n = d * (n >> (i / 4 & 63)) - (i >> 8 & 1);
    ulong q = n / d, r = n % d;
    vstore2(as_int2(q), 2 * i, out + 4096);
    vstore2(as_int2(r), 2 * i + 1, out + 4096);
    out[8192 + i] = (int)((long)n / (long)d), out[9216 + i] = (int)((long)n % (long)d);
}
kernel void swapped(global uint *in, global uint *out, int turn) /* rows of pairs; LLVM adds the turn by `or` */
{
    int i = 2 * get_global_id(0) + (turn & 1);
    uint a = in[i], b = in[i + 1];
    if (a > b)
        in[i] = b, in[i + 1] = a;
    out[i] = a + b;
}
kernel void tree(global const float *in, global uint *out) /* with a stack in private memory */
{
    int i = get_global_id(0), stack[12], top = 0, node = 0, hits = 0;
    float x = in[4 * i], y = in[4 * i + 1];
    for (int turn = 0; turn < 40; turn++) {
        bool inside = x > in[2 * node] - 2 && y > in[2 * node + 1] - 2;
        if (inside && node < 511) {
            stack[top++] = 2 * node + 2;
            node = 2 * node + 1;
            continue;
        }
        hits += inside;
        if (top == 0)
            break;
        node = stack[--top];
    }
    out[i] = hits;
}
kernel void nan_rows(global float *rows, int n) /* NaNs among them */
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        rows[i * n + k] = rows[i * n + k] > 900 ? NAN : rows[i * n + k] * 0.5f + 1;
}
#define CASE(n)   case n: x = x * (2 * n + 1) + (x >> (n & 15)) - y, y ^= n * 77; break;
#define CASES8(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7)
kernel void cases(global const int *in, global int *out) /* so many that lanes go alone */
{
    int i = get_global_id(0), x = i, y = 1;
    for (int k = 0; k < 4; k++)
        switch (in[(i * 4 + k) & 1023]) {
            CASES8(0) CASES8(8) CASES8(16) CASES8(24) CASES8(32) CASES8(40) CASES8(48)
        default: x ^= 0x5555;
        }
    out[i] = x + y;
}
kernel void quicksort(global int *all, int n) /* loops in loops, all left by one lane after the other */
{
    global int *a = all + get_global_id(0) * n;
    int stack[32], top = 0;
    stack[top++] = 0, stack[top++] = n - 1;
    while (top) {
        int last = stack[--top], first = stack[--top], pivot = a[(first + last) / 2], i = first, j = last;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int t = a[i];
                a[i++] = a[j], a[j--] = t;
            }
        }
        if (first < j)
            stack[top++] = first, stack[top++] = j;
        if (i < last)
            stack[top++] = i, stack[top++] = last;
    }
}
#define STEP(d)                                                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    x += part[(l + d) & 63];                                                                                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    part[l] = x;
#define STEPS(d) STEP(d) STEP(d + 1) STEP(d + 2) STEP(d + 3) STEP(d + 4) STEP(d + 5) STEP(d + 6)
kernel void steps(global const int *in, global int *out) /* 70 barriers: more than a word has bits */
{
    local int part[64];
    int l = get_local_id(0), x = in[get_global_id(0)];
    part[l] = x;
    STEPS(1) STEPS(8) STEPS(15) STEPS(22) STEPS(29)
    out[get_global_id(0)] = x;
}
kernel void parted(global const int *in, global long *out, global short *narrow, int n) /* stores by some lanes only */
{
    int i = get_global_id(0), before = in[(i - 1) & (n - 1)], after = in[(i + 1) & (n - 1)];
    long x = before * 3l, y = after * -5l;
    global uchar *bytes = (global uchar *)(narrow + 2048);
    if (before & 1)
        out[i] = x * y;
    if (before & 2)
        vstore2((long2)(x, y), i, out + 1024);
    if (before & 4)
        vstore4((long4)(x, y, x + y, x - y), i, out + 4096);
    if (after & 1)
        vstore2((long2)(y, x), in[i], out + 8192);
    if (after & 2)
        out[10240 + in[i]] = y;
    if (after & 4)
        narrow[i] = x;
    if (after & 8)
        bytes[i] = y;
    if (after & 16)
        out[12288 + ((i + 3) & (n - 1))] = x ^ y; /* a row but for the last lanes */
}
kernel void around(global const int *in, global long *out, int n) /* indices that wrap around, and that go backwards */
{
    uint first = get_global_id(0), sum = 0;
    for (uint turn = 0, at = first; turn < 8; turn++, at += 0x40000001u)
        if (at < (uint)n)
            sum = 3 * sum + in[at];
    for (int i = first; i >= 0; i -= 7)
        sum += in[i] ^ in[n - 1 - i];
    for (int i = -(int)first; i < 8; i++)
        sum = 5 * sum + in[i + (int)first];
    if ((int)first > 0 && (int)first < n - 1)
        sum += in[(int)first - 1] - in[(int)first + 1];
    out[first] = sum;
}
kernel void twos(global int2 *data, global const int2 *factors, global const int *words, uint step, uint odd) /* elements of two words */
{
    uint i = get_global_id(0), k = i % step, at = 2 * step * (i / step) + k;
    int2 x = data[at], y = data[at + step], f = factors[k * (64 / step)];
    long wide = ((global const long *)factors)[(at ^ 1) & 63];
    int near = words[k * odd] * 3 + words[k * odd + 1]; /* elements that overlap, if odd is 1 */
    data[at] = x + y * f.yx + near;
    if (i % 3 != odd)
        data[at + step] = x - y * f + (int)(wide >> 20);
}
kernel void fours(global const double4 *in, global double4 *out, float f) /* elements that are computed with as in memory */
{
    int i = get_global_id(0);
    double4 x = in[i], y = in[i ^ 1];
    out[i] = x - y * (double)f;
    if (i % 5)
        out[i] = x * x + y.wzyx;
}
kernel void eights(global const float8 *in, global float8 *out, float f)
{
    int i = get_global_id(0);
    float8 x = in[i];
    out[i] = x * f + in[i + 1];
    if (i % 3 == 0)
        out[i].hi = x.lo;
}
kernel void sixteens(global float16 *in, global float16 *out, float f)
{
    int i = get_global_id(0);
    float16 x = in[i];
    in[i] = x + f;
    out[i] = x * f - x.s0;
}
uchar letter(uint v)
{
    return (uchar)(v < 26 ? v + 'A' : v < 52 ? v - 26 + 'a' : v < 62 ? v - 52 + '0' : v == 62 ? '+' : '/');
}
kernel void letters(global const uchar *in, global uchar *out) /* stores that branches part */
{
    int i = get_global_id(0);
    uint v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i] = letter(v >> 18);
    out[4 * i + 1] = letter(v >> 12 & 63);
    out[4 * i + 2] = letter(v >> 6 & 63);
    if (i & 4)
        out[4 * i + 3] = letter(v & 63);
}
kernel void saturated(global const char16 *in, global char16 *out) /* more values than registers */
{
    int i = get_global_id(0);
    char16 x = in[i], y = in[i ^ 3];
    out[i] = select(add_sat(x, y), sub_sat(x, y), x > y) ^ max(hadd(x, y), min(x, y)) + convert_char16_sat(convert_short16(x) * convert_short16(y) >> (short16)4);
}
kernel void signs(global const short *in, global int *out) /* with a sign, without, and both */
{
    int i = get_global_id(0);
    short both = in[i + 2];
    out[i] = in[i] * 3 + ((global const char *)in)[2 * i + 5] * ((global const uchar *)in)[2 * i + 7] + both * (ushort)both;
}
kernel void sparse_cases(global const int *in, global int *out) /* below, between and above all cases */
{
    int i = get_global_id(0), x = i, y = 1;
    for (int k = 0; k < 4; k++)
        switch (in[(i * 7 + k) & 1023] * 3) {
            CASES8(-16) CASES8(-3) CASES8(21) CASES8(40) CASES8(100) CASES8(130) CASES8(200)
        default: x ^= 0x5555;
        }
    out[i] = x + y;
}
kernel void small_bytes(global const uchar16 *in, global uchar16 *out, int k) /* in lanes of 8, 16 and 32 bits */
{
    int i = get_global_id(0), n = get_global_size(0);
    uchar16 x = in[i], y = in[i ^ 5];
    ushort16 a = convert_ushort16(x), b = convert_ushort16(y);
    uint16 c = convert_uint16(x), d = convert_uint16(y);
    out[i] = convert_uchar16((a * (ushort)k + b * (ushort)(255 - k) + (ushort)128) >> (ushort)8);
    out[i + n] = rhadd(max(x, y), hadd(x, abs_diff(x, y))) + convert_uchar16(c * d * c >> 11);
    out[i + 2 * n] = select(add_sat(x, y), sub_sat(y, x), convert_char16(convert_int16(x) > (int16)k)) ^ convert_uchar16(c < (uint16)k);
    out[i + 3 * n] = convert_uchar16_sat(convert_int16(x) * 5 - convert_int16(y) * 3 - k) + as_uchar16(as_char16(x) >> (char)3) / (uchar)2;
}
kernel void small_halves(global const short8 *in, global short8 *out, int k)
{
    int i = get_global_id(0), n = get_global_size(0);
    short8 x = in[i], y = in[i + 3];
    out[i] = add_sat(convert_short8_sat(convert_int8(x) * k >> 15), sub_sat(y, x));
    out[i + n] = select(x >> (short)2, y, as_ushort8(x) > as_ushort8(y)) + as_short8(abs_diff(x, y));
    out[i + 2 * n] = min(x, (short)k) * max(y, (short)9) - clamp(y, (short)-200, (short)1000) + as_short8(convert_ushort8(as_uint8(convert_int8(x)) >> 7));
}
kernel void small_rows(global const uchar *in, global uchar *out, int k) /* one byte of each lane */
{
    int i = get_global_id(0), n = get_global_size(0), x = in[i], y = in[i + 1], z = in[i + 2];
    out[i] = x > k ? 255 : 0;
    out[i + n] = clamp((x * 5 >> 2) + y - 70, 0, 255);
    out[i + 2 * n] = (x * k + y * (255 - k) + 128) >> 8;
    out[i + 3 * n] = ((uint)x < (uint)k) + min(min(x, y), z) + (char)x / 4 + ((x ^ y) - z >> 3);
}
