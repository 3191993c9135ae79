//! options -cl-std=CL3.0
// Barriers, collectives, asynchronous copies and waits that a group reaches together, or only seems to.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

//! wrong barrier_by_data 8/8 buffer:i32:8=iota -> barrier-divergence
//! right barrier_by_uniform_data 8/8 buffer:i32:8=iota
kernel void barrier_by_data(global int *p) { int i = get_global_id(0); if (p[i] > 2) barrier(CLK_GLOBAL_MEM_FENCE); }
kernel void barrier_by_uniform_data(global int *p) { if (p[3] > 2) barrier(CLK_GLOBAL_MEM_FENCE); }

//! wrong trips_by_data 8/8 buffer:i32:8=iota -> barrier-divergence
//! right trips_by_group 16/8 buffer:i32:16=iota
kernel void trips_by_data(global int *p) { int n = p[get_global_id(0)]; for (int i = 0; i < n; i++) barrier(CLK_GLOBAL_MEM_FENCE); }
kernel void trips_by_group(global int *p) { int n = p[get_group_id(0)]; for (int i = 0; i < n; i++) barrier(CLK_GLOBAL_MEM_FENCE); }

//! wrong shortcut_barrier 8/8 buffer:i32:8=iota -> barrier-divergence
//! right shortcut_uniform 8/8 buffer:i32:8=iota
bool met(void) { barrier(CLK_LOCAL_MEM_FENCE); return true; }
kernel void shortcut_barrier(global int *p) { int i = get_global_id(0); p[i] = p[i] > 3 && met(); }
kernel void shortcut_uniform(global int *p) { int i = get_global_id(0); p[i] = get_local_size(0) > 3 && met(); }

//! wrong goto_over_barrier 64/64 buffer:i32:64=iota -> barrier-divergence
//! right goto_after_barrier 64/64 buffer:i32:64=iota
kernel void goto_over_barrier(global int *p)
{
    int i = get_global_id(0);
    if (i == 40)
        goto end;
    barrier(CLK_GLOBAL_MEM_FENCE);
end:
    p[i] = 1;
}
kernel void goto_after_barrier(global int *p)
{
    int i = get_global_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 40)
        goto end;
    p[i] = 1;
end:;
}

//! wrong row_returns 8,8/8,8 buffer:i32:64=iota -> barrier-divergence
//! right rows_stay 8,8/8,8 buffer:i32:64=iota
kernel void row_returns(global int *p)
{
    if (get_local_id(1) == 7)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[8 * get_local_id(1) + get_local_id(0)] = 1;
}
kernel void rows_stay(global int *p)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(1) == 7)
        return;
    p[8 * get_local_id(1) + get_local_id(0)] = 1;
}

//! wrong edge_of_ragged_range 12/8 buffer:i32:12=iota 10 -> barrier-divergence
//! right ragged_groups_meet 12/8 buffer:i32:12=iota 10
kernel void edge_of_ragged_range(global int *p, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = 1;
}
kernel void ragged_groups_meet(global int *p, int n)
{
    int i = get_global_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i < n)
        p[i] = 1;
}

//! wrong reduce_of_some 32/32 buffer:i32:32=iota -> barrier-divergence|group-divergence
//! right reduce_of_group 64/32 buffer:i32:64=iota
kernel void reduce_of_some(global int *p) { int i = get_global_id(0); if (p[i] & 1) p[i] = work_group_reduce_add(p[i]); }
kernel void reduce_of_group(global int *p) { int i = get_global_id(0); if (get_group_id(0) == 1) p[i] = work_group_reduce_add(p[i]); }

//! wrong scan_after_break 32/32 buffer:i32:32=iota -> barrier-divergence|group-divergence
//! right scan_in_loop 32/32 buffer:i32:32=iota
kernel void scan_after_break(global int *p)
{
    int i = get_global_id(0), v = p[i];
    for (int k = 0; k < 4; k++) {
        if (v > 40)
            break;
        v += work_group_scan_inclusive_add(1);
    }
    p[i] = v;
}
kernel void scan_in_loop(global int *p)
{
    int i = get_global_id(0), v = p[i];
    for (int k = 0; k < 4; k++)
        v += work_group_scan_inclusive_add(1);
    p[i] = v;
}

//! wrong vote_in_while 64/64 buffer:i32:64=iota -> barrier-divergence|group-divergence
//! right vote_of_all 64/64 buffer:i32:64=iota
kernel void vote_in_while(global int *p)
{
    int i = get_global_id(0), v = p[i];
    while (v > 0) {
        v -= 8;
        if (!work_group_any(v > 0))
            break;
    }
    p[i] = v;
}
kernel void vote_of_all(global int *p)
{
    int i = get_global_id(0), v = p[i];
    while (work_group_any(v > 0))
        v -= 8;
    p[i] = v;
}

