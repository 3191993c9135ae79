//! options -cl-std=CL3.0
// Values that nobody wrote, where only a part of a value decides: bits, components, members, lanes; and through functions
// that look at all of them.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

//! wrong bit_not_set 4 buffer:i32:4 -> uninitialised-branch|uninitialised-store
//! right bit_set 4 buffer:i32:4
kernel void bit_not_set(global int *out)
{
    int flags;
    flags |= 1;
    out[get_global_id(0)] = 0;
    if (flags & 2)
        out[get_global_id(0)] = 1;
}
kernel void bit_set(global int *out)
{
    int flags;
    flags |= 1;
    out[get_global_id(0)] = 0;
    if (flags & 1)
        out[get_global_id(0)] = 1;
}

//! wrong shuffled_component 4 buffer:i32:16 -> uninitialised-store
//! right shuffled_around_component 4 buffer:i32:16
kernel void shuffled_component(global int4 *out)
{
    int4 v;
    v.xyz = (int3)(1, 2, 3);
    out[get_global_id(0)] = shuffle(v, (uint4)(0, 1, 2, 3));
}
kernel void shuffled_around_component(global int4 *out)
{
    int4 v;
    v.xyz = (int3)(1, 2, 3);
    out[get_global_id(0)] = shuffle(v, (uint4)(0, 1, 2, 0));
}

//! wrong any_of_unset 4 buffer:i32:4=zeros -> uninitialised-branch|uninitialised-store
//! right any_of_set 4 buffer:i32:4=zeros
kernel void any_of_unset(global int *io)
{
    int4 v;
    v.xy = (int2)(io[get_global_id(0)]);
    io[get_global_id(0)] = any(v) ? 2 : 3;
}
kernel void any_of_set(global int *io)
{
    int4 v;
    v.xy = (int2)(io[get_global_id(0)]);
    io[get_global_id(0)] = any(v.xy) ? 2 : 3;
}

//! wrong all_of_unset 4 buffer:i32:4=-1 -> uninitialised-branch|uninitialised-store
//! right all_of_set 4 buffer:i32:4=-1
kernel void all_of_unset(global int *io)
{
    int3 v;
    v.yz = (int2)(io[get_global_id(0)]);
    if (all(v))
        io[get_global_id(0)] = 1;
}
kernel void all_of_set(global int *io)
{
    int3 v;
    v.yz = (int2)(io[get_global_id(0)]);
    if (all(v.zy))
        io[get_global_id(0)] = 1;
}

//! wrong select_by_unset 4 buffer:i32:4=iota -> uninitialised-branch|uninitialised-store
//! right select_unset_unused 4 buffer:i32:4=iota
kernel void select_by_unset(global int *io)
{
    int which;
    int i = get_global_id(0);
    if (io[i] > 1)
        which = -1;
    io[i] = select(10, 20, which);
}
kernel void select_unset_unused(global int *io)
{
    int other;
    int i = get_global_id(0);
    if (io[i] > 1)
        other = -1;
    io[i] = select(10, other, io[i] > 1 ? -1 : 0);
}

//! wrong bitselect_unset 4 buffer:i32:4=iota -> uninitialised-store
//! right bitselect_masked 4 buffer:i32:4=iota
kernel void bitselect_unset(global int *io)
{
    int other;
    io[get_global_id(0)] = bitselect(io[get_global_id(0)], other, 0xff00);
}
kernel void bitselect_masked(global int *io)
{
    int other;
    io[get_global_id(0)] = bitselect(io[get_global_id(0)], other, 0);
}

struct padded { uchar a; int b; uchar c; };
//! wrong member_through_copies 4 buffer:i32:12 -> uninitialised-store
//! right padding_through_copies 4 buffer:i32:12
kernel void member_through_copies(global struct padded *out)
{
    struct padded s, t;
    s.a = 1, s.c = 3;
    t = s;
    out[get_global_id(0)] = t;
}
kernel void padding_through_copies(global struct padded *out)
{
    struct padded s, t;
    s.a = 1, s.b = 2, s.c = 3;
    t = s;
    out[get_global_id(0)] = t;
}

