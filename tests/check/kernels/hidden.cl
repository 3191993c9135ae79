//! options -cl-std=CL3.0
// Races: structures, vectors, halves, 64-bit atomics, program-scope variables, dimensions, calls, volatile and fences.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

typedef struct { int a; float b; short c[2]; } item;
typedef struct { long total; int count; } stat;

//! wrong struct_copy_race 8/8 buffer:i32:24=iota -> data-race
//! right struct_copy_apart 8/8 buffer:i32:48=iota
kernel void struct_copy_race(global item *p) { int i = get_global_id(0); p[i] = p[(i + 1) % 8]; }
kernel void struct_copy_apart(global item *p) { int i = get_global_id(0); p[i] = p[8 + i]; }

//! wrong struct_copy_groups 8/4 buffer:i32:24=iota -> data-race
//! right struct_copy_groups_apart 8/4 buffer:i32:48=iota
kernel void struct_copy_groups(global item *p) { int i = get_global_id(0); p[i] = p[(i + 4) % 8]; }
kernel void struct_copy_groups_apart(global item *p) { int i = get_global_id(0); p[i] = p[8 + (i + 4) % 8]; }

//! wrong volatile_flag 8/8 buffer:i32:1=zeros buffer:i32:8 -> data-race
//! right volatile_own 8/8 buffer:i32:8=zeros buffer:i32:8
kernel void volatile_flag(volatile global int *p, global int *out) { int i = get_global_id(0); if (i == 0) *p = 7; out[i] = *p; }
kernel void volatile_own(volatile global int *p, global int *out) { int i = get_global_id(0); p[i] = 7; out[i] = p[i]; }

//! wrong fence_only 8/8 buffer:i32:8=zeros buffer:i32:8 -> data-race
//! right fence_and_barrier 8/8 buffer:i32:8=zeros buffer:i32:8
kernel void fence_only(volatile global int *p, global int *out) { int i = get_global_id(0); p[i] = i; mem_fence(CLK_GLOBAL_MEM_FENCE); out[i] = p[7 - i]; }
kernel void fence_and_barrier(volatile global int *p, global int *out) { int i = get_global_id(0); p[i] = i; barrier(CLK_GLOBAL_MEM_FENCE); out[i] = p[7 - i]; }

//! wrong vector_lane_write 4/4 buffer:i32:4=zeros -> data-race
//! right vector_own 4/4 buffer:i32:16=zeros
kernel void vector_lane_write(global int4 *p) { int i = get_global_id(0); *p = (int4)(i); }
kernel void vector_own(global int4 *p) { int i = get_global_id(0); p[i] = (int4)(i); }

//! wrong vstore_overlap 8/8 buffer:i32:12=zeros -> data-race
//! right vstore_apart 8/8 buffer:i32:32=zeros
kernel void vstore_overlap(global int *p) { int i = get_global_id(0); vstore4((int4)(i), 0, p + i); }
kernel void vstore_apart(global int *p) { int i = get_global_id(0); vstore4((int4)(i), i, p); }

//! wrong half_neighbours 8/8 buffer:f16:8=zeros -> data-race
//! right half_own 8/8 buffer:f16:8=zeros
kernel void half_neighbours(global half *p) { int i = get_global_id(0); vstore_half((float)i, (i + 1) / 2, p); }
kernel void half_own(global half *p) { int i = get_global_id(0); vstore_half((float)i, i, p); }

//! wrong double_halves 4/4 buffer:f64:4=zeros -> data-race
//! right double_own 4/4 buffer:f64:4=zeros
kernel void double_halves(global double *p) { int i = get_global_id(0); p[i] = 1; ((global float *)p)[(2 * i + 2) % 8] = 3; }
kernel void double_own(global double *p) { int i = get_global_id(0); p[i] = 1; ((global float *)p)[2 * i] = 3; }

//! wrong long_atomic_and_plain 8/4 buffer:i64:1=zeros buffer:i64:8 -> data-race
//! right long_atomic_only 8/4 buffer:i64:1=zeros buffer:i64:8
kernel void long_atomic_and_plain(global long *p, global long *out) { int i = get_global_id(0); atom_add(p, 1L); if (i == 7) out[i] = *p; }
kernel void long_atomic_only(global long *p, global long *out) { int i = get_global_id(0); out[i] = atom_add(p, 1L); }

