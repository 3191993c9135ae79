// Work-items that work together through local memory.
//
// data: a int[512] random -99 99
// data: out int[8] zero
// run: reduce 512/64 a out local:256
// gives: a=d94575725c15a52e out=717ce474977d2304
// data: a int[512] random -99 99
// data: out int[512] zero
// run: scan 512/128 a out
// gives: a=d94575725c15a52e out=df90b44d15f78ce5
// data: a int[256] random 0 99
// data: out int[256] zero
// run: blelloch 256/64 a out
// gives: a=2f5dd7599a3936bd out=210b45bb9dfafd31
// data: a float[1024] iota
// data: out float[1024] zero
// run: transpose 32x32/16x16 a out
// gives: a=4d7ad09cb169a908 out=c9e87c56496913d8
// data: a float[960] iota
// data: out float[960] zero
// run: transpose_any 40x24/8x8 a out int:40 int:24
// gives: a=95cdaa24b4a874c8 out=6748c838f49da048
// data: a uint[512] random
// data: out uint[512] zero
// run: bitonic 256/64 a out
// gives: a=356177f7600faca7 out=9d39d314ff03ad53
// data: a int[1024] random 0 255
// data: out int[1024] zero
// run: blur 32x32/16x16 a out
// gives: a=3c266043c188abcb out=16c04494ee455820
// data: a float[256] random 0 15
// data: b float[256] random 0 15
// data: out float[256] zero
// run: multiply 16x16/8x8 a b out int:16
// gives: a=4c7a34b14333ec6b b=7f639ea24b6562a1 out=3dd4b062a0f7d9b3
// data: a uint[256] random
// data: out uint[256] zero
// run: radix_sort 256/64 a out
// gives: a=dccef8978b21416c out=15774aa9dc12319d
// data: a int[256] random 0 9
// data: out int[256] zero
// run: segmented 256/64 a out
// gives: a=0597e40b5d385fc7 out=4a1681fc7cf61f14
// data: a short[512] random
// data: out short[512] zero
// run: sharing 64/32 a out local:128 local:256
// gives: a=689973e6757b886c out=9488f3db29de7af7
// data: a uchar[256] random
// data: out uint[16] zero
// run: vote 256/32 a out
// gives: a=d9af9aa50a304dfd out=9e8bb462e29ca158
// data: out int[192] zero
// run: wavefront 192/48 out
// gives: out=811727bbd6047b9d
// data: out ulong[64] zero
// run: wide 64/32 out
// gives: out=fb2eebd54a94dda1

#pragma OPENCL FP_CONTRACT OFF

kernel void reduce(global const int *a, global int *out, local int *l)
{
    int i = get_local_id(0);
    l[i] = a[get_global_id(0)];
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < s)
            l[i] += l[i + s];
    }
    if (i == 0)
        out[get_group_id(0)] = l[0];
}

kernel void scan(global const int *a, global int *out)
{
    local int l[2][128];
    int i = get_local_id(0), from = 0;
    l[0][i] = a[get_global_id(0)];
    for (int d = 1; d < 128; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        l[!from][i] = i >= d ? l[from][i] + l[from][i - d] : l[from][i];
        from = !from;
    }
    out[get_global_id(0)] = l[from][i];
}

kernel void blelloch(global const int *a, global int *out)
{
    local int l[128];
    int i = get_local_id(0), g = get_group_id(0) * 64;
    l[i] = a[g + i];
    l[i + 64] = 1;
    int step = 1;
    for (int n = 64; n > 0; n >>= 1, step <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            l[step * (2 * i + 2) - 1] += l[step * (2 * i + 1) - 1];
    }
    if (i == 0)
        l[127] = 0;
    for (int n = 1; n < 128; n <<= 1) {
        step >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n) {
            int low = step * (2 * i + 1) - 1, high = step * (2 * i + 2) - 1, t = l[low];
            l[low] = l[high];
            l[high] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g + i] = l[i] * 1000 + l[i + 64];
}

kernel void transpose(global const float *a, global float *out)
{
    local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), n = get_global_size(0);
    tile[y][x] = a[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * 16 + y) * n + get_group_id(1) * 16 + x] = tile[x][y];
}

kernel void transpose_any(global const float *a, global float *out, int width, int height)
{
    local float tile[8 * 9];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y * 9 + x] = a[get_global_id(1) * width + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int tx = get_group_id(1) * 8 + x, ty = get_group_id(0) * 8 + y;
    if (tx < height && ty < width)
        out[ty * height + tx] = tile[x * 9 + y];
}