//! wrong member_through_local 4/4 buffer:i32:12 -> uninitialised-store
//! right padding_through_local 4/4 buffer:i32:12
kernel void member_through_local(global struct padded *out)
{
    local struct padded s[4];
    int l = get_local_id(0);
    s[l].a = 1, s[l].b = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct padded t = s[3 - l];
    out[l].c = t.c;
}
kernel void padding_through_local(global struct padded *out)
{
    local struct padded s[4];
    int l = get_local_id(0);
    s[l].a = 1, s[l].b = 2, s[l].c = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct padded t = s[3 - l];
    out[l] = t;
}

//! wrong by_value_member 4 buffer:i32:4 -> uninitialised-store|uninitialised-branch
//! right by_value_other_member 4 buffer:i32:4
struct pair { int used, unused; };
__attribute__((noinline)) int used_of(struct pair p) { return p.used + 1; }
__attribute__((noinline)) int unused_of(struct pair p) { return p.unused + 1; }
kernel void by_value_member(global int *out)
{
    struct pair p;
    p.used = 4;
    out[get_global_id(0)] = unused_of(p);
}
kernel void by_value_other_member(global int *out)
{
    struct pair p;
    p.used = 4;
    out[get_global_id(0)] = used_of(p);
}

//! wrong union_wider 4 buffer:i32:4 -> uninitialised-store
//! right union_as_wide 4 buffer:i32:4
union view { uchar byte; short half_; int word; };
kernel void union_wider(global int *out)
{
    union view v;
    v.half_ = 5;
    out[get_global_id(0)] = v.word;
}
kernel void union_as_wide(global int *out)
{
    union view v;
    v.half_ = 5;
    out[get_global_id(0)] = v.half_ + v.byte;
}

//! wrong every_second 4 buffer:i32:4 -> uninitialised-store
//! right every_one 4 buffer:i32:4
kernel void every_second(global int *out)
{
    int a[16];
    for (int i = 0; i < 16; i += 2)
        a[i] = i;
    int s = 0;
    for (int i = 0; i < 16; i++)
        s += a[i];
    out[get_global_id(0)] = s;
}
kernel void every_one(global int *out)
{
    int a[16];
    for (int i = 0; i < 16; i += 2)
        a[i] = i, a[i + 1] = 0;
    int s = 0;
    for (int i = 0; i < 16; i++)
        s += a[i];
    out[get_global_id(0)] = s;
}

