//! options -cl-std=CL3.0
// Barriers, asynchronous copies and events: loops, calls, dimensions, sub-groups.

//! wrong barrier_in_while 16/16 buffer:i32:16=iota -> barrier-divergence
//! right barrier_in_counted 16/16 buffer:i32:16=iota
kernel void barrier_in_while(global int *p) { int i = get_local_id(0), n = p[i] % 3; while (n-- > 0) barrier(CLK_LOCAL_MEM_FENCE); p[i] = n; }
kernel void barrier_in_counted(global int *p) { int i = get_local_id(0), n = 3; while (n-- > 0) barrier(CLK_LOCAL_MEM_FENCE); p[i] = n; }

//! wrong continue_skips_barrier 16/16 buffer:i32:16=iota -> barrier-divergence
//! right continue_after_barrier 16/16 buffer:i32:16=iota
kernel void continue_skips_barrier(global int *p)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (p[i] % 4 == k)
            continue;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
kernel void continue_after_barrier(global int *p)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (p[i] % 4 == k)
            continue;
        p[i]++;
    }
}

//! wrong barrier_in_called 40/40 buffer:i32:40=iota -> barrier-divergence
//! right barrier_in_called_by_all 40/40 buffer:i32:40=iota
__attribute__((noinline)) void meet(local int *t, int i) { t[i] = 0; barrier(CLK_LOCAL_MEM_FENCE); }
kernel void barrier_in_called(global int *p) { local int t[40]; int i = get_local_id(0); if (p[i] < 36) meet(t, i); p[i] = i; }
kernel void barrier_in_called_by_all(global int *p) { local int t[40]; int i = get_local_id(0); meet(t, i); p[i] = i; }

//! wrong barrier_by_row 8,4/8,4 buffer:i32:32=iota -> barrier-divergence
//! right barrier_by_group 8,4/8,2 buffer:i32:32=iota
kernel void barrier_by_row(global int *p) { if (get_local_id(1) < 2) barrier(CLK_LOCAL_MEM_FENCE); p[get_global_linear_id()] = 1; }
kernel void barrier_by_group(global int *p) { if (get_group_id(1) < 1) barrier(CLK_LOCAL_MEM_FENCE); p[get_global_linear_id()] = 1; }

