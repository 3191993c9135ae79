//! options -cl-std=CL3.0
// Races of programs that order their accesses by other means than barriers: fences, locks, flags, counters, sequence numbers,
// sub-groups, collectives; and of programs that believe that hardware does.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

//! wrong payload_of_all_without_barrier 8/4 buffer:i32:1=zeros buffer:i32:4=zeros buffer:i32:1 -> data-race
//! right payload_of_all 8/4 buffer:i32:1=zeros buffer:i32:4=zeros buffer:i32:1
kernel void payload_of_all_without_barrier(volatile global atomic_int *flag, global int *data, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = l;
        if (l == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (l == 0) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        out[0] = data[0] + data[1] + data[2] + data[3];
    }
}
kernel void payload_of_all(volatile global atomic_int *flag, global int *data, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[l] = l;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (l == 0) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        out[0] = data[0] + data[1] + data[2] + data[3];
    }
}

//! wrong readers_of_all_without_barrier 8/4 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:8 -> data-race
//! right readers_of_all 8/4 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:8
kernel void readers_of_all_without_barrier(volatile global atomic_int *flag, global int *data, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        if (l == 0) {
            *data = 5;
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        }
    } else {
        if (l == 0)
            while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
                ;
        out[l] = *data;
    }
}
kernel void readers_of_all(volatile global atomic_int *flag, global int *data, global int *out)
{
    int l = get_local_id(0);
    if (get_group_id(0) == 0) {
        if (l == 0) {
            *data = 5;
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        }
    } else {
        if (l == 0)
            while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
                ;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        out[l] = *data;
    }
}