//! wrong first_difference 4 buffer:i32:4=iota -> uninitialised-store|uninitialised-branch
//! right rest_by_initialiser 4 buffer:i32:4=iota
kernel void first_difference(global int *io)
{
    int before, d = 0;
    for (int i = 0; i < 4; i++) {
        if (i >= 0)
            d += io[i] - before;
        before = io[i];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    io[get_global_id(0)] = d;
}
kernel void rest_by_initialiser(global int *io)
{
    int a[8] = {1, 2};
    int d = 0;
    for (int i = 0; i < 8; i++)
        d += a[i];
    io[get_global_id(0)] = d;
}

//! wrong fract_of_part 1 buffer:f32:8 -> uninitialised-store
//! right fract_of_whole 1 buffer:f32:8
kernel void fract_of_part(global float4 *out)
{
    float4 f;
    f.xyw = (float3)(1.5f);
    out[1] = fract(f, out);
}
kernel void fract_of_whole(global float4 *out)
{
    float4 f;
    f.xyw = (float3)(1.5f);
    f.z = 2.25f;
    out[1] = fract(f, out);
}

//! wrong converted 4 buffer:u8:16 -> uninitialised-store
//! right converted_set 4 buffer:u8:16
kernel void converted(global uchar4 *out) { float4 f; f.x = 1; out[get_global_id(0)] = convert_uchar4_sat(f); }
kernel void converted_set(global uchar4 *out) { float4 f = 1; f.x = 300; out[get_global_id(0)] = convert_uchar4_sat(f); }

//! wrong reinterpreted 4 buffer:i32:8 -> uninitialised-store
//! right reinterpreted_low 4 buffer:i32:8
kernel void reinterpreted(global int2 *out) { int2 v; v.x = 3; out[get_global_id(0)] = as_int2(as_long(v) + 1); }
kernel void reinterpreted_low(global int2 *out) { int2 v; v.x = 3; out[get_global_id(0)] = (int2)((int)as_long(v), 0); }

//! wrong double_half_set 2 buffer:f64:2 -> uninitialised-store
//! right double_set 2 buffer:f64:2
kernel void double_half_set(global double *out) { double d; *(int *)&d = 1; out[get_global_id(0)] = d * 2; }
kernel void double_set(global double *out) { double d; *(int *)&d = 1; ((int *)&d)[1] = 1 << 30; out[get_global_id(0)] = d * 2; }

//! wrong collective_of_some 32/32 buffer:i32:1 -> uninitialised-store
//! right collective_of_all 32/32 buffer:i32:1
kernel void collective_of_some(global int *out)
{
    int v, l = get_local_id(0);
    if (l < 31)
        v = 1;
    int sum = work_group_reduce_add(v);
    if (l == 0)
        *out = sum;
}
kernel void collective_of_all(global int *out)
{
    int v, l = get_local_id(0);
    if (l < 31)
        v = 1;
    int sum = work_group_reduce_add(l < 31 ? v : 0);
    if (l == 0)
        *out = sum;
}

//! wrong broadcast_from_unset 32/32 buffer:i32:32 -> uninitialised-store
//! right broadcast_from_set 32/32 buffer:i32:32
kernel void broadcast_from_unset(global int *out)
{
    int v, l = get_local_id(0);
    if (l != 5)
        v = 1;
    out[l] = work_group_broadcast(v, 5);
}
kernel void broadcast_from_set(global int *out)
{
    int v, l = get_local_id(0);
    if (l == 5)
        v = 1;
    out[l] = work_group_broadcast(v, 5);
}

//! wrong sub_group_of_unset 32/32 buffer:i32:32 -> uninitialised-store
//! right sub_group_of_set 32/32 buffer:i32:32
kernel void sub_group_of_unset(global int *out)
{
    int v, l = get_local_id(0);
    if (l > 0)
        v = 1;
    out[l] = sub_group_scan_inclusive_add(v);
}
kernel void sub_group_of_set(global int *out)
{
    int v = 0, l = get_local_id(0);
    if (l > 0)
        v = 1;
    out[l] = sub_group_scan_inclusive_add(v);
}

//! wrong local_of_missing_items 12/8 buffer:i32:12=iota buffer:i32:2 -> uninitialised-store
//! right local_of_present_items 12/8 buffer:i32:12=iota buffer:i32:2
kernel void local_of_missing_items(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += s[i];
    if (l == 0)
        out[get_group_id(0)] = sum;
}
kernel void local_of_present_items(global const int *in, global int *out)
{
    local int s[8];
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < get_local_size(0); i++)
        sum += s[i];
    if (l == 0)
        out[get_group_id(0)] = sum;
}

//! wrong local_counter_not_cleared 8/8 buffer:i32:8=iota buffer:i32:1 -> uninitialised-store|uninitialised-branch
//! right local_counter_cleared 8/8 buffer:i32:8=iota buffer:i32:1
kernel void local_counter_not_cleared(global const int *in, global int *out)
{
    local int n;
    if (in[get_local_id(0)] > 3)
        atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    *out = n;
}
kernel void local_counter_cleared(global const int *in, global int *out)
{
    local int n;
    if (get_local_id(0) == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[get_local_id(0)] > 3)
        atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = n;
}

