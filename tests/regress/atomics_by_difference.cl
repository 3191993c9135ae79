// An atomic_uintptr_t, which is an atomic_uint here, changes by a ptrdiff_t: clang takes that function for an int, too.
//
// options: -cl-std=CL3.0
// data: out uint[8] list 1,2,3,4,5,6,7,8
// run: by_int 64/64 out int:-3
// run: by_ptrdiff 64/64 out int:-3
// gives: out=558a7b346020dd94

kernel void by_int(volatile global atomic_uint *out, int n)
{
    local atomic_uint sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 1000u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(out, n, memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(out + 1, n, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&sum, n, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_sub_explicit(&sum, n - 2, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_or_explicit(out + 2, n & 64, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(out + 3, n & 15, memory_order_relaxed, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store_explicit(out + 4, atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group),
                              memory_order_relaxed, memory_scope_device);
}

/* The same of the type itself: an atomic_ulong, and a long, where pointers have 64 bits. */
kernel void by_ptrdiff(global uint *out, int n)
{
    local atomic_uintptr_t sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, (uintptr_t)1000);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&sum, (ptrdiff_t)n);
    atomic_fetch_sub_explicit(&sum, (ptrdiff_t)(n - 2), memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[5] = (uint)atomic_load(&sum);
}
