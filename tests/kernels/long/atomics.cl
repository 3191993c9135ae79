// Atomic operations on 64 bits, in global and local memory.
// options: -cl-std=CL3.0
// data: c ulong[16] zero
// data: a long[256] random -1000000000000 1000000000000
// run: counters 256/64 c a
// gives: c=fa92d5e8a9ec6aa7 a=d1dab93e6fc496de
// data: c long[8] zero
// data: a long[256] random -1000000000000 1000000000000
// run: local_counters 256/64 c a
// gives: c=03ab80ff78a0bb6c a=d1dab93e6fc496de
// data: c ulong[4] zero
// run: exchange 128/32 c
// gives: c=d3f1467343b7df1e
// data: h uint[64] zero
// data: a ulong[1024] random
// run: histogram 1024/128 a h
// gives: h=7a81d45b829708f1 a=e5f897010de6b563
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void counters(volatile global ulong *c, global const long *a)
{
    size_t i = get_global_id(0);
    atom_add(&c[0], (ulong)a[i]);
    atom_sub(&c[1], (ulong)a[i] >> 7);
    atom_inc(&c[2]);
    atom_dec(&c[3]);
    atom_min((volatile global long *)&c[4], a[i]);
    atom_max((volatile global long *)&c[5], a[i]);
    atom_and(&c[6], (ulong)a[i]);
    atom_or(&c[7], (ulong)a[i]);
    atom_xor(&c[8], (ulong)a[i]);
    atom_max(&c[9], (ulong)a[i]);
    atom_add(&c[10 + (i & 3)], 4294967295ul);
}

kernel void local_counters(global long *c, global const long *a)
{
    local long sum, highest;
    if (!get_local_id(0)) {
        sum = 0;
        highest = LONG_MIN;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&sum, a[get_global_id(0)]);
    atom_max(&highest, a[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!get_local_id(0)) {
        c[2 * get_group_id(0)] = sum;
        c[2 * get_group_id(0) + 1] = highest;
    }
}

kernel void exchange(volatile global ulong *c)
{
    ulong old = c[0], seen;
    while ((seen = atom_cmpxchg(&c[0], old, old * 3 + 5000000000ul)) != old)
        old = seen;
    if (get_global_id(0) == 5)
        atom_xchg(&c[1], 0x123456789abcdeful);
}

kernel void histogram(global const ulong *a, global uint *h)
{
    local uint own[64];
    for (size_t k = get_local_id(0); k < 64; k += get_local_size(0))
        own[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[a[get_global_id(0)] >> 58]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = get_local_id(0); k < 64; k += get_local_size(0))
        atomic_add(&h[k], own[k]);
}
