//! options -cl-std=CL3.0
// Atomics, fences, asynchronous copies, groups and sub-groups, generic pointers, as the language of OpenCL C 3.0 has them.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// ---- atomics ----

//! wrong mailbox_load_relaxed 64/32 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right mailbox_load_acquire 64/32 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void mailbox_load_relaxed(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) { *data = 42; atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); }
    if (get_global_id(0) == 63 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) *out = *data;
}
kernel void mailbox_load_acquire(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) { *data = 42; atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); }
    if (get_global_id(0) == 63 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) *out = *data;
}

//! wrong exchange_in_group_scope 64/32 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:2 -> data-race
//! right exchange_in_device_scope 64/32 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:2
kernel void exchange_in_group_scope(volatile global atomic_int *flag, global int *data, global int *out)
{
    if (get_local_id(0)) return;
    int g = get_group_id(0);
    data[g] = g + 1;
    if (atomic_fetch_add_explicit(flag, 1, memory_order_acq_rel, memory_scope_work_group) == 1) out[g] = data[1 - g];
}
kernel void exchange_in_device_scope(volatile global atomic_int *flag, global int *data, global int *out)
{
    if (get_local_id(0)) return;
    int g = get_group_id(0);
    data[g] = g + 1;
    if (atomic_fetch_add_explicit(flag, 1, memory_order_acq_rel, memory_scope_device) == 1) out[g] = data[1 - g];
}

//! wrong fence_acquire_only 64/32 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right fences_of_both 64/32 buffer:i32:1=zeros buffer:i32:1=zeros buffer:i32:1
kernel void fence_acquire_only(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 63 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}
kernel void fences_of_both(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 42;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (get_global_id(0) == 63 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        *out = *data;
    }
}

//! wrong atomic_init_by_all 32/32 buffer:i32:1=zeros buffer:i32:32 -> data-race|data-race-same-value
//! right atomic_init_by_one 32/32 buffer:i32:1=zeros buffer:i32:32
kernel void atomic_init_by_all(global atomic_int *n, global int *out) { atomic_init(n, 0); out[get_global_id(0)] = atomic_fetch_add(n, 1); }
kernel void atomic_init_by_one(global atomic_int *n, global int *out) { if (get_local_id(0) == 0) atomic_init(n, 0); work_group_barrier(CLK_GLOBAL_MEM_FENCE); out[get_global_id(0)] = atomic_fetch_add(n, 1); }

//! wrong local_atomic_read_plain 32/32 buffer:i32:32=iota buffer:i32:32 -> data-race
//! right local_atomic_read_after 32/32 buffer:i32:32=iota buffer:i32:32
kernel void local_atomic_read_plain(global const int *in, global int *out) { local int n; int i = get_local_id(0); if (!i) n = 0; barrier(CLK_LOCAL_MEM_FENCE); if (in[i] & 1) atomic_inc(&n); out[i] = n; }
kernel void local_atomic_read_after(global const int *in, global int *out) { local int n; int i = get_local_id(0); if (!i) n = 0; barrier(CLK_LOCAL_MEM_FENCE); if (in[i] & 1) atomic_inc(&n); barrier(CLK_LOCAL_MEM_FENCE); out[i] = n; }

//! wrong lock_released_plain 16/1 buffer:i32:1=zeros buffer:i32:1=zeros -> data-race
//! right lock_released_atomic 16/1 buffer:i32:1=zeros buffer:i32:1=zeros
kernel void lock_released_plain(volatile global atomic_int *lock, global int *sum)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) expected = 0;
    *sum += 1;
    atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}
kernel void lock_released_atomic(volatile global atomic_int *lock, global int *sum)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) expected = 0;
    *sum += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

//! wrong two_flags_crossed 2/1 buffer:i32:2=zeros buffer:i32:2=zeros -> data-race
//! right two_flags_own 2/1 buffer:i32:2=zeros buffer:i32:2=zeros
kernel void two_flags_crossed(volatile global atomic_int *flag, global int *x)
{
    int i = get_global_id(0);
    atomic_store_explicit(flag + i, 1, memory_order_seq_cst, memory_scope_device);
    if (!atomic_load_explicit(flag + 1 - i, memory_order_seq_cst, memory_scope_device) || i) x[0] += 1;
}
kernel void two_flags_own(volatile global atomic_int *flag, global int *x)
{
    int i = get_global_id(0);
    atomic_store_explicit(flag + i, 1, memory_order_seq_cst, memory_scope_device);
    if (!atomic_load_explicit(flag + 1 - i, memory_order_seq_cst, memory_scope_device) || i) x[i] += 1;
}

