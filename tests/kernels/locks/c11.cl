// Locks by C11's atomic functions, taken in a loop and released after it.
//
// options: -cl-std=CL3.0
// data: lock int[4] zero
// data: out int[2] zero
// run: exchange 64/32 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: strong 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: flag 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: ticket 64/64 lock out
// gives: lock=988679d4d9d3a0e5 out=a197fafb336ea628
// data: out int[64] zero
// run: in_local 64/64 out
// gives: out=3e3820e6faa3ad25

kernel void exchange(volatile global atomic_int *lock, global int *out)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    out[0] += get_global_id(0);
    out[1]++;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

kernel void strong(global atomic_int *lock, global int *out)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(&lock[1], &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device))
        expected = 0;
    out[0] += get_global_id(0);
    out[1]++;
    atomic_store_explicit(&lock[1], 0, memory_order_release, memory_scope_device);
}

kernel void flag(global atomic_flag *lock, global int *out)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
        ;
    out[0] += get_global_id(0);
    out[1]++;
    atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
}

kernel void ticket(global atomic_int *lock, global int *out)
{
    int mine = atomic_fetch_add_explicit(&lock[0], 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(&lock[1], memory_order_acquire, memory_scope_device) != mine)
        ;
    out[0] += get_global_id(0);
    out[1]++;
    atomic_store_explicit(&lock[1], mine + 1, memory_order_release, memory_scope_device);
}

kernel void in_local(global int *out)
{
    local atomic_int lock;
    local int sum;
    int i = get_local_id(0);
    if (i == 0) {
        atomic_store_explicit(&lock, 0, memory_order_relaxed, memory_scope_work_group);
        sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire, memory_scope_work_group))
        ;
    sum += i;
    atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sum;
}
