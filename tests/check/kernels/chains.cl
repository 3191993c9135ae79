//! options -cl-std=CL3.0
// Order that goes through many work-groups, or back over many atomic operations.

// ---- the last group adds up what 1,024 others have written ----

//! wrong last_group_relaxed 65536/64 buffer:f32:1024 buffer:i32:1=zeros buffer:f32:1 -> data-race
//! wrong last_group_local_barrier 65536/64 buffer:f32:1024 buffer:i32:1=zeros buffer:f32:1 -> data-race
//! right last_group 65536/64 buffer:f32:1024 buffer:i32:1=zeros buffer:f32:1
//! right last_group_fences 65536/64 buffer:f32:1024 buffer:i32:1=zeros buffer:f32:1
void add_up(local float *sums, global const float *parts, global float *out)
{
    int l = get_local_id(0);
    float sum = 0;
    for (int i = l; i < get_num_groups(0); i += 64)
        sum += parts[i];
    sums[l] = sum;
    for (int s = 32; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            sums[l] += sums[l + s];
    }
    if (l == 0)
        out[0] = sums[0];
}
bool is_last_group(global float *parts, volatile global atomic_int *count, memory_order order)
{
    parts[get_group_id(0)] = get_group_id(0);
    return atomic_fetch_add_explicit(count, 1, order, memory_scope_device) == get_num_groups(0) - 1;
}
kernel void last_group_relaxed(global float *parts, volatile global atomic_int *count, global float *out)
{
    local bool is_last;
    local float sums[64];
    if (get_local_id(0) == 0)
        is_last = is_last_group(parts, count, memory_order_relaxed);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last)
        add_up(sums, parts, out);
}
kernel void last_group_local_barrier(global float *parts, volatile global atomic_int *count, global float *out)
{
    local bool is_last;
    local float sums[64];
    if (get_local_id(0) == 0)
        is_last = is_last_group(parts, count, memory_order_acq_rel);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_last)
        add_up(sums, parts, out);
}
kernel void last_group(global float *parts, volatile global atomic_int *count, global float *out)
{
    local bool is_last;
    local float sums[64];
    if (get_local_id(0) == 0)
        is_last = is_last_group(parts, count, memory_order_acq_rel);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last)
        add_up(sums, parts, out);
}
kernel void last_group_fences(global float *parts, volatile global int *count, global float *out)
{
    local bool is_last;
    local float sums[64];
    if (get_local_id(0) == 0) {
        parts[get_group_id(0)] = get_group_id(0);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(count) == get_num_groups(0) - 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last)
        add_up(sums, parts, out);
}

// ---- each group waits for the one before it ----

//! wrong chain_flag_first 16384/64 buffer:i32:256 buffer:i32:256=zeros buffer:i32:256 -> data-race
//! right chain_flag_last 16384/64 buffer:i32:256 buffer:i32:256=zeros buffer:i32:256
int sum_before(global int *sums, volatile global atomic_int *flags, int g)
{
    if (g == 0)
        return 0;
    while (atomic_load_explicit(&flags[g - 1], memory_order_acquire, memory_scope_device) == 0)
        ;
    return sums[g - 1];
}
kernel void chain_flag_first(global int *sums, volatile global atomic_int *flags, global int *out)
{
    int g = get_group_id(0);
    if (get_local_id(0) == 0) {
        int before = g ? g : 0;
        atomic_store_explicit(&flags[g], 1, memory_order_release, memory_scope_device);
        sums[g] = before;
        out[g] = sum_before(sums, flags, g);
    }
}
kernel void chain_flag_last(global int *sums, volatile global atomic_int *flags, global int *out)
{
    int g = get_group_id(0);
    if (get_local_id(0) == 0) {
        int before = sum_before(sums, flags, g);
        sums[g] = before + g;
        atomic_store_explicit(&flags[g], 1, memory_order_release, memory_scope_device);
        out[g] = before;
    }
}

// ---- a queue of 32,768 places: who takes one has waited for it, a hundred thousand atomic operations later ----

//! wrong queue_no_release 65536/64 buffer:i32:1=zeros buffer:i32:32768 buffer:i32:32768=zeros buffer:i32:32768 -> data-race
//! right queue_release 65536/64 buffer:i32:1=zeros buffer:i32:32768 buffer:i32:32768=zeros buffer:i32:32768
void pass_on(volatile global atomic_int *tail, global int *items, volatile global atomic_int *ready, global int *out,
             memory_order order)
{
    int g = get_global_id(0), n = get_global_size(0) / 2;
    if (g < n) {
        int at = atomic_fetch_add_explicit(tail, 1, memory_order_relaxed, memory_scope_device);
        items[at] = g;
        atomic_store_explicit(&ready[at], 1, order, memory_scope_device);
    } else {
        while (atomic_load_explicit(&ready[g - n], memory_order_acquire, memory_scope_device) == 0)
            ;
        out[g - n] = items[g - n];
    }
}
kernel void queue_no_release(volatile global atomic_int *tail, global int *items, volatile global atomic_int *ready,
                             global int *out)
{
    pass_on(tail, items, ready, out, memory_order_relaxed);
}
kernel void queue_release(volatile global atomic_int *tail, global int *items, volatile global atomic_int *ready,
                          global int *out)
{
    pass_on(tail, items, ready, out, memory_order_release);
}

// ---- fences around plain flags, and what the first work-item acquired goes to its group by a barrier ----

//! wrong fence_before_flag 512/64 buffer:i32:64 buffer:i32:1=zeros buffer:i32:512 -> data-race
//! right fence_behind_flag 512/64 buffer:i32:64 buffer:i32:1=zeros buffer:i32:512
void send(global int *data, volatile global atomic_int *flag)
{
    data[get_local_id(0)] = get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    }
}
void await(volatile global atomic_int *flag)
{
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0)
        ;
}
kernel void fence_before_flag(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        send(data, flag);
        return;
    }
    if (get_local_id(0) == 0) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        await(flag);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = data[get_local_id(0)];
}
kernel void fence_behind_flag(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        send(data, flag);
        return;
    }
    if (get_local_id(0) == 0) {
        await(flag);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = data[get_local_id(0)];
}