//! wrong long_plain_write 8/8 buffer:i64:1=zeros -> data-race
//! right long_plain_write_ordered 8/8 buffer:i64:1=zeros
kernel void long_plain_write(global long *p) { if (get_global_id(0) == 3) *p = 5; atom_inc(p); }
kernel void long_plain_write_ordered(global long *p) { if (get_global_id(0) == 3) *p = 5; barrier(CLK_GLOBAL_MEM_FENCE); atom_inc(p); }

//! wrong program_scope_counter 8/4 buffer:i32:8 -> data-race
//! right program_scope_atomic 8/4 buffer:i32:8
global int counter;
global atomic_int a_counter = 0;
kernel void program_scope_counter(global int *out) { int i = get_global_id(0); counter = counter + 1; out[i] = i; }
kernel void program_scope_atomic(global int *out) { int i = get_global_id(0); out[i] = atomic_fetch_add(&a_counter, 1); }

//! wrong two_d_wrap 4,4/4,4 buffer:i32:16=iota -> data-race
//! right two_d_own 4,4/4,4 buffer:i32:16=iota
kernel void two_d_wrap(global int *p) { int x = get_global_id(0), y = get_global_id(1); p[4 * y + x] += p[4 * y + (x ^ 1)]; }
kernel void two_d_own(global int *p) { int x = get_global_id(0), y = get_global_id(1); p[4 * y + x] += 4 * y + (x ^ 1); }

//! wrong three_d_ignored 4,2,2/2,2,1 buffer:i32:8 -> data-race
//! right three_d_used 4,2,2/2,2,1 buffer:i32:16
kernel void three_d_ignored(global int *p) { p[get_global_id(1) * 4 + get_global_id(0)] = get_global_id(2); }
kernel void three_d_used(global int *p) { p[(get_global_id(2) * 2 + get_global_id(1)) * 4 + get_global_id(0)] = get_global_id(2); }

//! wrong pointer_alias 8/8 buffer:i32:16=iota -> data-race
//! right pointer_no_alias 8/8 buffer:i32:16=iota
__attribute__((noinline)) void add_to(global int *to, global const int *from) { *to += *from; }
kernel void pointer_alias(global int *p) { int i = get_global_id(0); add_to(p + i, p + i + 1); }
kernel void pointer_no_alias(global int *p) { int i = get_global_id(0); add_to(p + 2 * i, p + 2 * i + 1); }

//! wrong local_by_function 8/8 buffer:i32:8 -> data-race
//! right local_by_function_barrier 8/8 buffer:i32:8
__attribute__((noinline)) void put(local int *t, int i) { t[i] = 3 * i; }
__attribute__((noinline)) int get(local int *t, int i) { return t[i]; }
kernel void local_by_function(global int *out) { local int t[8]; int i = get_local_id(0); put(t, i); out[i] = get(t, 7 - i); }
kernel void local_by_function_barrier(global int *out) { local int t[8]; int i = get_local_id(0); put(t, i); barrier(CLK_LOCAL_MEM_FENCE); out[i] = get(t, 7 - i); }