//! wrong copy_by_item_pointer 8/8 buffer:i32:64=iota buffer:i32:8 -> async-copy-divergence
//! right copy_by_group_pointer 16/8 buffer:i32:64=iota buffer:i32:16
kernel void copy_by_item_pointer(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(s, in + l, 8, 0);
    wait_group_events(1, &e);
    out[l] = s[l];
}
kernel void copy_by_group_pointer(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(s, in + 8 * get_group_id(0), 8, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = s[l];
}

//! wrong stride_by_item 8/8 buffer:i32:64=iota buffer:i32:8 -> async-copy-divergence
//! right stride_of_all 8/8 buffer:i32:64=iota buffer:i32:8
kernel void stride_by_item(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    event_t e = async_work_group_strided_copy(s, in, 8, 1 + l / 4, 0);
    wait_group_events(1, &e);
    out[l] = s[l];
}
kernel void stride_of_all(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    event_t e = async_work_group_strided_copy(s, in, 8, 8, 0);
    wait_group_events(1, &e);
    out[l] = s[l];
}

//! wrong extra_copy_of_one 8/8 buffer:i32:16=iota buffer:i32:8 -> async-copy-divergence
//! right extra_copy_of_all 8/8 buffer:i32:16=iota buffer:i32:8
kernel void extra_copy_of_one(global const int *in, global int *out)
{
    local int s[8], t[1];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(s, in, 8, 0);
    if (l == 0)
        e = async_work_group_copy(t, in, 1, e);
    wait_group_events(1, &e);
    out[l] = s[l];
}
kernel void extra_copy_of_all(global const int *in, global int *out)
{
    local int s[8], t[1];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(s, in, 8, 0);
    e = async_work_group_copy(t, in, 1, e);
    wait_group_events(1, &e);
    out[l] = s[l] + t[0];
}

//! wrong wait_by_item 2/2 buffer:i32:16=iota buffer:i32:8 -> wait-divergence|barrier-divergence|async-divergence
//! right wait_for_both 2/2 buffer:i32:16=iota buffer:i32:8
kernel void wait_by_item(global const int *in, global int *out)
{
    local int s[2];
    int l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(s, in, 1, 0);
    e[1] = async_work_group_copy(s + 1, in + 1, 1, 0);
    wait_group_events(1, e + l);
    out[l] = s[l];
}
kernel void wait_for_both(global const int *in, global int *out)
{
    local int s[2];
    int l = get_local_id(0);
    event_t e[4];
    e[0] = async_work_group_copy(s, in, 1, 0);
    e[1] = e[0];
    e[2] = async_work_group_copy(s + 1, in + 1, 1, 0);
    e[3] = e[0];
    wait_group_events(4, e);
    out[l] = s[l];
}

//! wrong chain_of_unrelated 4/4 buffer:i32:8=iota buffer:i32:4 -> async-not-waited|data-race|async-race|event-not-waited
//! right chain_of_one_event 4/4 buffer:i32:8=iota buffer:i32:4
kernel void chain_of_unrelated(global const int *in, global int *out)
{
    local int s[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(s, in, 1, 0);
    for (int i = 1; i < 4; i++)
        async_work_group_copy(s + i, in + i, 1, 0);
    wait_group_events(1, &e);
    out[l] = s[l];
}
kernel void chain_of_one_event(global const int *in, global int *out)
{
    local int s[4];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(s, in, 1, 0);
    for (int i = 1; i < 4; i++)
        async_work_group_copy(s + i, in + i, 1, e);
    wait_group_events(1, &e);
    out[l] = s[l];
}

//! wrong double_buffered_late 4/4 buffer:i32:16=iota buffer:i32:16 -> async-not-waited|data-race|async-race|event-not-waited
//! right double_buffered 4/4 buffer:i32:16=iota buffer:i32:16
kernel void double_buffered_late(global const int *in, global int *out)
{
    local int s[2][4];
    int l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(s[0], in, 4, 0);
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            e[(k + 1) & 1] = async_work_group_copy(s[(k + 1) & 1], in + 4 * (k + 1), 4, 0);
        out[4 * k + l] = s[k & 1][3 - l];
        wait_group_events(1, &e[k & 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
kernel void double_buffered(global const int *in, global int *out)
{
    local int s[2][4];
    int l = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(s[0], in, 4, 0);
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            e[(k + 1) & 1] = async_work_group_copy(s[(k + 1) & 1], in + 4 * (k + 1), 4, 0);
        wait_group_events(1, &e[k & 1]);
        out[4 * k + l] = s[k & 1][3 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//! wrong barriers_of_two_warps 64/64 buffer:i32:64=iota -> barrier-divergence
//! right barriers_of_two_groups 64/32 buffer:i32:64=iota
kernel void barriers_of_two_warps(global int *p)
{
    if (get_global_id(0) < 32) {
        p[get_global_id(0)] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);
        p[get_global_id(0)] = 2;
    }
}
kernel void barriers_of_two_groups(global int *p)
{
    if (get_global_id(0) < 32) {
        p[get_global_id(0)] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);
        p[get_global_id(0)] = 2;
    }
}

//! wrong flags_of_two_warps 64/64 buffer:i32:64=iota -> barrier-divergence
//! right flags_of_all 64/64 buffer:i32:64=iota
kernel void flags_of_two_warps(global int *p)
{
    int l = get_local_id(0);
    if (l < 32)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        barrier(CLK_GLOBAL_MEM_FENCE);
    p[l] = 1;
}
kernel void flags_of_all(global int *p) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); p[get_local_id(0)] = 1; }

//! wrong lock_in_a_warp 4/4 buffer:i32:1=zeros buffer:i32:1=zeros -> lock-hang|data-race
//! right lock_by_turns 4/4 buffer:i32:1=zeros buffer:i32:1=zeros
kernel void lock_in_a_warp(volatile global int *lock, volatile global int *sum)
{
    atomic_xchg(lock, 1);
    while (atomic_xchg(lock, 1))
        ;
    *sum += 1;
    atomic_xchg(lock, 0);
}
kernel void lock_by_turns(volatile global int *lock, volatile global int *sum)
{
    for (int k = 0; k < 4; k++) {
        if (get_local_id(0) == k)
            *sum += 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
