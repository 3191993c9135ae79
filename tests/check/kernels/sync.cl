// Barriers and asynchronous copies that not all work-items reach alike; copies that nobody waits for.

//! wrong if_barrier 8/8 buffer:i32:8 -> barrier-divergence
//! right all_barrier 8/8 buffer:i32:8
kernel void if_barrier(global int *p) { int i = get_local_id(0); if (i < 4) barrier(1); p[i] = i; }
kernel void all_barrier(global int *p) { int i = get_local_id(0); barrier(1); p[i] = i; }

//! wrong if_else_barriers 8/8 buffer:i32:8 -> barrier-divergence
//! right uniform_if 8/8 buffer:i32:8
kernel void if_else_barriers(global int *p) { int i = get_local_id(0); if (i & 1) { p[i] = 1; barrier(1); } else { p[i] = 2; barrier(2); } }
kernel void uniform_if(global int *p) { int i = get_local_id(0); if (get_group_id(0) == 0) { p[i] = 1; barrier(1); } else { p[i] = 2; barrier(2); } }

//! wrong early_return 8/8 buffer:i32:8 -> barrier-divergence
//! right late_return 8/8 buffer:i32:8
kernel void early_return(global int *p) { int i = get_local_id(0); if (i == 7) return; p[i] = i; barrier(1); }
kernel void late_return(global int *p) { int i = get_local_id(0); barrier(1); if (i == 7) return; p[i] = i; }

//! wrong loop_count 8/8 buffer:i32:8 -> barrier-divergence
//! right loop_same_count 8/8 buffer:i32:8
kernel void loop_count(global int *p) { int i = get_local_id(0); for (int k = 0; k < i; k++) barrier(1); p[i] = i; }
kernel void loop_same_count(global int *p) { int i = get_local_id(0); for (int k = 0; k < 8; k++) barrier(1); p[i] = i; }

//! wrong other_warp 64/64 buffer:i32:64 -> barrier-divergence
//! right both_warps 64/64 buffer:i32:64
kernel void other_warp(global int *p) { int i = get_local_id(0); if (i < 32) barrier(1); p[i] = i; }
kernel void both_warps(global int *p) { int i = get_local_id(0); barrier(1); p[i] = i; }

//! wrong warps_at_two_barriers 64/64 buffer:i32:64 -> barrier-divergence
//! right warps_at_one_barrier 64/64 buffer:i32:64
kernel void warps_at_two_barriers(global int *p) { int i = get_local_id(0); if (i < 32) { p[i] = 1; barrier(1); } else { p[i] = 3; barrier(3); } }
kernel void warps_at_one_barrier(global int *p) { int i = get_local_id(0); if (i < 32) p[i] = 1; else p[i] = 3; barrier(1); }

//! wrong warp_returns 64/64 buffer:i32:64 -> barrier-divergence
//! right warp_stays 64/64 buffer:i32:64
kernel void warp_returns(global int *p) { int i = get_local_id(0); if (i >= 32) return; barrier(1); p[i] = i; }
kernel void warp_stays(global int *p) { int i = get_local_id(0); barrier(1); if (i >= 32) return; p[i] = i; }

//! wrong warp_loops 64/64 buffer:i32:64 -> barrier-divergence
//! right warps_loop 64/64 buffer:i32:64
kernel void warp_loops(global int *p) { int i = get_local_id(0); for (int k = 0; k < 1 + i / 32; k++) barrier(1); p[i] = i; }
kernel void warps_loop(global int *p) { int i = get_local_id(0); for (int k = 0; k < 2; k++) barrier(1); p[i] = i; }

//! wrong data_dependent 8/8 buffer:i32:8=iota -> barrier-divergence
//! right data_uniform 8/8 buffer:i32:8=ones
kernel void data_dependent(global int *p) { int i = get_local_id(0); if (p[i] > 3) barrier(2); p[i] = i; }
kernel void data_uniform(global int *p) { int i = get_local_id(0); if (p[i] > 3) p[i] = 1; barrier(2); p[i] = i; }

//! wrong async_some 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> async-copy-divergence
//! right async_all 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void async_some(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = 0; if (i < 4) e = async_work_group_copy(t, in, 8, 0); barrier(1); wait_group_events(1, &e); out[i] = t[i]; }
kernel void async_all(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); wait_group_events(1, &e); out[i] = t[i]; }

//! wrong async_arguments 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> async-copy-divergence
//! right async_same_arguments 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void async_arguments(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in + i, 8, 0); wait_group_events(1, &e); out[i] = t[i]; }
kernel void async_same_arguments(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in + 8, 8, 0); wait_group_events(1, &e); out[i] = t[i]; }

//! wrong async_sizes 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> async-copy-divergence
//! right async_same_size 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void async_sizes(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8 + i, 0); wait_group_events(1, &e); out[i] = t[0]; }
kernel void async_same_size(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 15, 0); wait_group_events(1, &e); out[i] = t[0]; }