//! wrong strided_copy_gaps 4/4 buffer:i32:16=iota buffer:i32:16 -> uninitialised-store
//! right strided_copy_dense 4/4 buffer:i32:16=iota buffer:i32:16
kernel void strided_copy_gaps(global const int *in, global int *out)
{
    local int s[16];
    event_t e = async_work_group_copy(s, in, 8, 0);
    wait_group_events(1, &e);
    for (int i = get_local_id(0); i < 16; i += 4)
        out[i] = s[i];
}
kernel void strided_copy_dense(global const int *in, global int *out)
{
    local int s[4];
    event_t e = async_work_group_strided_copy(s, in, 4, 4, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = s[get_local_id(0)];
}

//! wrong out_by_pointer_sometimes 8 buffer:i32:8=iota -> uninitialised-store
//! right out_by_pointer_always 8 buffer:i32:8=iota
__attribute__((noinline)) bool parsed(int v, int *value)
{
    if (v > 3)
        *value = v * 2;
    return v > 3;
}
kernel void out_by_pointer_sometimes(global int *io) { int v, i = get_global_id(0); parsed(io[i], &v); io[i] = v; }
kernel void out_by_pointer_always(global int *io) { int v, i = get_global_id(0); io[i] = parsed(io[i], &v) ? v : -1; }

//! wrong pointer_to_choose 4 buffer:i32:4=iota buffer:i32:4 -> uninitialised-address|null-pointer|out-of-bounds
//! right pointer_chosen 4 buffer:i32:4=iota buffer:i32:4
kernel void pointer_to_choose(global int *a, global int *b)
{
    global int *p;
    int i = get_global_id(0);
    if (i > 1)
        p = a;
    b[i] = p[i];
}
kernel void pointer_chosen(global int *a, global int *b)
{
    global int *p;
    int i = get_global_id(0);
    if (i > 1)
        p = a;
    b[i] = i > 1 ? p[i] : 0;
}

//! wrong loop_to_unset 4 buffer:i32:4=zeros -> uninitialised-branch
//! right loop_to_set 4 buffer:i32:4=zeros
kernel void loop_to_unset(global int *io)
{
    int n[2];
    n[0] = io[get_global_id(0)];
    for (int i = 0; i < (n[1] & 3); i++)
        io[get_global_id(0)]++;
}
kernel void loop_to_set(global int *io)
{
    int n[2];
    n[0] = io[get_global_id(0)];
    for (int i = 0; i < (n[0] & 3); i++)
        io[get_global_id(0)]++;
}

//! wrong known_forgotten 4 buffer:i32:4=iota -> uninitialised-branch|uninitialised-store
//! right short_circuit_guarded 4 buffer:i32:4=iota
kernel void known_forgotten(global int *io)
{
    int limit, i = get_global_id(0);
    bool known = io[i] < 2;
    if (known)
        limit = 5;
    if (limit > 3)
        io[i] = 7;
}
kernel void short_circuit_guarded(global int *io)
{
    int limit, i = get_global_id(0);
    bool known = io[i] < 2;
    if (known)
        limit = 5;
    if (known && limit > 3)
        io[i] = 7;
}

//! wrong half_unset 4 buffer:f16:4 -> uninitialised-store
//! right half_set 4 buffer:f16:4
kernel void half_unset(global half *out) { half2 h; h.x = 1; out[get_global_id(0)] = h.x + h.y; }
kernel void half_set(global half *out) { half2 h; h.x = 1; out[get_global_id(0)] = h.x + h.x; }

//! wrong global_tail 8 buffer:i32:8 buffer:i32:8 -> uninitialised-store
//! right global_head 8 buffer:i32:8 buffer:i32:8
kernel void global_tail(global int *p, global int *out)
{
    int i = get_global_id(0);
    if (i < 6)
        p[i] = i;
    out[i] = p[i];
}
kernel void global_head(global int *p, global int *out)
{
    int i = get_global_id(0);
    if (i < 6)
        p[i] = i;
    if (i < 6)
        out[i] = p[i];
}

//! wrong compared_floats 4 buffer:i32:4 -> uninitialised-store|uninitialised-branch
//! right compared_set_floats 4 buffer:i32:4
kernel void compared_floats(global int *out) { float4 v; v.x = 1; out[get_global_id(0)] = any(isequal(v, v + 1)); }
kernel void compared_set_floats(global int *out) { float4 v; v.x = 1; out[get_global_id(0)] = isequal(v.x, v.x + 1); }

//! wrong matrix_row_not_set 4,4 buffer:f32:16 -> uninitialised-store
//! right matrix_rows_set 4,4 buffer:f32:16
kernel void matrix_row_not_set(global float *out)
{
    float m[4][4];
    int x = get_global_id(0), y = get_global_id(1);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            m[r][c] = r * c;
    out[4 * y + x] = m[y][x];
}
kernel void matrix_rows_set(global float *out)
{
    float m[4][4];
    int x = get_global_id(0), y = get_global_id(1);
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            m[r][c] = r * c;
    out[4 * y + x] = m[y][x];
}