//! wrong sequence_plain 2/1 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:2 -> data-race
//! right sequence_atomic 2/1 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:2
kernel void sequence_plain(volatile global atomic_int *seq, global int *data, global int *out)
{
    if (get_group_id(0) == 1) {
        atomic_store_explicit(seq, 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        data[0] = 1, data[1] = 2;
        atomic_store_explicit(seq, 2, memory_order_release, memory_scope_device);
    } else {
        int before, a, b;
        do {
            before = atomic_load_explicit(seq, memory_order_acquire, memory_scope_device);
            a = data[0], b = data[1];
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        } while (before & 1 || before != atomic_load_explicit(seq, memory_order_relaxed, memory_scope_device));
        out[0] = a, out[1] = b;
    }
}
kernel void sequence_atomic(volatile global atomic_int *seq, volatile global atomic_int *data, global int *out)
{
    if (get_group_id(0) == 0) {
        atomic_store_explicit(seq, 1, memory_order_relaxed, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(data, 1, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(data + 1, 2, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(seq, 2, memory_order_release, memory_scope_device);
    } else {
        int before, a, b;
        do {
            before = atomic_load_explicit(seq, memory_order_acquire, memory_scope_device);
            a = atomic_load_explicit(data, memory_order_relaxed, memory_scope_device);
            b = atomic_load_explicit(data + 1, memory_order_relaxed, memory_scope_device);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        } while (before & 1 || before != atomic_load_explicit(seq, memory_order_relaxed, memory_scope_device));
        out[0] = a, out[1] = b;
    }
}

//! wrong ticket_lock_forgotten 8/1 buffer:i32:2=zeros buffer:i32:1=zeros -> data-race
//! right ticket_lock 8/1 buffer:i32:2=zeros buffer:i32:1=zeros
kernel void ticket_lock_forgotten(volatile global atomic_int *lock, global int *sum)
{
    int mine = atomic_fetch_add_explicit(lock, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(lock + 1, memory_order_acquire, memory_scope_device) != mine)
        ;
    *sum += 1;
    atomic_fetch_add_explicit(lock + 1, 1, memory_order_release, memory_scope_device);
    if (get_global_id(0) == 0)
        *sum += 100;
}
kernel void ticket_lock(volatile global atomic_int *lock, global int *sum)
{
    int mine = atomic_fetch_add_explicit(lock, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(lock + 1, memory_order_acquire, memory_scope_device) != mine)
        ;
    *sum += get_global_id(0) == 0 ? 101 : 1;
    atomic_fetch_add_explicit(lock + 1, 1, memory_order_release, memory_scope_device);
}

//! wrong flag_clear_relaxed 8/1 buffer:i32:1=zeros buffer:i32:1=zeros -> data-race
//! right flag_clear_release 8/1 buffer:i32:1=zeros buffer:i32:1=zeros
kernel void flag_clear_relaxed(volatile global atomic_flag *lock, global int *sum)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
        ;
    *sum += 3;
    atomic_flag_clear_explicit(lock, memory_order_relaxed, memory_scope_device);
}
kernel void flag_clear_release(volatile global atomic_flag *lock, global int *sum)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
        ;
    *sum += 3;
    atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
}

//! wrong two_locks_one_sum 8/1 buffer:i32:2=zeros buffer:i32:1=zeros -> data-race
//! right one_lock_one_sum 8/1 buffer:i32:2=zeros buffer:i32:1=zeros
void take(volatile global atomic_int *lock)
{
    int free;
    do
        free = 0;
    while (!atomic_compare_exchange_weak_explicit(lock, &free, 1, memory_order_acquire, memory_order_relaxed,
                                                  memory_scope_device));
}
void give(volatile global atomic_int *lock) { atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device); }
kernel void two_locks_one_sum(volatile global atomic_int *locks, global int *sum)
{
    volatile global atomic_int *lock = locks + get_global_id(0) % 2;
    take(lock);
    *sum += 1;
    give(lock);
}
kernel void one_lock_one_sum(volatile global atomic_int *locks, global int *sum)
{
    take(locks);
    *sum += 1;
    give(locks);
}

//! wrong device_barrier_is_of_the_group 8/4 buffer:i32:8=zeros buffer:i32:8 -> data-race
//! right device_barrier_in_the_group 8/4 buffer:i32:8=zeros buffer:i32:8
kernel void device_barrier_is_of_the_group(global int *p, global int *out)
{
    int i = get_global_id(0);
    p[i] = i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[i] = p[7 - i];
}
kernel void device_barrier_in_the_group(global int *p, global int *out)
{
    int i = get_global_id(0);
    p[i] = i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[i] = p[i ^ 3];
}

//! wrong initialised_by_each 8/4 buffer:i32:1=zeros -> data-race
//! right initialised_by_host 8/4 buffer:i32:1=zeros
kernel void initialised_by_each(volatile global atomic_int *p)
{
    atomic_init(p, (int)get_global_id(0));
    atomic_fetch_add(p, 1);
}
kernel void initialised_by_host(volatile global atomic_int *p) { atomic_fetch_add(p, 1); }

//! wrong byte_of_atomic 8/4 buffer:i32:1=zeros buffer:u8:8 -> data-race
//! right word_of_atomic 8/4 buffer:i32:1=zeros buffer:u8:8
kernel void byte_of_atomic(volatile global atomic_int *p, global uchar *out)
{
    int i = get_global_id(0);
    atomic_fetch_add(p, 1);
    out[i] = ((global uchar *)p)[0];
}
kernel void word_of_atomic(volatile global atomic_int *p, global uchar *out)
{
    int i = get_global_id(0);
    out[i] = (uchar)(atomic_fetch_add(p, 1) > 100);
}

//! wrong warp_synchronous 32/32 buffer:i32:32=iota buffer:i32:1 -> data-race
//! right warp_with_barriers 32/32 buffer:i32:32=iota buffer:i32:1
kernel void warp_synchronous(global const int *in, global int *out)
{
    volatile local int s[32];
    int l = get_local_id(0);
    s[l] = in[l];
    for (int d = 16; d > 0; d /= 2)
        if (l < d)
            s[l] += s[l + d];
    if (l == 0)
        *out = s[0];
}
kernel void warp_with_barriers(global const int *in, global int *out)
{
    volatile local int s[32];
    int l = get_local_id(0);
    s[l] = in[l];
    for (int d = 16; d > 0; d /= 2) {
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            s[l] += s[l + d];
    }
    if (l == 0)
        *out = s[0];
}

//! wrong sub_group_of_two 64/64 buffer:i32:64=iota buffer:i32:64 -> data-race
//! right sub_group_of_own 64/64 buffer:i32:64=iota buffer:i32:64
kernel void sub_group_of_two(global const int *in, global int *out)
{
    local int s[64];
    int l = get_local_id(0);
    s[l] = in[l];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[63 - l];
}
kernel void sub_group_of_own(global const int *in, global int *out)
{
    local int s[64];
    int l = get_local_id(0), n = get_sub_group_size(), first = get_sub_group_id() * n;
    s[l] = in[l];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = s[first + n - 1 - get_sub_group_local_id()];
}

//! wrong odd_even_sort_early 16/16 buffer:i32:16=random -> data-race
//! right odd_even_sort 16/16 buffer:i32:16=random
kernel void odd_even_sort_early(global int *io)
{
    local int s[16];
    int l = get_local_id(0);
    s[l] = io[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) {
        if (l % 2 == k % 2 && l < 15 && s[l] > s[l + 1]) {
            int t = s[l];
            s[l] = s[l + 1];
            s[l + 1] = t;
        }
        if (k % 2)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = s[l];
}
kernel void odd_even_sort(global int *io)
{
    local int s[16];
    int l = get_local_id(0);
    s[l] = io[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) {
        if (l % 2 == k % 2 && l < 15 && s[l] > s[l + 1]) {
            int t = s[l];
            s[l] = s[l + 1];
            s[l + 1] = t;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    io[l] = s[l];
}

//! wrong bitonic_both 16/16 buffer:i32:16=random -> data-race
//! right bitonic_lower 16/16 buffer:i32:16=random
kernel void bitonic_both(global int *io)
{
    local int s[16];
    int l = get_local_id(0);
    s[l] = io[l];
    for (int k = 2; k <= 16; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int other = l ^ j;
            int a = s[l], b = s[other];
            bool up = (l & k) == 0, low = l < other;
            s[l] = up == low ? min(a, b) : max(a, b);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = s[l];
}
kernel void bitonic_lower(global int *io)
{
    local int s[16];
    int l = get_local_id(0);
    s[l] = io[l];
    for (int k = 2; k <= 16; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int other = l ^ j;
            if (l < other) {
                int a = s[l], b = s[other];
                bool up = (l & k) == 0;
                s[l] = up ? min(a, b) : max(a, b);
                s[other] = up ? max(a, b) : min(a, b);
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = s[l];
}

//! wrong local_histogram_merged_early 64/32 buffer:u8:64=random buffer:i32:16=zeros -> data-race
//! right local_histogram_merged 64/32 buffer:u8:64=random buffer:i32:16=zeros
kernel void local_histogram_merged_early(global const uchar *in, volatile global int *bins)
{
    volatile local int h[16];
    int l = get_local_id(0);
    if (l < 16)
        h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] >> 4]);
    if (l < 16)
        atomic_add(&bins[l], h[l]);
}
kernel void local_histogram_merged(global const uchar *in, volatile global int *bins)
{
    volatile local int h[16];
    int l = get_local_id(0);
    if (l < 16)
        h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[get_global_id(0)] >> 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        atomic_add(&bins[l], h[l]);
}

//! wrong compacted_then_read 32/8 buffer:i32:1=zeros buffer:i32:32=iota buffer:i32:33=zeros -> data-race
//! right compacted 32/8 buffer:i32:1=zeros buffer:i32:32=iota buffer:i32:33=zeros
kernel void compacted_then_read(volatile global int *count, global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] % 3) {
        int at = atomic_inc(count);
        out[at + 1] = in[i] + out[at];
    }
}
kernel void compacted(volatile global int *count, global const int *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] % 3)
        out[atomic_inc(count) + 1] = in[i];
}

