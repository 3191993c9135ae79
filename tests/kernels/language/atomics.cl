// Atomic functions of OpenCL C 1.x and of 2.0 and later, in global and local memory; results do not depend on the order.
//
// options: -cl-std=CL3.0
// data: in int[256] random 0 100000
// data: out int[256] zero
// data: g int[16] list 0,0,2147483647,-2147483648,-1,0,0,5,0,0,0,0,0,0,0,0
// data: f float[2] zero
// run: old 256/64 in out g
// run: in_local 256/64 in out
// run: c11 256/64 in out g
// run: orders 256/64 in out g
// run: flags 64/64 out
// run: floats 64/64 in f
// run: private_ones 256/64 in out
// gives: in=c21ddf5fc9e3f87f out=ca6c5c27aa8ffacb g=01283e0aa728cafd f=d1c5f6e26e0416ca

kernel void old(global const int *in, global int *out, volatile global int *g)
{
    int i = get_global_id(0), x = in[i];
    atomic_add(&g[0], x);
    atomic_sub(&g[1], x);
    atomic_min(&g[2], x);
    atomic_max(&g[3], x);
    atomic_and(&g[4], x | 0xff00ff);
    atomic_or(&g[5], 1 << (x & 31));
    atomic_xor(&g[6], x);
    int ticket = atomic_inc((volatile global uint *)&g[8]);
    out[ticket] += ticket * 3;
    atomic_dec(&g[9]);
    int was = atomic_cmpxchg(&g[10], 0, 1);
    atomic_add(&g[11], was);
    atomic_max((volatile global uint *)&g[12], (uint)-x);
    atomic_add((volatile global uint *)&g[13], atomic_xchg(&g[7], 5));
}

kernel void in_local(global const int *in, global int *out)
{
    local int bins[16], total;
    int i = get_global_id(0), l = get_local_id(0);
    if (l < 16)
        bins[l] = 0;
    if (l == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[i] & 15]);
    atomic_add(&total, in[i] % 7);
    atomic_xor(&bins[15], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += bins[l & 15] * total;
}

kernel void c11(global const int *in, global int *out, global int *g)
{
    local atomic_int sum;
    local atomic_uint most;
    int i = get_global_id(0), l = get_local_id(0), x = in[i];
    if (l == 0) {
        atomic_init(&sum, 0);
        atomic_init(&most, 0u);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, x, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(&most, (uint)x, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub_explicit((volatile global atomic_int *)&g[14], x, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_or_explicit((volatile global atomic_uint *)&g[15], 1u << (x & 31), memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    out[i] += atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group) ^
              (int)atomic_load_explicit(&most, memory_order_relaxed, memory_scope_work_group);
}

kernel void orders(global const int *in, global int *out, global int *g)
{
    local atomic_int word;
    local int data;
    int i = get_global_id(0), l = get_local_id(0);
    if (l == 0)
        atomic_init(&word, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 5) {
        data = in[i];
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(&word, 1, memory_order_relaxed, memory_scope_work_group);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
    int seen = atomic_exchange_explicit(&word, 1, memory_order_relaxed, memory_scope_work_group);
    out[i] += data + seen;
}

kernel void flags(global int *out)
{
    local atomic_flag flag[4];
    local atomic_int winners;
    int l = get_local_id(0);
    if (l < 4)
        atomic_flag_clear_explicit(&flag[l], memory_order_relaxed, memory_scope_work_group);
    if (l == 0)
        atomic_init(&winners, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_flag_test_and_set_explicit(&flag[l & 3], memory_order_relaxed, memory_scope_work_group))
        atomic_fetch_add_explicit(&winners, 1, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] += atomic_load_explicit(&winners, memory_order_relaxed, memory_scope_work_group);
}

kernel void floats(global const int *in, global float *f)
{
    int i = get_global_id(0);
    float x = 0.0f, seen;
    volatile global atomic_float *p = (volatile global atomic_float *)f;
    do { /* a sum of small integers is exact in any order */
        seen = x;
    } while (!atomic_compare_exchange_strong_explicit(p, &x, seen + (in[i] & 255), memory_order_relaxed, memory_order_relaxed,
                                                      memory_scope_work_group));
    if (i == 0) {
        atomic_store_explicit(p + 1, 2.5f, memory_order_relaxed, memory_scope_work_group);
        float was = atomic_exchange_explicit(p + 1, 4.5f, memory_order_relaxed, memory_scope_work_group);
        atomic_store_explicit(p + 1, was + atomic_load_explicit(p + 1, memory_order_relaxed, memory_scope_work_group),
                              memory_order_relaxed, memory_scope_work_group);
    }
}

#ifdef __opencl_c_generic_address_space
kernel void private_ones(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i];
    atomic_int a[2];
    atomic_uint b;
    atomic_init(&a[0], x);
    atomic_init(&a[1], 5);
    atomic_init(&b, 7u);
    int was = atomic_fetch_add_explicit(&a[x & 1], 9, memory_order_relaxed, memory_scope_work_item);
    int ok = was == (x & 1 ? 5 : x);
    atomic_fetch_min_explicit(&b, (uint)x, memory_order_relaxed, memory_scope_work_group);
    ok &= atomic_exchange_explicit(&a[1], 3, memory_order_relaxed, memory_scope_work_group) == (x & 1 ? 14 : 5);
    int expected = 3;
    ok &= atomic_compare_exchange_weak_explicit(&a[1], &expected, was, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_work_group);
    ok &= atomic_load_explicit(&a[0], memory_order_relaxed, memory_scope_work_group) == (x & 1 ? x : x + 9);
    ok &= atomic_load_explicit(&a[1], memory_order_relaxed, memory_scope_work_group) == was;
    ok &= atomic_load_explicit(&b, memory_order_relaxed, memory_scope_work_group) == (x < 7 ? (uint)x : 7u);
    out[i] += ok;
}
#else
kernel void private_ones(global const int *in, global int *out) { out[get_global_id(0)] += 1; }
#endif
