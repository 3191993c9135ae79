// Atomic operations with order and scope: which of them order other accesses, and for whom.
//! options -cl-std=CL3.0

//! wrong flag_relaxed 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right flag_released 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void flag_relaxed(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}
kernel void flag_released(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

//! wrong read_relaxed 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right read_acquired 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void read_relaxed(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        *out = *data;
    }
}
kernel void read_acquired(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store(flag, 1);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load(flag))
            ;
        *out = *data;
    }
}

//! wrong scope_of_group 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right scope_of_device 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void scope_of_group(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group))
            ;
        *out = *data;
    }
}
kernel void scope_of_device(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

//! wrong group_scope_one_side 64/64 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right group_scope_in_group 64/64 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void group_scope_one_side(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_item);
    } else if (get_global_id(0) == 40) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group))
            ;
        *out = *data;
    }
}
kernel void group_scope_in_group(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_global_id(0) == 40) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group))
            ;
        *out = *data;
    }
}

//! wrong fence_after_store 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right fences_around 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void fence_after_store(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}
kernel void fences_around(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}

//! wrong fence_of_local_memory 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right fence_of_global_memory 16/8 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void fence_of_local_memory(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}
kernel void fence_of_global_memory(global int *data, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
        *out = *data;
    }
}

//! wrong chain_broken 32/8 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:1 -> data-race
//! right chain_of_three 32/8 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:1
kernel void chain_broken(global int *data, global atomic_int *flags, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(&flags[0], memory_order_relaxed, memory_scope_device))
            ;
        atomic_store_explicit(&flags[1], 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 16) {
        while (!atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}
kernel void chain_of_three(global int *data, global atomic_int *flags, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(&flags[0], 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 8) {
        while (!atomic_load_explicit(&flags[0], memory_order_acquire, memory_scope_device))
            ;
        atomic_store_explicit(&flags[1], 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 16) {
        while (!atomic_load_explicit(&flags[1], memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

//! wrong last_group_relaxed 32/8 buffer:i32:4 buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right last_group 32/8 buffer:i32:4 buffer:i32:1=zeros buffer:i32:1
kernel void last_group_relaxed(global int *sums, global atomic_int *done, global int *out)
{
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = get_group_id(0);
        if (atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device) == 3)
            *out = sums[0] + sums[1] + sums[2] + sums[3];
    }
}
kernel void last_group(global int *sums, global atomic_int *done, global int *out)
{
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = get_group_id(0);
        if (atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == 3)
            *out = sums[0] + sums[1] + sums[2] + sums[3];
    }
}

//! wrong lock_relaxed 32/8 buffer:i32:1=zeros buffer:i32:1=zeros -> data-race
//! right lock_ordered 32/8 buffer:i32:1=zeros buffer:i32:1=zeros
kernel void lock_relaxed(global atomic_int *lock, global int *count)
{
    if (get_local_id(0) == 0) {
        while (atomic_exchange_explicit(lock, 1, memory_order_relaxed, memory_scope_device))
            ;
        ++*count;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}
kernel void lock_ordered(global atomic_int *lock, global int *count)
{
    if (get_local_id(0) == 0) {
        while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
            ;
        ++*count;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}

//! wrong local_flag_for_global 64/64 buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right local_flag_with_fence 64/64 buffer:i32:1=zeros buffer:i32:1
kernel void local_flag_for_global(global int *data, global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 42;
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_local_id(0) == 40) {
        while (!atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
            ;
        *out = *data;
    }
}
kernel void local_flag_with_fence(global int *data, global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (get_local_id(0) == 40) {
        while (!atomic_load_explicit(&flag, memory_order_relaxed, memory_scope_work_group))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        *out = *data;
    }
}

global int shared_word;
//! wrong program_variable 16/8 buffer:i32:16 -> data-race
//! right program_variable_atomic 16/8 buffer:i32:16
kernel void program_variable(global int *out)
{
    shared_word = get_group_id(0) + 1;
    out[get_global_id(0)] = 1;
}
kernel void program_variable_atomic(global int *out)
{
    atomic_max(&shared_word, (int)get_group_id(0) + 1);
    out[get_global_id(0)] = 1;
}

//! wrong sub_groups_apart 64/64 buffer:i32:64 -> data-race
//! right sub_group_meets 64/64 buffer:i32:64
kernel void sub_groups_apart(global int *out)
{
    local int t[64];
    int i = get_local_id(0);
    t[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[63 - i];
}
kernel void sub_group_meets(global int *out)
{
    local int t[64];
    int i = get_local_id(0), mine = i - (int)get_sub_group_local_id();
    t[i] = i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[mine + (get_sub_group_local_id() + 1) % get_sub_group_size()];
}

//! right collectives 64/64 buffer:i32:64=iota buffer:i32:64
kernel void collectives(global const int *in, global int *out)
{
    int i = get_local_id(0), x = in[i];
    out[i] = work_group_all(x) + work_group_reduce_add(x) + work_group_scan_inclusive_max(x) + work_group_broadcast(x, 3) +
             sub_group_reduce_add(x) + sub_group_broadcast(x, 1);
}
//! right loads 8/4 buffer:i32:1=ones buffer:i32:8
//! right last_group_resets 16/4 buffer:i32:16=iota buffer:i32:1=zeros buffer:i32:4 buffer:i32:1
kernel void loads(global atomic_int *p, global int *out) { out[get_global_id(0)] = atomic_load(p) + *(global int *)p; }
kernel void last_group_resets(global const int *in, volatile global int *count, volatile global int *part, global int *out)
{
    if (get_local_id(0) == 0) {
        int s = 0;
        for (int k = 0; k < 4; k++)
            s += in[4 * get_group_id(0) + k];
        part[get_group_id(0)] = s;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (atomic_inc(count) == 3) {
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            s = 0;
            for (int k = 0; k < 4; k++)
                s += part[k];
            *out = s;
            *count = 0;
        }
    }
}