//! wrong wait_some 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> barrier-divergence
//! right wait_all 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void wait_some(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); if (i < 4) wait_group_events(1, &e); out[i] = i; }
kernel void wait_all(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); wait_group_events(1, &e); out[i] = i; }

//! wrong async_not_waited 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> event-not-waited-for
//! right async_waited 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void async_not_waited(global const int *in, global int *out, local int *t) { int i = get_local_id(0); async_work_group_copy(t, in, 8, 0); out[i] = i; }
kernel void async_waited(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); wait_group_events(1, &e); out[i] = i; }

//! wrong async_out_not_waited 8/8 buffer:i32:8 local:32 -> event-not-waited-for
//! right async_out_waited 8/8 buffer:i32:8 local:32
kernel void async_out_not_waited(global int *out, local int *t) { int i = get_local_id(0); t[i] = i; barrier(1); async_work_group_copy(out, t, 8, 0); }
kernel void async_out_waited(global int *out, local int *t) { int i = get_local_id(0); t[i] = i; barrier(1); event_t e = async_work_group_copy(out, t, 8, 0); wait_group_events(1, &e); }

//! wrong async_read_early 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> data-race
//! right async_read_late 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void async_read_early(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); int v = t[i]; wait_group_events(1, &e); out[i] = v; }
kernel void async_read_late(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); wait_group_events(1, &e); out[i] = t[i]; }

//! wrong async_past 8/8 buffer:i32:8=iota buffer:i32:8 local:64 -> out-of-bounds
//! right async_inside 8/8 buffer:i32:8=iota buffer:i32:8 local:64
kernel void async_past(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 9, 0); wait_group_events(1, &e); out[i] = t[i]; }
kernel void async_inside(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 8, 0); wait_group_events(1, &e); out[i] = t[i]; }

//! wrong async_local_past 8/8 buffer:i32:16=iota buffer:i32:8 local:32 -> out-of-bounds
//! right async_local_inside 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void async_local_past(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_strided_copy(t, in, 9, 1, 0); wait_group_events(1, &e); out[i] = t[i]; }
kernel void async_local_inside(global const int *in, global int *out, local int *t) { int i = get_local_id(0); event_t e = async_work_group_strided_copy(t, in, 8, 2, 0); wait_group_events(1, &e); out[i] = t[i]; }

//! wrong lock_taken_twice 8/8 buffer:i32:1=zeros buffer:i32:1=zeros -> lock-hang
//! right lock_taken_once 8/8 buffer:i32:1=zeros buffer:i32:1=zeros
kernel void lock_taken_twice(global volatile int *lock, global int *count) { if (get_local_id(0) == 0) { while (atomic_cmpxchg(lock, 0, 1)) ; ++*count; while (atomic_cmpxchg(lock, 0, 1)) ; ++*count; atomic_xchg(lock, 0); } }
kernel void lock_taken_once(global volatile int *lock, global int *count) { if (get_local_id(0) == 0) { while (atomic_cmpxchg(lock, 0, 1)) ; ++*count; atomic_xchg(lock, 0); while (atomic_cmpxchg(lock, 0, 1)) ; ++*count; atomic_xchg(lock, 0); } }

//! wrong locks_in_two_orders 64/32 buffer:i32:2=zeros buffer:i32:2=zeros -> lock-hang
//! right locks_in_one_order 64/32 buffer:i32:2=zeros buffer:i32:2=zeros
kernel void locks_in_two_orders(global volatile int *lock, global volatile int *ready) { if (get_local_id(0) == 0) { int a = get_group_id(0), b = 1 - a; while (atomic_xchg(&lock[a], 1)) ; atomic_xchg(&ready[a], 1); while (!atomic_or(&ready[b], 0)) ; while (atomic_xchg(&lock[b], 1)) ; atomic_xchg(&lock[b], 0); atomic_xchg(&lock[a], 0); } }
kernel void locks_in_one_order(global volatile int *lock, global volatile int *ready) { if (get_local_id(0) == 0) { while (atomic_xchg(&lock[0], 1)) ; while (atomic_xchg(&lock[1], 1)) ; ready[0] = 1; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(&lock[1], 0); atomic_xchg(&lock[0], 0); } }

//! wrong flag_never_set 64/64 buffer:i32:1=zeros -> lock-hang
//! right flag_set 64/64 buffer:i32:1=zeros
kernel void flag_never_set(global volatile int *flag) { if (get_local_id(0) == 40) while (!atomic_or(flag, 0)) ; barrier(CLK_LOCAL_MEM_FENCE); }
kernel void flag_set(global volatile int *flag) { if (get_local_id(0) == 40) while (!atomic_or(flag, 0)) ; if (get_local_id(0) == 0) atomic_xchg(flag, 1); barrier(CLK_LOCAL_MEM_FENCE); }