kernel void bitonic(global const uint *a, global uint *out)
{
    local uint l[128];
    int i = get_local_id(0), g = get_group_id(0) * 128;
    l[i] = a[g + i];
    l[i + 64] = a[g + i + 64];
    for (int size = 2; size <= 128; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int low = 2 * i - (i & (stride - 1)), high = low + stride;
            bool up = (low & size) == 0;
            if ((l[low] > l[high]) == up) {
                uint t = l[low];
                l[low] = l[high];
                l[high] = t;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g + i] = l[i];
    out[g + i + 64] = l[i + 64];
}

// A tile with a rim that the first lanes bring in.
kernel void blur(global const int *a, global int *out)
{
    local int tile[18][18];
    int n = get_global_size(0), lx = get_local_id(0), ly = get_local_id(1);
    int x0 = get_group_id(0) * 16 - 1, y0 = get_group_id(1) * 16 - 1;
    for (int k = ly * 16 + lx; k < 18 * 18; k += 256) {
        int x = clamp(x0 + k % 18, 0, n - 1), y = clamp(y0 + k / 18, 0, n - 1);
        tile[k / 18][k % 18] = a[y * n + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += tile[ly + dy][lx + dx] * (dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1);
    out[get_global_id(1) * n + get_global_id(0)] = sum / 16;
}

kernel void multiply(global const float *a, global const float *b, global float *out, int n)
{
    local float ta[8][8], tb[8][8];
    int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        ta[y][x] = floor(a[row * n + t + x]);
        tb[y][x] = floor(b[(t + y) * n + column]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * n + column] = sum;
}

// One bit at a time; the keys keep their order.
kernel void radix_sort(global const uint *a, global uint *out)
{
    local uint keys[64], ones[64];
    int i = get_local_id(0);
    keys[i] = a[get_global_id(0)] & 0xfff;
    for (int bit = 0; bit < 12; bit++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint key = keys[i], b = key >> bit & 1;
        ones[i] = b;
        for (int d = 1; d < 64; d <<= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint t = i >= d ? ones[i - d] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            ones[i] += t;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint zeros = 64 - ones[63];
        keys[b ? zeros + ones[i] - 1 : i - ones[i]] = key;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = keys[i];
}

// Sums that start again wherever a zero stands.
kernel void segmented(global const int *a, global int *out)
{
    local int values[64];
    local char heads[64];
    int i = get_local_id(0);
    values[i] = a[get_global_id(0)];
    heads[i] = values[i] == 0;
    for (int d = 1; d < 64; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = values[i], t = i >= d && !heads[i] ? values[i - d] : 0;
        char h = heads[i] | (i >= d ? heads[i - d] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        values[i] = v + t;
        heads[i] = h;
    }
    out[get_global_id(0)] = values[i];
}

// Two arguments and a variable in local memory.
kernel void sharing(global const short *a, global short *out, local short *l, local int *m)
{
    local char c[32];
    int i = get_local_id(0), g = get_global_id(0) * 8;
    for (int j = 0; j < 2; j++) {
        l[i * 2 + j] = a[g + j];
        m[i * 2 + j] = a[g + 2 + j] * a[g + 4 + j];
    }
    c[i] = (char)a[g + 6];
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = (i + 11) & 31;
    out[g] = l[k * 2];
    out[g + 1] = l[k * 2 + 1];
    out[g + 2] = (short)m[k];
    out[g + 3] = (short)(m[k + 32] >> 16);
    out[g + 4] = c[k];
}

kernel void vote(global const uchar *a, global uint *out)
{
    local int any_set, all_set;
    local uint ballot;
    int i = get_local_id(0);
    if (i == 0) {
        any_set = 0;
        all_set = 1;
        ballot = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bool mine = a[get_global_id(0)] > 200;
    if (mine)
        atomic_or(&ballot, 1u << i);
    if (mine)
        any_set = 1;
    else
        atomic_and(&all_set, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        out[get_group_id(0)] = ballot + any_set * 3 + all_set * 5;
}

// Each work-item waits for the one before it, a step a barrier.
kernel void wavefront(global int *out)
{
    local int l[48];
    int i = get_local_id(0);
    l[i] = 0;
    for (int step = 0; step < 48 + 4; step++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int k = step - i;
        int left = i > 0 ? l[i - 1] : step;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k >= 0 && k < 5)
            l[i] = left * 2 % 1009 + k;
    }
    out[get_global_id(0)] = l[i];
}

kernel void wide(global ulong *out)
{
    local ulong l[32];
    local uchar4 c[32];
    int i = get_local_id(0);
    l[i] = (ulong)get_global_id(0) * 0x0123456789abcdeful;
    c[31 - i] = as_uchar4((uint)l[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong r = l[i ^ 3] + c[i].z;
    out[get_global_id(0)] = r * c[i ^ 1].x;
}
