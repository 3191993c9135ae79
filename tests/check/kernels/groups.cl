// Barriers, asynchronous copies and events, as programs get them wrong.

//! wrong barrier_in_switch 8/8 buffer:i32:8 -> barrier-divergence
//! right barrier_after_switch 8/8 buffer:i32:8
kernel void barrier_in_switch(global int *p)
{
    int i = get_local_id(0);
    switch (i % 3) {
    case 0: p[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE); break;
    case 1: p[i] = 2; barrier(CLK_GLOBAL_MEM_FENCE); break;
    default: p[i] = 3;
    }
}
kernel void barrier_after_switch(global int *p)
{
    int i = get_local_id(0);
    switch (i % 3) {
    case 0: p[i] = 1; break;
    case 1: p[i] = 2; break;
    default: p[i] = 3;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

//! wrong trip_count 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> barrier-divergence
//! right trip_count_of_group 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void trip_count(global const int *n, global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = 0;
    for (int k = 0; k <= n[i] / 4; k++) {
        t[i] += k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = t[i];
}
kernel void trip_count_of_group(global const int *n, global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = 0;
    for (int k = 0; k <= n[7] / 4; k++) {
        t[i] += k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = t[i];
}

//! wrong break_before_barrier 8/8 buffer:i32:8=iota -> barrier-divergence
//! right break_of_all 8/8 buffer:i32:8=iota
kernel void break_before_barrier(global int *p)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (p[i] == 5)
            break;
        barrier(CLK_GLOBAL_MEM_FENCE);
        p[i]++;
    }
}
kernel void break_of_all(global int *p)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (k == 2)
            break;
        barrier(CLK_GLOBAL_MEM_FENCE);
        p[i]++;
    }
}

//! wrong guard_at_the_edge 10/10 buffer:i32:8 local:64 -> barrier-divergence
//! right guarded_store 10/10 buffer:i32:8 local:64
kernel void guard_at_the_edge(global int *out, local int *t)
{
    int i = get_global_id(0);
    if (i >= 8)
        return;
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[7 - i];
}
kernel void guarded_store(global int *out, local int *t)
{
    int i = get_global_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8)
        out[i] = t[7 - i];
}

//! wrong helper_barrier 8/8 buffer:i32:8 local:32 -> barrier-divergence
//! right helper_barrier_of_all 8/8 buffer:i32:8 local:32
void exchange(local int *t, int i) { t[i] = i; barrier(CLK_LOCAL_MEM_FENCE); }
kernel void helper_barrier(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = 0;
    if (i % 2)
        exchange(t, i);
    out[i] = t[i];
}
kernel void helper_barrier_of_all(global int *out, local int *t)
{
    int i = get_local_id(0);
    exchange(t, i);
    out[i] = t[7 - i];
}

//! wrong two_dimensional 8,8/8,8 buffer:i32:64 -> barrier-divergence
//! right two_dimensional_all 8,8/8,8 buffer:i32:64
kernel void two_dimensional(global int *p)
{
    int x = get_local_id(0), y = get_local_id(1);
    if (y < 4)
        barrier(CLK_GLOBAL_MEM_FENCE);
    p[8 * y + x] = x;
}
kernel void two_dimensional_all(global int *p)
{
    int x = get_local_id(0), y = get_local_id(1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (y < 4)
        p[8 * y + x] = x;
}

//! wrong copy_destination 8/8 buffer:f32:8=ones buffer:f32:8 local:64 -> async-copy-divergence
//! right copy_same_destination 8/8 buffer:f32:8=ones buffer:f32:8 local:64
kernel void copy_destination(global const float *in, global float *out, local float *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(i < 4 ? t : t + 8, in, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[i & 3];
}
kernel void copy_same_destination(global const float *in, global float *out, local float *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t + 8, in, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[8 + i];
}

//! wrong copy_stride 8/8 buffer:i32:64=iota buffer:i32:8 local:32 -> async-copy-divergence
//! right copy_same_stride 8/8 buffer:i32:64=iota buffer:i32:8 local:32
kernel void copy_stride(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_strided_copy(t, in, 8, 1 + (i & 1), 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}
kernel void copy_same_stride(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_strided_copy(t, in, 8, 3, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}

//! wrong copy_in_one_warp 64/64 buffer:i32:64=iota buffer:i32:64 local:256 -> async-copy-divergence
//! right copy_in_all_warps 64/64 buffer:i32:64=iota buffer:i32:64 local:256
kernel void copy_in_one_warp(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = 0;
    if (i < 32)
        e = async_work_group_copy(t, in, 64, 0);
    wait_group_events(1, &e);
    out[i] = i;
}
kernel void copy_in_all_warps(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 64, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}

//! wrong copy_by_source_buffer 8/8 buffer:i32:8=iota buffer:i32:8=ones buffer:i32:8 local:32 -> async-copy-divergence
//! right copy_one_source_buffer 8/8 buffer:i32:8=iota buffer:i32:8=ones buffer:i32:8 local:32
kernel void copy_by_source_buffer(global const int *a, global const int *b, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, i & 1 ? a : b, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}
kernel void copy_one_source_buffer(global const int *a, global const int *b, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, get_group_id(0) & 1 ? a : b, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}

//! wrong wait_counts 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> barrier-divergence
//! right wait_same_count 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void wait_counts(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 8, 0);
    e[1] = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(i < 4 ? 1 : 2, e);
    out[i] = i;
}
kernel void wait_same_count(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 8, 0);
    e[1] = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(2, e);
    out[i] = t[i] + t[i + 8];
}

//! wrong wait_different_events 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> barrier-divergence
//! right wait_both_events 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void wait_different_events(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 8, 0);
    e[1] = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(1, e + (i & 1));
    wait_group_events(1, e + 1 - (i & 1));
    out[i] = i;
}
kernel void wait_both_events(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 8, 0);
    e[1] = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(1, e + 1);
    wait_group_events(1, e);
    out[i] = t[i] + t[8 + i];
}