//! wrong return_in_loop 16/16 buffer:i32:16=iota -> barrier-divergence
//! right return_after_loop 16/16 buffer:i32:16=iota
kernel void return_in_loop(global int *p)
{
    int i = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        if (p[i] == k + 2)
            return;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    p[i] = 0;
}
kernel void return_after_loop(global int *p)
{
    int i = get_local_id(0);
    bool done = false;
    for (int k = 0; k < 3; k++) {
        done |= p[i] == k + 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (done)
        return;
    p[i] = 0;
}

//! wrong group_function_divergent 16/16 buffer:i32:16=iota -> barrier-divergence
//! right group_function_all 16/16 buffer:i32:16=iota
kernel void group_function_divergent(global int *p) { int i = get_local_id(0), s = 0; if (p[i] > 4) s = work_group_reduce_add(p[i]); p[i] = s; }
kernel void group_function_all(global int *p) { int i = get_local_id(0), s = work_group_reduce_add(p[i] > 4 ? p[i] : 0); p[i] = s; }

//! wrong ternary_barriers 64/64 buffer:i32:64=iota -> barrier-divergence
//! right one_barrier 64/64 buffer:i32:64=iota
kernel void ternary_barriers(global int *p) { int i = get_local_id(0); if (i < 32) { p[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); } else { p[i] = 2; barrier(CLK_LOCAL_MEM_FENCE); } }
kernel void one_barrier(global int *p) { int i = get_local_id(0); p[i] = i < 32 ? 1 : 2; barrier(CLK_LOCAL_MEM_FENCE); }

//! wrong copy_in_branch 16/16 buffer:i32:16=iota buffer:i32:16 -> async-copy-divergence
//! right copy_by_all 16/16 buffer:i32:16=iota buffer:i32:16
kernel void copy_in_branch(global const int *in, global int *out)
{
    local int t[16];
    int i = get_local_id(0);
    t[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = 0;
    if (in[i] < 8)
        e = async_work_group_copy(t, in, 16, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}
kernel void copy_by_all(global const int *in, global int *out)
{
    local int t[16];
    int i = get_local_id(0);
    t[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = 0;
    e = async_work_group_copy(t, in, 16, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}

//! wrong copy_own_source 16/16 buffer:i32:32=iota buffer:i32:16 -> async-copy-divergence
//! right copy_same_source 16/16 buffer:i32:32=iota buffer:i32:16
kernel void copy_own_source(global const int *in, global int *out)
{
    local int t[16];
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in + i, 16, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}
kernel void copy_same_source(global const int *in, global int *out)
{
    local int t[16];
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in + get_group_id(0), 16, 0);
    wait_group_events(1, &e);
    out[i] = t[i];
}

//! wrong copy_size_by_id 16/16 buffer:i32:32=iota -> async-copy-divergence
//! right copy_size_alike 16/16 buffer:i32:32=iota
kernel void copy_size_by_id(global const int *in) { local int t[32]; event_t e = async_work_group_copy(t, in, 16 + get_local_id(0) % 2, 0); wait_group_events(1, &e); }
kernel void copy_size_alike(global const int *in) { local int t[32]; event_t e = async_work_group_copy(t, in, 16 + get_group_id(0) % 2, 0); wait_group_events(1, &e); }

//! wrong copy_in_loop_of_id 16/16 buffer:i32:16=iota -> async-copy-divergence
//! right copy_in_loop 16/16 buffer:i32:16=iota
kernel void copy_in_loop_of_id(global const int *in) { local int t[16]; for (int k = 0; k < (int)get_local_id(0) % 3 + 1; k++) { event_t e = async_work_group_copy(t, in, 16, 0); wait_group_events(1, &e); } }
kernel void copy_in_loop(global const int *in) { local int t[16]; for (int k = 0; k < 3; k++) { event_t e = async_work_group_copy(t, in, 16, 0); wait_group_events(1, &e); } }

//! wrong never_waited 8/8 buffer:i32:8=iota buffer:i32:8 -> event-not-waited-for
//! right waited 8/8 buffer:i32:8=iota buffer:i32:8
kernel void never_waited(global const int *in, global int *out) { local int t[8]; event_t e = async_work_group_copy(t, in, 8, 0); barrier(CLK_LOCAL_MEM_FENCE); out[get_local_id(0)] = 1; }
kernel void waited(global const int *in, global int *out) { local int t[8]; event_t e = async_work_group_copy(t, in, 8, 0); barrier(CLK_LOCAL_MEM_FENCE); out[get_local_id(0)] = 1; wait_group_events(1, &e); }

//! wrong waits_for_too_few 8/8 buffer:i32:16=iota buffer:i32:8 -> event-not-waited-for|data-race
//! right waits_for_both 8/8 buffer:i32:16=iota buffer:i32:8
kernel void waits_for_too_few(global const int *in, global int *out)
{
    local int t[2][8];
    event_t e[2];
    for (int k = 0; k < 2; k++)
        e[k] = async_work_group_copy(t[k], in + 8 * k, 8, 0);
    wait_group_events(1, e);
    out[get_local_id(0)] = t[1][get_local_id(0)];
}
kernel void waits_for_both(global const int *in, global int *out)
{
    local int t[2][8];
    event_t e[2];
    for (int k = 0; k < 2; k++)
        e[k] = async_work_group_copy(t[k], in + 8 * k, 8, 0);
    wait_group_events(2, e);
    out[get_local_id(0)] = t[1][get_local_id(0)];
}

//! wrong bad_event 8/8 buffer:i32:8=iota buffer:i32:8 -> event-not-waited-for
//! right good_event 8/8 buffer:i32:8=iota buffer:i32:8
kernel void bad_event(global const int *in, global int *out) { local int t[8]; event_t f[2]; event_t e = async_work_group_copy(t, in, 8, 0); f[0] = e; wait_group_events(2, f); out[get_local_id(0)] = t[get_local_id(0)]; }
kernel void good_event(global const int *in, global int *out) { local int t[8]; event_t f[2]; event_t e = async_work_group_copy(t, in, 8, 0); f[0] = e; wait_group_events(1, f); out[get_local_id(0)] = t[get_local_id(0)]; }

//! wrong chained_not_waited 8/8 buffer:i32:16=iota buffer:i32:8 -> event-not-waited-for
//! right chained 8/8 buffer:i32:16=iota buffer:i32:8
kernel void chained_not_waited(global const int *in, global int *out) { local int t[8], u[8]; event_t e = async_work_group_copy(t, in, 8, 0); e = async_work_group_copy(u, in + 8, 8, 0); wait_group_events(1, &e); out[get_local_id(0)] = u[get_local_id(0)]; }
kernel void chained(global const int *in, global int *out) { local int t[8], u[8]; event_t e = async_work_group_copy(t, in, 8, 0); e = async_work_group_copy(u, in + 8, 8, e); wait_group_events(1, &e); out[get_local_id(0)] = u[get_local_id(0)] + t[get_local_id(0)]; }

//! wrong wait_in_branch 16/16 buffer:i32:16=iota buffer:i32:16 -> barrier-divergence|event-not-waited-for
//! right wait_by_all 16/16 buffer:i32:16=iota buffer:i32:16
kernel void wait_in_branch(global const int *in, global int *out) { local int t[16]; int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 16, 0); if (in[i] % 2) wait_group_events(1, &e); out[i] = i; }
kernel void wait_by_all(global const int *in, global int *out) { local int t[16]; int i = get_local_id(0); event_t e = async_work_group_copy(t, in, 16, 0); wait_group_events(1, &e); out[i] = i; }

//! right does_not_spin 8/8 buffer:i32:2=zeros
kernel void does_not_spin(volatile global int *p) { if (get_global_id(0) == 0) { while (p[0] != 0) ; p[1] = 1; } }