//! wrong atomic_float_beside_plain 32/8 buffer:f32:1=zeros buffer:f32:32=ones -> data-race
//! right atomic_float_by_cas 32/8 buffer:f32:1=zeros buffer:f32:32=ones
kernel void atomic_float_beside_plain(volatile global float *sum, global const float *in)
{
    float old = *sum, next;
    do { next = old + in[get_global_id(0)]; } while (atomic_cmpxchg((volatile global int *)sum, as_int(old), as_int(next)) != as_int(old) && (old = *sum, true));
}
kernel void atomic_float_by_cas(volatile global float *sum, global const float *in)
{
    int seen = 0, old;
    do { old = seen; seen = atomic_cmpxchg((volatile global int *)sum, old, as_int(as_float(old) + in[get_global_id(0)])); } while (seen != old);
}

// ---- asynchronous copies ----

//! wrong async_two_events_one_wait 32/32 buffer:i32:32=iota buffer:i32:32=iota buffer:i32:32 -> data-race|event-not-waited-for
//! right async_two_events 32/32 buffer:i32:32=iota buffer:i32:32=iota buffer:i32:32
kernel void async_two_events_one_wait(global const int *a, global const int *b, global int *out)
{
    local int x[32], y[32];
    event_t e[2];
    e[0] = async_work_group_copy(x, a, 32, 0);
    e[1] = async_work_group_copy(y, b, 32, 0);
    wait_group_events(1, e);
    int i = get_local_id(0);
    out[i] = x[31 - i] + y[i];
}
kernel void async_two_events(global const int *a, global const int *b, global int *out)
{
    local int x[32], y[32];
    event_t e[2];
    e[0] = async_work_group_copy(x, a, 32, 0);
    e[1] = async_work_group_copy(y, b, 32, 0);
    wait_group_events(2, e);
    int i = get_local_id(0);
    out[i] = x[31 - i] + y[i];
}

//! wrong async_out_before_barrier 32/32 buffer:i32:32=iota buffer:i32:32 -> data-race
//! right async_out_after_barrier 32/32 buffer:i32:32=iota buffer:i32:32
kernel void async_out_before_barrier(global const int *in, global int *out)
{
    local int s[32];
    s[get_local_id(0)] = in[get_local_id(0)] * 2;
    event_t e = async_work_group_copy(out, s, 32, 0);
    wait_group_events(1, &e);
}
kernel void async_out_after_barrier(global const int *in, global int *out)
{
    local int s[32];
    s[get_local_id(0)] = in[get_local_id(0)] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, s, 32, 0);
    wait_group_events(1, &e);
}