//! wrong double_buffer 8/8 buffer:i32:8 4 -> data-race
//! right double_buffer_swapped 8/8 buffer:i32:8 4
kernel void double_buffer(global int *out, int n)
{
    local int t[2][8];
    int i = get_local_id(0), cur = 0;
    t[0][i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        t[1][i] = t[0][(i + 1) % 8];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[0][i] = t[1][(i + 3) % 8];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[0][i];
}
kernel void double_buffer_swapped(global int *out, int n)
{
    local int t[2][8];
    int i = get_local_id(0), cur = 0;
    t[0][i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        t[1 - cur][i] = t[cur][(i + 1) % 8];
        barrier(CLK_LOCAL_MEM_FENCE);
        cur = 1 - cur;
    }
    out[i] = t[cur][i];
}

//! wrong local_across_warps 64/64 buffer:i32:64 -> data-race
//! right local_across_warps_barrier 64/64 buffer:i32:64
kernel void local_across_warps(global int *out) { local int t[64]; int i = get_local_id(0); t[i] = i; sub_group_barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[63 - i]; }
kernel void local_across_warps_barrier(global int *out) { local int t[64]; int i = get_local_id(0); t[i] = i; work_group_barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[63 - i]; }

//! wrong atomic_then_plain_write 8/4 buffer:i32:1=zeros -> data-race
//! right atomic_then_exchange 8/4 buffer:i32:1=zeros
kernel void atomic_then_plain_write(global int *p) { atomic_inc(p); if (get_global_id(0) == 7) *p = 0; }
kernel void atomic_then_exchange(global int *p) { atomic_inc(p); if (get_global_id(0) == 7) atomic_xchg(p, 0); }

//! wrong atomic_read_then_plain 4/4 buffer:i32:1=zeros buffer:i32:4 -> data-race
//! right cmpxchg_never_succeeds 4/4 buffer:i32:1=zeros buffer:i32:4
kernel void atomic_read_then_plain(global int *p, global int *out) { int i = get_global_id(0); out[i] = atomic_cmpxchg(p, 5, 6); if (i == 2) *p = 1; }
kernel void cmpxchg_never_succeeds(global int *p, global int *out) { int i = get_global_id(0); out[i] = atomic_cmpxchg(p, 5, 6) + *p; }

//! wrong cmpxchg_succeeds 4/4 buffer:i32:1=zeros buffer:i32:4 -> data-race
//! right cmpxchg_then_barrier 4/4 buffer:i32:1=zeros buffer:i32:4
kernel void cmpxchg_succeeds(global int *p, global int *out) { int i = get_global_id(0); atomic_cmpxchg(p, 0, 6); out[i] = *p; }
kernel void cmpxchg_then_barrier(global int *p, global int *out) { int i = get_global_id(0); atomic_cmpxchg(p, 0, 6); barrier(CLK_GLOBAL_MEM_FENCE); out[i] = *p; }

//! wrong plain_before_atomic_of_group 8/4 buffer:i32:1=zeros -> data-race
//! right plain_before_atomic_one_group 4/4 buffer:i32:1=zeros
kernel void plain_before_atomic_of_group(global int *p) { if (get_global_id(0) == 0) *p = 1; barrier(CLK_GLOBAL_MEM_FENCE); atomic_inc(p); }
kernel void plain_before_atomic_one_group(global int *p) { if (get_global_id(0) == 0) *p = 1; barrier(CLK_GLOBAL_MEM_FENCE); atomic_inc(p); }

//! wrong own_plain_hidden_by_own_atomic 8/4 buffer:i32:1=zeros -> data-race
//! right own_atomic_only 8/4 buffer:i32:1=zeros
kernel void own_plain_hidden_by_own_atomic(global int *p) { if (get_local_id(0) == 0) { if (get_group_id(0) == 0) *p = 4; barrier_free: atomic_inc(p); } }
kernel void own_atomic_only(global int *p) { if (get_local_id(0) == 0) { if (get_group_id(0) == 0) atomic_xchg(p, 4); atomic_inc(p); } }

//! wrong read_hidden_by_own_write 8/4 buffer:i32:8=iota buffer:i32:8 -> data-race
//! right read_of_own 8/4 buffer:i32:8=iota buffer:i32:8
kernel void read_hidden_by_own_write(global int *p, global int *out) { int i = get_global_id(0); out[i] = p[i] + (i == 5 ? p[2] : 0); p[i] = i; }
kernel void read_of_own(global int *p, global int *out) { int i = get_global_id(0); out[i] = p[i]; p[i] = i; }

//! wrong group_reads_own_then_next 8/4 buffer:i32:8=iota -> data-race
//! right group_reads_own 8/4 buffer:i32:8=iota
kernel void group_reads_own_then_next(global int *p)
{
    int i = get_global_id(0), v = p[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        v += p[(i + 4) % 8];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = v;
}
kernel void group_reads_own(global int *p)
{
    int i = get_global_id(0), v = p[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        v += p[i + 3];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = v;
}

//! wrong bit_fields 8/8 buffer:i32:8=zeros -> data-race
//! right bit_fields_apart 8/8 buffer:i32:8=zeros
struct bits { uint low : 4; uint high : 28; };
kernel void bit_fields(global struct bits *b) { int i = get_global_id(0); if (i & 1) b[i / 2].low = 1; else b[i / 2].high = 2; }
kernel void bit_fields_apart(global struct bits *b) { int i = get_global_id(0); b[i].low = 1; b[i].high = 2; }

//! wrong reduction_last_step 8/8 buffer:i32:8=iota buffer:i32:1 -> data-race
//! right reduction_all_steps 8/8 buffer:i32:8=iota buffer:i32:1
kernel void reduction_last_step(global const int *in, global int *out)
{
    local int t[8];
    int i = get_local_id(0);
    t[i] = in[i];
    for (int s = 4; s > 0; s >>= 1) {
        if (s > 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        if (i < s)
            t[i] += t[i + s];
    }
    if (i == 0)
        *out = t[0];
}
kernel void reduction_all_steps(global const int *in, global int *out)
{
    local int t[8];
    int i = get_local_id(0);
    t[i] = in[i];
    for (int s = 4; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < s)
            t[i] += t[i + s];
    }
    if (i == 0)
        *out = t[0];
}

//! wrong last_reader_of_local 8/8 buffer:i32:16 -> data-race
//! right last_reader_waits 8/8 buffer:i32:16
kernel void last_reader_of_local(global int *out)
{
    local int t;
    int i = get_local_id(0);
    for (int k = 0; k < 2; k++) {
        if (i == k)
            t = k + 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[8 * k + i] = t;
    }
}
kernel void last_reader_waits(global int *out)
{
    local int t;
    int i = get_local_id(0);
    for (int k = 0; k < 2; k++) {
        if (i == k)
            t = k + 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[8 * k + i] = t;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

//! wrong image_barrier_only 8/8 buffer:i32:8 -> data-race
//! right both_fences 8/8 buffer:i32:8
kernel void image_barrier_only(global int *out) { local int t[8]; int i = get_local_id(0); t[i] = i; barrier(CLK_IMAGE_MEM_FENCE); out[i] = t[7 - i]; }
kernel void both_fences(global int *out) { local int t[8]; int i = get_local_id(0); t[i] = i; barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); out[i] = t[7 - i]; }

//! wrong offset_groups 8/4+4 buffer:i32:16=iota -> data-race
//! right offset_groups_apart 8/4+4 buffer:i32:16=iota
kernel void offset_groups(global int *p) { int i = get_global_id(0); p[i] = p[i ^ 4 ^ 12]; p[i ^ 12] = 1; }
kernel void offset_groups_apart(global int *p) { int i = get_global_id(0); p[i] = i; }

//! wrong stat_members 8/4 buffer:i32:4=zeros -> data-race
//! right stat_atomics 8/4 buffer:i32:4=zeros
kernel void stat_members(global stat *s) { atom_add(&s->total, 1L); s->count++; }
kernel void stat_atomics(global stat *s) { atom_add(&s->total, 1L); atomic_inc(&s->count); }

//! wrong float_cas_then_read 8/8 buffer:i32:1=zeros buffer:f32:8 -> data-race
//! right float_cas_barrier 8/8 buffer:i32:1=zeros buffer:f32:8
void add_float(volatile global int *p, float v) { int o = *(volatile global int *)p, e; do { e = o; o = atomic_cmpxchg(p, e, as_int(as_float(e) + v)); } while (o != e); }
void add_float2(volatile global int *p, float v) { int o = atomic_or(p, 0), e; do { e = o; o = atomic_cmpxchg(p, e, as_int(as_float(e) + v)); } while (o != e); }
kernel void float_cas_then_read(volatile global int *p, global float *out) { int i = get_local_id(0); add_float2(p, i); out[i] = as_float(*p); }
kernel void float_cas_barrier(volatile global int *p, global float *out) { int i = get_local_id(0); add_float2(p, i); barrier(CLK_GLOBAL_MEM_FENCE); out[i] = as_float(*p); }

//! wrong async_in_and_out 8/8 buffer:i32:8=iota local:32 -> data-race
//! right async_in_then_out 8/8 buffer:i32:8=iota local:32
kernel void async_in_and_out(global int *p, local int *t)
{
    event_t e = async_work_group_copy(t, p, 8, 0);
    event_t f = async_work_group_copy(p, t, 8, 0);
    wait_group_events(1, &e);
    wait_group_events(1, &f);
}
kernel void async_in_then_out(global int *p, local int *t)
{
    event_t e = async_work_group_copy(t, p, 8, 0);
    wait_group_events(1, &e);
    event_t f = async_work_group_copy(p, t, 8, 0);
    wait_group_events(1, &f);
}

//! wrong async_between_groups 8/4 buffer:i32:8=iota local:16 -> data-race
//! right async_of_own_group 8/4 buffer:i32:8=iota local:16
kernel void async_between_groups(global int *p, local int *t)
{
    event_t e = async_work_group_copy(t, p, 4, 0);
    wait_group_events(1, &e);
    p[get_global_id(0)] = t[get_local_id(0)];
}
kernel void async_of_own_group(global int *p, local int *t)
{
    event_t e = async_work_group_copy(t, p + 4 * get_group_id(0), 4, 0);
    wait_group_events(1, &e);
    p[get_global_id(0)] = t[get_local_id(0)];
}