//! wrong one_of_two_waited 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> event-not-waited-for
//! right two_of_two_waited 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void one_of_two_waited(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t a = async_work_group_copy(t, in, 8, 0);
    event_t b = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(1, &b);
    out[i] = t[8 + i];
}
kernel void two_of_two_waited(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t a = async_work_group_copy(t, in, 8, 0);
    event_t b = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(1, &b);
    wait_group_events(1, &a);
    out[i] = t[8 + i];
}

//! wrong event_overwritten 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> event-not-waited-for
//! right event_chained 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void event_overwritten(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    e = async_work_group_copy(t + 8, in + 8, 8, 0);
    wait_group_events(1, &e);
    out[i] = i;
}
kernel void event_chained(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    e = async_work_group_copy(t + 8, in + 8, 8, e);
    wait_group_events(1, &e);
    out[i] = t[i] + t[i + 8];
}

//! wrong waited_in_loop_once 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> event-not-waited-for
//! right waited_in_loop 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void waited_in_loop_once(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0), s = 0;
    event_t e;
    for (int k = 0; k < 2; k++)
        e = async_work_group_copy(t + 8 * k, in + 8 * k, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[8 + i];
}
kernel void waited_in_loop(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0), s = 0;
    for (int k = 0; k < 2; k++) {
        event_t e = async_work_group_copy(t, in + 8 * k, 8, 0);
        wait_group_events(1, &e);
        s += t[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s;
}

//! wrong barrier_is_no_wait 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> event-not-waited-for
//! right wait_is_a_wait 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void barrier_is_no_wait(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    async_work_group_copy(t, in, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[7 - i];
}
kernel void wait_is_a_wait(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[7 - i];
}

//! wrong read_after_barrier_only 8/8 buffer:i32:8=iota buffer:i32:8 local:32 -> data-race
//! right read_after_wait 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void read_after_barrier_only(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[7 - i];
    wait_group_events(1, &e);
}
kernel void read_after_wait(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    wait_group_events(1, &e);
    out[i] = t[7 - i];
}

//! wrong source_changed 8/8 buffer:i32:8 local:32 -> data-race
//! right source_kept 8/8 buffer:i32:8 local:32
kernel void source_changed(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    t[i] = 0;
    wait_group_events(1, &e);
}
kernel void source_kept(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    int v = t[7 - i];
    wait_group_events(1, &e);
    t[i] = v;
}

//! wrong filled_without_barrier 8/8 buffer:i32:8 local:32 -> data-race
//! right filled_with_barrier 8/8 buffer:i32:8 local:32
kernel void filled_without_barrier(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}
kernel void filled_with_barrier(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}

//! wrong copies_overlap 8/8 buffer:i32:16=iota buffer:i32:8 local:64 -> data-race
//! right copies_apart 8/8 buffer:i32:16=iota buffer:i32:8 local:64
kernel void copies_overlap(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 8, 0);
    e[1] = async_work_group_copy(t + 7, in + 8, 8, 0);
    wait_group_events(2, e);
    out[i] = t[i];
}
kernel void copies_apart(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(t, in, 8, 0);
    e[1] = async_work_group_copy(t + 8, in, 8, 0);
    wait_group_events(2, e);
    out[i] = t[i];
}

//! wrong event_of_nobody 8/8 buffer:i32:8 -> event-not-waited-for
//! right event_of_a_copy 8/8 buffer:i32:8 local:32
kernel void event_of_nobody(global int *out)
{
    event_t e = 0;
    out[get_local_id(0)] = 1;
    wait_group_events(1, &e);
}
kernel void event_of_a_copy(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}

//! wrong copy_in_divergent_loop 8/8 buffer:i32:64=iota buffer:i32:8 local:32 -> async-copy-divergence
//! right copy_in_uniform_loop 8/8 buffer:i32:64=iota buffer:i32:8 local:32
kernel void copy_in_divergent_loop(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    for (int k = 0; k < 1 + (i & 1); k++) {
        event_t e = async_work_group_copy(t, in + 8 * k, 8, 0);
        wait_group_events(1, &e);
    }
    out[i] = i;
}
kernel void copy_in_uniform_loop(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0), s = 0;
    for (int k = 0; k < 8; k++) {
        event_t e = async_work_group_copy(t, in + 8 * k, 8, 0);
        wait_group_events(1, &e);
        s += t[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s;
}