//! wrong maximum_seen_between_groups 16/8 buffer:i32:16=random buffer:i32:1=zeros buffer:i32:2 -> data-race
//! right maximum_of_own_group 16/8 buffer:i32:16=random buffer:i32:2=zeros buffer:i32:2
kernel void maximum_seen_between_groups(global const int *in, volatile global int *most, global int *out)
{
    atomic_max(most, in[get_global_id(0)]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = *most;
}
kernel void maximum_of_own_group(global const int *in, volatile global int *most, global int *out)
{
    atomic_max(most + get_group_id(0), in[get_global_id(0)]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = most[get_group_id(0)];
}

//! wrong tile_transposed_early 8,8/8,8 buffer:f32:64=iota buffer:f32:64 -> data-race
//! right tile_transposed 8,8/8,8 buffer:f32:64=iota buffer:f32:64
kernel void tile_transposed_early(global const float *in, global float *out)
{
    local float t[8][9];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = in[8 * y + x];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[8 * y + x] = t[x][y];
}
kernel void tile_transposed(global const float *in, global float *out)
{
    local float t[8][9];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = in[8 * y + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[8 * y + x] = t[x][y];
}

//! wrong in_a_function_of_local 16/16 buffer:i32:16=iota -> data-race
//! right in_a_function_of_own 16/16 buffer:i32:16=iota
__attribute__((noinline)) int exchanged(local int *s, int at, int with, int value)
{
    s[at] = value;
    return s[with];
}
kernel void in_a_function_of_local(global int *io)
{
    local int s[16];
    int l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = exchanged(s, l, l ^ 1, io[l]);
}
kernel void in_a_function_of_own(global int *io)
{
    local int s[16];
    int l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = exchanged(s, l ^ 1, l ^ 1, io[l]);
}

//! wrong first_of_next_group 16/8 buffer:i32:17=iota -> data-race
//! right first_of_own_group 16/8 buffer:i32:17=iota
kernel void first_of_next_group(global int *p)
{
    int i = get_global_id(0), next = i + 1;
    int v = p[next];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = v;
}
kernel void first_of_own_group(global int *p)
{
    int i = get_global_id(0), next = get_group_id(0) * 8 + (i + 1) % 8;
    int v = p[next];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = v;
}

//! wrong jacobi_in_place 8,8/8,8 buffer:f32:100=ones -> data-race
//! right jacobi_two_buffers 8,8/8,8 buffer:f32:200=ones
kernel void jacobi_in_place(global float *a)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    for (int k = 0; k < 2; k++) {
        a[10 * y + x] = 0.25f * (a[10 * y + x - 1] + a[10 * y + x + 1] + a[10 * y + x - 10] + a[10 * y + x + 10]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
kernel void jacobi_two_buffers(global float *a)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    global float *b = a + 100;
    for (int k = 0; k < 2; k++) {
        b[10 * y + x] = 0.25f * (a[10 * y + x - 1] + a[10 * y + x + 1] + a[10 * y + x - 10] + a[10 * y + x + 10]);
        barrier(CLK_GLOBAL_MEM_FENCE);
        global float *t = a;
        a = b, b = t;
    }
}

//! wrong union_of_two 8/8 buffer:i32:8=zeros -> data-race
//! right union_of_one 8/8 buffer:i32:8=zeros
union word { int whole; short half_[2]; uchar byte[4]; };
kernel void union_of_two(global union word *p)
{
    int i = get_global_id(0);
    p[i].half_[0] = i;
    p[(i + 1) % 8].byte[1] = i;
}
kernel void union_of_one(global union word *p)
{
    int i = get_global_id(0);
    p[i].half_[0] = i;
    p[(i + 1) % 8].byte[2] = i;
}

//! wrong three_of_four_written 8/8 buffer:i32:32=zeros -> data-race
//! right three_packed 8/8 buffer:i32:24=zeros
kernel void three_of_four_written(global int *p)
{
    int i = get_global_id(0);
    vstore3((int3)(i), i, p);
    p[3 * i + 3] = i;
}
kernel void three_packed(global int *p)
{
    int i = get_global_id(0);
    vstore3((int3)(i) + vload3(i, p), i, p);
}

//! wrong chars_overlap 32/32 buffer:u8:40=zeros -> data-race
//! right chars_apart 32/32 buffer:u8:40=zeros
kernel void chars_overlap(global uchar *p) { int i = get_global_id(0); p[i] = i, p[i + 1] = 2 * i; }
kernel void chars_apart(global uchar *p) { int i = get_global_id(0); p[i] = i; p[i] += p[i]; }

//! wrong broadcast_by_local 64/64 buffer:i32:64=iota buffer:i32:64 -> data-race
//! right broadcast_by_function 64/64 buffer:i32:64=iota buffer:i32:64
kernel void broadcast_by_local(global const int *in, global int *out)
{
    local int x;
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (l == k)
            x = in[l];
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        out[l] = x;
    }
}
kernel void broadcast_by_function(global const int *in, global int *out)
{
    int l = get_local_id(0);
    for (int k = 0; k < 4; k++)
        out[l] = work_group_broadcast(in[l], k);
}

//! wrong last_group_by_group_scope 16/4 buffer:i32:1=zeros buffer:i32:16=iota buffer:i32:4=zeros buffer:i32:1 -> data-race
//! right last_group_by_device_scope 16/4 buffer:i32:1=zeros buffer:i32:16=iota buffer:i32:4=zeros buffer:i32:1
#define LAST_GROUP(SCOPE) \
    local int last; \
    int l = get_local_id(0), g = get_group_id(0); \
    int sum = work_group_reduce_add(in[get_global_id(0)]); \
    if (l == 0) { \
        part[g] = sum; \
        last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, SCOPE) == 3; \
    } \
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    if (last && l == 0) \
        *out = part[0] + part[1] + part[2] + part[3];
kernel void last_group_by_group_scope(volatile global atomic_int *count, global const int *in, global int *part,
                                      global int *out)
{
    LAST_GROUP(memory_scope_work_group)
}
kernel void last_group_by_device_scope(volatile global atomic_int *count, global const int *in, global int *part,
                                       global int *out)
{
    LAST_GROUP(memory_scope_device)
}

//! wrong list_by_plain_head 8/4 buffer:i32:1=-1 buffer:i32:8=zeros -> data-race
//! right list_by_exchange 8/4 buffer:i32:1=-1 buffer:i32:8=zeros
kernel void list_by_plain_head(volatile global int *head, global int *next)
{
    int i = get_global_id(0);
    next[i] = *head;
    *head = i;
}
kernel void list_by_exchange(volatile global int *head, global int *next)
{
    int i = get_global_id(0);
    next[i] = atomic_xchg(head, i);
}

//! wrong once_by_plain_flag 8/4 buffer:i32:1=zeros buffer:i32:1=zeros -> data-race
//! right once_by_exchange 8/4 buffer:i32:1=zeros buffer:i32:1=zeros
kernel void once_by_plain_flag(global int *done, global int *out)
{
    if (!*done) {
        *done = get_global_id(0) + 1;
        *out = get_global_id(0);
    }
}
kernel void once_by_exchange(volatile global int *done, global int *out)
{
    if (!atomic_xchg(done, 1))
        *out = get_global_id(0);
}

//! wrong program_scope_scratch 8/4 buffer:i32:8 -> data-race
//! right program_scope_own 8/4 buffer:i32:8
global int scratch[8];
kernel void program_scope_scratch(global int *out)
{
    int i = get_global_id(0), l = get_local_id(0);
    scratch[l] = i;
    out[i] = scratch[l];
}
kernel void program_scope_own(global int *out)
{
    int i = get_global_id(0);
    scratch[i] = i;
    out[i] = scratch[i];
}

//! wrong failing_exchange_beside_write 8/8 buffer:i32:1=5 -> data-race
//! right failing_exchange_beside_read 8/8 buffer:i32:1=5 buffer:i32:8
kernel void failing_exchange_beside_write(volatile global int *p)
{
    if (get_global_id(0) == 0)
        *p = 9;
    else
        atomic_cmpxchg(p, 77, 1);
}
kernel void failing_exchange_beside_read(volatile global int *p, global int *out)
{
    int i = get_global_id(0);
    out[i] = i % 2 ? *p : atomic_cmpxchg(p, 77, 1);
}
