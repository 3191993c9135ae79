// Kernels for broken translators (src/jit/translate/breakages.def); broken.py runs them with the engine verify:
//
//     // BREAKAGE...: the kernel, its range, its workgroup, options of cy run
//
// `a` is 8300 random words, `out` as many words.  Behind @ there is the generation whose code has the breakage; else both are tried.
//
// COMPARE ROW: compare 1024 64
// NANS: nans 1024 64
// UNIFORM: uniform@gen1 1024 64
// STRIDE: strides@gen1 1024 64
// GATHER FAR_INDEX: gathers 1024 64
// FAR_ROW: compare@gen2 1024 64
// FAR_ONE: element@gen2 1024 64
// SCATTER: scatters@gen1 1024 64
// CHUNK: fours 256 64
// TWOS: twos 1024 64
// BYTES: bytes 1024 64
// PRIVATE: places 1024 64
// LOCAL: histogram 1024 64
// SAVE: neighbours 1024 64
// BLEND: loops 1024 64
// FULL: nested 1024 64
// MASKED: some 1024 64
// PAIR PAIR_BLEND: products@gen2 1024 64
// ATOMIC ATOMIC_SUM: meet 1024 64
// EXCHANGE: rotate 1024 64
// PARTIAL_ROW: compare 1000 20 --set strip=16
// PARTIAL_GROUP: compare 1000 64
// KEY: some after other 1024 64
// COUNT: branches 8192 64 --stats

kernel void compare(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] < a[i + 1] ? i : a[i];
}

kernel void nans(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = as_uint(as_float(a[i] | 0x7f800000) + 1.0f);
}

kernel void uniform(global const uint *a, global uint *out)
{
    uint i = get_global_id(0), first = get_group_id(0);
    out[i] = a[first] * i + a[first + 1];
}

kernel void element(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    ulong word = ((global const ulong *)a)[get_group_id(0)];
    out[i] = (uint)(word >> 32) + i * (uint)word;
}

kernel void strides(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = a[4 * i] + a[4 * i + 1] * 3;
    out[i + 1024] = a[3 * i];
}

kernel void gathers(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = a[a[i] & 1023];
}

kernel void scatters(global const uint *a, global uint *out)
{
    uint i = get_global_id(0), to = (i * 37) & 1023;
    if (a[i] & 1)
        out[to] = a[i];
}

kernel void fours(global const uint4 *a, global uint4 *out)
{
    uint i = get_global_id(0);
    out[i] = a[a[i].x & 255] * (uint4)(1, 3, 5, 7);
}

kernel void twos(global const uint2 *a, global uint2 *out)
{
    uint i = get_global_id(0);
    out[i] = a[a[i].x & 1023] * (uint2)(1, 3);
}

kernel void bytes(global const uint *words, global uint *out)
{
    global const char *a = (global const char *)words;
    uint i = get_global_id(0);
    out[i] = a[i] * 5 + a[2 * i] + a[2 * i + 1] * 3;
}

kernel void places(global const uint *words, global uint *out)
{
    global const uchar *a = (global const uchar *)words;
    uint i = get_global_id(0);
    uchar own[16];
    for (uint k = 0; k < 16; k++)
        own[(a[i] + k * 7) & 15] = a[i + k];
    out[i] = own[a[i + 1] & 15];
}

kernel void neighbours(global const uint *a, global uint *out)
{
    local uint words[64];
    uint i = get_global_id(0), l = get_local_id(0), sum = a[i], all = 0;
    for (uint k = 0; k < get_num_groups(0); k++) {
        words[l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = sum * 5 + words[(l + k + 1) & 63];
        all = all * 3 + sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = all;
}

kernel void histogram(global const uint *a, global uint *out)
{
    local uint sums[16];
    uint i = get_global_id(0), l = get_local_id(0);
    if (l < 16)
        sums[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sums[a[i] & 15], a[i + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        out[get_group_id(0) * 16 + l] = sums[l];
}

kernel void loops(global const uint *a, global uint *out)
{
    uint i = get_global_id(0), value = 0;
    for (uint k = 0; k < (a[i] & 15) + 3; k++)
        value = value * 3 + a[i + k];
    out[i] = value;
}

kernel void branches(global const uint *a, global uint *out)
{
    uint i = get_global_id(0), value = 1;
    for (uint k = 0; k < (a[0] & 7) + (a[i] > 5); k++)
        value = value * 3 + a[i];
    out[i] = value;
}

kernel void nested(global const uint *a, global uint *out)
{
    uint i = get_global_id(0), value = a[i], sum = 1;
    if (value & 1) {
        for (uint k = 0; k < (value >> 1 & 7); k++)
            sum = sum * 3 + a[i + k];
        out[i + 1024] = sum;
        sum ^= a[i + 2];
        if (value & 2)
            for (uint k = 0; k < (value >> 4 & 7); k++)
                sum += a[i + k] * k;
        out[i + 2048] = sum;
    } else {
        out[i + 1024] = value;
        out[i + 2048] = 5;
    }
    out[i] = sum;
}

kernel void some(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    if (a[i] & 1)
        out[i] = a[i] * 3;
}

kernel void other(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    if (a[i] & 2)
        out[i] = a[i] * 5;
}

kernel void products(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    ulong value = 7;
    for (uint k = 0; k < (a[i] & 15); k++)
        value = value * 0x100000001b3ul + a[i + k];
    ((global ulong *)out)[i] = value;
}

kernel void meet(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    atomic_max(&out[i & 1], a[i]);
    if (a[i] & 4)
        atomic_add(&out[2], a[i]);
}

kernel void rotate(global const uint *a, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = sub_group_scan_exclusive_add(a[i]) + sub_group_broadcast(a[i], 3) * sub_group_reduce_max(a[i]);
}