//! wrong async_tile_reused 32/32 buffer:i32:64=iota buffer:i32:64 -> data-race
//! right async_tile_waited 32/32 buffer:i32:64=iota buffer:i32:64
kernel void async_tile_reused(global const int *in, global int *out)
{
    local int s[32];
    int i = get_local_id(0);
    for (int t = 0; t < 2; t++) {
        event_t e = async_work_group_copy(s, in + 32 * t, 32, 0);
        wait_group_events(1, &e);
        out[32 * t + i] = s[31 - i];
    }
}
kernel void async_tile_waited(global const int *in, global int *out)
{
    local int s[32];
    int i = get_local_id(0);
    for (int t = 0; t < 2; t++) {
        event_t e = async_work_group_copy(s, in + 32 * t, 32, 0);
        wait_group_events(1, &e);
        out[32 * t + i] = s[31 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//! wrong async_strided_source 16/16 buffer:i32:45=iota buffer:i32:16 -> out-of-bounds
//! right async_strided_inside 16/16 buffer:i32:46=iota buffer:i32:16
kernel void async_strided_source(global const int *in, global int *out) { local int s[16]; event_t e = async_work_group_strided_copy(s, in, 16, 3, 0); wait_group_events(1, &e); out[get_local_id(0)] = s[get_local_id(0)]; }
kernel void async_strided_inside(global const int *in, global int *out) { local int s[16]; event_t e = async_work_group_strided_copy(s, in, 16, 3, 0); wait_group_events(1, &e); out[get_local_id(0)] = s[get_local_id(0)]; }

//! wrong async_from_group_id 64/32 buffer:i32:64=iota buffer:i32:64 -> async-copy-divergence
//! right async_by_group 64/32 buffer:i32:64=iota buffer:i32:64
kernel void async_from_group_id(global const int *in, global int *out) { local int s[32]; event_t e = async_work_group_copy(s, in + (get_global_id(0) & ~15), 16, 0); wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = s[get_local_id(0) & 15]; }
kernel void async_by_group(global const int *in, global int *out) { local int s[32]; event_t e = async_work_group_copy(s, in + (get_global_id(0) & ~31), 16, 0); wait_group_events(1, &e); barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = s[get_local_id(0) & 15]; }

//! wrong async_by_leader 32/32 buffer:i32:32=iota buffer:i32:32 -> async-copy-divergence|barrier-divergence|wait-divergence
//! right async_by_everybody 32/32 buffer:i32:32=iota buffer:i32:32
kernel void async_by_leader(global const int *in, global int *out) { local int s[32]; if (get_local_id(0) == 0) { event_t e = async_work_group_copy(s, in, 32, 0); wait_group_events(1, &e); } barrier(CLK_LOCAL_MEM_FENCE); out[get_local_id(0)] = s[get_local_id(0)]; }
kernel void async_by_everybody(global const int *in, global int *out) { local int s[32]; event_t e = async_work_group_copy(s, in, 32, 0); wait_group_events(1, &e); out[get_local_id(0)] = s[get_local_id(0)]; }

//! wrong async_event_in_branch 64/64 buffer:i32:64=iota buffer:i32:64 -> async-copy-divergence|barrier-divergence|event-not-waited-for
//! right async_event_in_uniform_branch 64/64 buffer:i32:64=iota buffer:i32:64
kernel void async_event_in_branch(global const int *in, global int *out) { local int s[64]; event_t e = 0; if (in[get_local_id(0)] >= 32) e = async_work_group_copy(s, in, 64, 0); else e = async_work_group_copy(s, in, 64, 0); wait_group_events(1, &e); out[get_local_id(0)] = s[get_local_id(0)]; }
kernel void async_event_in_uniform_branch(global const int *in, global int *out) { local int s[64]; event_t e = 0; if (in[0] >= 32) e = async_work_group_copy(s, in, 64, 0); else e = async_work_group_copy(s, in, 64, 0); wait_group_events(1, &e); out[get_local_id(0)] = s[get_local_id(0)]; }

// ---- groups and sub-groups ----

//! wrong broadcast_id_outside 32/16 buffer:i32:32=iota buffer:i32:32 -> uninitialised-store|out-of-bounds|group-divergence|barrier-divergence
//! right broadcast_id_inside 32/16 buffer:i32:32=iota buffer:i32:32
kernel void broadcast_id_outside(global const int *in, global int *out) { int i = get_global_id(0); if (i < 16 || i >= 16) out[i] = work_group_broadcast(in[i], 16); }
kernel void broadcast_id_inside(global const int *in, global int *out) { int i = get_global_id(0); out[i] = work_group_broadcast(in[i], 15); }

//! wrong any_in_loop 32/32 buffer:i32:32=iota buffer:i32:32 -> group-divergence|barrier-divergence
//! right any_in_same_loop 32/32 buffer:i32:32=iota buffer:i32:32
kernel void any_in_loop(global const int *in, global int *out) { int i = get_global_id(0), n = 0; for (int k = 0; k <= in[i] / 16; k++) n += work_group_any(in[i] > k); out[i] = n; }
kernel void any_in_same_loop(global const int *in, global int *out) { int i = get_global_id(0), n = 0; for (int k = 0; k <= in[0] / 16; k++) n += work_group_any(in[i] > k); out[i] = n; }

//! wrong scan_by_some_warps 64/64 buffer:i32:64=ones buffer:i32:64 -> group-divergence|barrier-divergence
//! right scan_by_all_warps 64/64 buffer:i32:64=ones buffer:i32:64
kernel void scan_by_some_warps(global const int *in, global int *out) { int i = get_global_id(0); out[i] = i / 32 ? work_group_scan_inclusive_add(in[i]) : 0; }
kernel void scan_by_all_warps(global const int *in, global int *out) { int i = get_global_id(0), s = work_group_scan_inclusive_add(in[i]); out[i] = i / 32 ? s : 0; }

//! wrong sub_group_barrier_for_group 64/64 buffer:i32:64=iota buffer:i32:64 -> data-race
//! right sub_group_barrier_inside 64/64 buffer:i32:64=iota buffer:i32:64
kernel void sub_group_barrier_for_group(global const int *in, global int *out) { local int s[64]; int i = get_local_id(0); s[i] = in[i]; sub_group_barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[63 - i]; }
kernel void sub_group_barrier_inside(global const int *in, global int *out) { local int s[64]; int i = get_local_id(0), w = get_max_sub_group_size(); s[i] = in[i]; sub_group_barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[i / w * w + (w - 1 - i % w)]; }

// ---- generic and program scope ----

//! wrong generic_chooses 16/16 buffer:i32:16=iota buffer:i32:16 -> out-of-bounds|array-index
//! right generic_chooses_inside 16/16 buffer:i32:16=iota buffer:i32:16
int peek(const int *p, int k) { return p[k]; }
kernel void generic_chooses(global const int *in, global int *out) { local int s[8]; int i = get_local_id(0); if (i < 8) s[i] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = peek(i & 1 ? (const int *)in : (const int *)s, i); }
kernel void generic_chooses_inside(global const int *in, global int *out) { local int s[8]; int i = get_local_id(0); if (i < 8) s[i] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = peek(i & 1 ? (const int *)in : (const int *)s, i & 7); }

//! wrong generic_race 32/32 buffer:i32:1=zeros -> data-race
//! right generic_own 32/32 buffer:i32:32=zeros
void bump(int *p) { ++*p; }
kernel void generic_race(global int *p) { bump(p); }
kernel void generic_own(global int *p) { bump(p + get_global_id(0)); }

//! wrong program_variable_between_groups 64/32 buffer:i32:64 -> data-race
//! right program_variable_atomic 64/32 buffer:i32:64
global int shared_total = 0;
global atomic_int shared_count = 0;
kernel void program_variable_between_groups(global int *out) { shared_total += 1; out[get_global_id(0)] = 0; }
kernel void program_variable_atomic(global int *out) { out[get_global_id(0)] = atomic_fetch_add(&shared_count, 1); }

//! wrong program_table_past 16/16 buffer:i32:16 -> out-of-bounds|array-index
//! right program_table_inside 16/16 buffer:i32:16
global int table[3][5] = {{1}, {2}, {3}};
kernel void program_table_past(global int *out) { int i = get_global_id(0); out[i] = table[i / 5][i % 5]; }
kernel void program_table_inside(global int *out) { int i = get_global_id(0); out[i] = i < 15 ? table[i / 5][i % 5] : 0; }

//! wrong static_in_kernel 64/32 buffer:i32:64 -> data-race
//! right static_constant 64/32 buffer:i32:64
kernel void static_in_kernel(global int *out) { static global int last; int i = get_global_id(0); last = i; out[i] = last; }
kernel void static_constant(global int *out) { static constant int first = 3; int i = get_global_id(0); out[i] = first; }

//! wrong constant_argument_past 8/8 buffer:i32:4=iota buffer:i32:8 -> out-of-bounds
//! right constant_argument_inside 8/8 buffer:i32:4=iota buffer:i32:8
kernel void constant_argument_past(constant int *c, global int *out) { int i = get_global_id(0); out[i] = c[i]; }
kernel void constant_argument_inside(constant int *c, global int *out) { int i = get_global_id(0); out[i] = c[i & 3]; }

//! wrong write_only_compared 8/8 writeonly:i32:8=zeros -> read-of-write-only
//! right write_only_written 8/8 writeonly:i32:8=zeros
kernel void write_only_compared(global int *p) { int i = get_global_id(0); if (p[i] < i) p[i] = i; }
kernel void write_only_written(global int *p) { int i = get_global_id(0); p[i] = i; }

//! wrong read_only_swapped 8/8 readonly:i32:8=iota -> write-to-read-only
//! right read_write_swapped 8/8 buffer:i32:8=iota
kernel void read_only_swapped(global int *p) { int i = get_global_id(0); if (i < 4) { int t = p[i]; p[i] = p[7 - i]; p[7 - i] = t; } }
kernel void read_write_swapped(global int *p) { int i = get_global_id(0); if (i < 4) { int t = p[i]; p[i] = p[7 - i]; p[7 - i] = t; } }

//! wrong misaligned_by_byte_offset 4/4 buffer:u8:64=ones buffer:i32:4 i32:2 -> misaligned
//! right aligned_by_byte_offset 4/4 buffer:u8:64=ones buffer:i32:4 i32:4
kernel void misaligned_by_byte_offset(global const uchar *p, global int *out, int header) { int i = get_global_id(0); out[i] = ((global const int *)(p + header))[i]; }
kernel void aligned_by_byte_offset(global const uchar *p, global int *out, int header) { int i = get_global_id(0); out[i] = ((global const int *)(p + header))[i]; }

//! wrong misaligned_float4_of_float 4/4 buffer:f32:20=ones buffer:f32:4 -> misaligned
//! right aligned_vload4_of_float 4/4 buffer:f32:20=ones buffer:f32:4
kernel void misaligned_float4_of_float(global const float *p, global float *out) { int i = get_global_id(0); out[i] = dot(*(global const float4 *)(p + 3 * i), (float4)(1)); }
kernel void aligned_vload4_of_float(global const float *p, global float *out) { int i = get_global_id(0); out[i] = dot(vload4(0, p + 3 * i), (float4)(1)); }
