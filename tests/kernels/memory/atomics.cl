// Atomic operations on global and local memory, in orders that do not matter.
//
// data: a uint[512] random
// data: cells uint[16] list 0,0,0xffffffff,0,0xffffffff,0,0,0,0,0x7fffffff,0x80000000,0,0,0,0,0
// run: all_operations 512/64 a cells
// gives: a=356177f7600faca7 cells=fa12b5cbe08fbf4d
// data: a uchar[2048] random
// data: bins uint[64] zero
// run: histogram 512/128 a bins
// gives: a=15123de7891c4b04 bins=ed91fb842deebe09
// data: order int[256] zero
// data: next int[1] zero
// run: tickets 256/64 order next
// gives: order=5453de0ad2162b25 next=447bfb7f98e6154a
// data: a int[256] random 0 9
// data: out int[256] value -1
// data: count int[1] zero
// run: compact 256/64 a out count
// run: sorted 1/1 out count
// gives: a=0597e40b5d385fc7 out=1e431025d1528c50 count=cc10683120b86169
// data: sums float[4] zero
// data: a float[256] random 0 64
// run: add_floats 256/64 a sums
// gives: sums=ae04db922d048205 a=2f0d8c969b75cbe2
// data: cells int[64] zero
// run: diverging 256/64 cells
// gives: cells=b71cdfe05816f659

kernel void all_operations(global const uint *a, global uint *cells)
{
    uint x = a[get_global_id(0)];
    atomic_add(&cells[0], x);
    atomic_sub(&cells[1], x);
    atomic_min(&cells[2], x);
    atomic_max(&cells[3], x);
    atomic_and(&cells[4], x | 0xffff0000);
    atomic_or(&cells[5], x & 0x01010101 << (x & 7));
    atomic_xor(&cells[6], x);
    atomic_inc(&cells[7]);
    atomic_dec(&cells[8]);
    atomic_min((global int *)&cells[9], (int)x);
    atomic_max((global int *)&cells[10], (int)x);
    atomic_add(&cells[11], atomic_xchg(&cells[12], 0)); // adds what is left: nothing
}

kernel void histogram(global const uchar *a, global uint *bins)
{
    local uint own[64];
    int i = get_local_id(0);
    if (i < 64)
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 4; j++)
        atomic_inc(&own[a[get_global_id(0) * 4 + j] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 64)
        atomic_add(&bins[i], own[i]);
}

// Each number is given out once.
kernel void tickets(global int *order, global int *next)
{
    int t = atomic_inc(next);
    order[t] += 1;
}

kernel void compact(global const int *a, global int *out, global int *count)
{
    int i = get_global_id(0);
    if (a[i] > 4)
        out[atomic_add(count, 1)] = i;
}

kernel void sorted(global int *out, global const int *count)
{
    for (int i = 1; i < *count; i++)
        for (int j = i; j > 0 && out[j - 1] > out[j]; j--) {
            int t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
}

// The numbers are whole and small: any order gives the same sum.
kernel void add_floats(global const float *a, global float *sums)
{
    global volatile uint *cell = (global volatile uint *)&sums[get_global_id(0) & 3];
    uint seen = *cell, assumed;
    do {
        assumed = seen;
        seen = atomic_cmpxchg(cell, assumed, as_uint(as_float(assumed) + floor(a[get_global_id(0)])));
    } while (seen != assumed);
}

kernel void diverging(global int *cells)
{
    int i = get_global_id(0);
    local int l[4];
    if (get_local_id(0) < 4)
        l[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < i % 6; j++) {
        if (j & 1)
            atomic_add(&cells[i & 31], j);
        else
            atomic_xor(&l[i & 3], i << j);
    }
    if (i % 3 == 0)
        atomic_max(&cells[32 + (i & 15)], i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 4)
        atomic_add(&cells[60 + get_local_id(0)], l[get_local_id(0)]);
}
