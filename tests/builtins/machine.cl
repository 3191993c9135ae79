/* Kernels for machine.py: what depends on other work-items. */

/* 16 words for each work-item, at its global linear id */
kernel void ids(global uint *r)
{
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2);
    global uint *to = r + 16 * ((z * get_global_size(1) + y) * get_global_size(0) + x);
    for (uint d = 0; d < 3; d++) {
        to[d] = get_global_id(d);
        to[3 + d] = get_local_id(d);
        to[6 + d] = get_group_id(d);
        to[9 + d] = get_local_size(d);
    }
    to[12] = get_work_dim();
#if __OPENCL_C_VERSION__ >= 300
    to[13] = get_global_linear_id();
    to[14] = get_local_linear_id();
    to[15] = get_enqueued_local_size(0);
#endif
}

/* Tickets are all different; sums in local memory are complete after the barrier. */
kernel void tickets(global uint *counters, global uint *ticket, local uint *sum)
{
    uint i = get_global_id(0);
    if (get_local_id(0) == 0)
        sum[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ticket[i] = atomic_inc(&counters[0]);
    atomic_add(&counters[1], i);
    atomic_max(&counters[2], i * 7 % 1000);
    atomic_min(&counters[3], i + 5);
    atomic_or(&counters[4], 1u << (i & 31));
    atomic_xor(&counters[5], i);
    atomic_add(sum, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == get_local_size(0) - 1)
        atomic_add(&counters[6], sum[0]);
}

/* Floats added with cmpxchg: every addition counts. */
kernel void float_sum(volatile global uint *sum, global const float *x)
{
    uint old, now = *sum;
    do {
        old = now;
        now = atomic_cmpxchg(sum, old, as_uint(as_float(old) + x[get_global_id(0)]));
    } while (now != old);
}

/* The group's part of x, reversed, by way of local memory and back. */
kernel void reverse(global const int *x, global int *r, local int *part, local int *other)
{
    uint n = get_local_size(0), start = get_group_id(0) * n;
    event_t e = async_work_group_copy(part, x + start, n, 0);
    wait_group_events(1, &e);
    other[get_local_id(0)] = part[n - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(r + start, other, n, 0);
    wait_group_events(1, &e);
}

/* Every third element. */
kernel void gather(global const char *x, global char *r, local char *part)
{
    uint n = get_local_size(0), start = get_group_id(0) * n;
    event_t e = async_work_group_strided_copy(part, x + 3 * start, n, 3, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(r + 2 * start, part, n, 2, 0);
    wait_group_events(1, &e);
}

#if __OPENCL_C_VERSION__ >= 300
kernel void new_atomics(volatile global atomic_int *p, global uint *ticket, local atomic_uint *group)
{
    if (get_local_id(0) == 0)
        atomic_init(group, 0u);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    uint mine = atomic_fetch_add_explicit(group, 1u, memory_order_relaxed, memory_scope_work_group);
    ticket[get_global_id(0)] = mine;
    atomic_fetch_add_explicit(p, (int)mine, memory_order_relaxed, memory_scope_device);
    int seen = atomic_load_explicit(p + 1, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(p + 1, &seen, seen + 2, memory_order_relaxed, memory_order_relaxed,
                                                    memory_scope_device))
        ;
}
#endif
