// Values that nobody wrote: in structures, vectors, arrays, local memory, through calls and loops.

struct record { char kind; int value; short extra; long wide; };
struct nested { struct record r[2]; float4 v; };
struct small { uchar a; ushort b; };

//! wrong member_never_set 4/4 buffer:i32:4 -> uninitialised-store
//! right member_set 4/4 buffer:i32:4
kernel void member_never_set(global int *out) { struct record r; r.kind = 1; r.wide = 2; out[get_global_id(0)] = r.value; }
kernel void member_set(global int *out) { struct record r; r.kind = 1; r.value = 2; out[get_global_id(0)] = r.value; }

//! wrong nested_member 4/4 buffer:i64:4 -> uninitialised-store
//! right nested_member_set 4/4 buffer:i64:4
kernel void nested_member(global long *out)
{
    struct nested n;
    int i = get_global_id(0);
    n.r[0].wide = i;
    n.v = (float4)(1);
    out[i] = n.r[i & 1].wide;
}
kernel void nested_member_set(global long *out)
{
    struct nested n;
    int i = get_global_id(0);
    n.r[0].wide = n.r[1].wide = i;
    n.v = (float4)(1);
    out[i] = n.r[i & 1].wide;
}

//! right struct_with_padding 4/4 buffer:u8:96
//! right nested_with_padding 2/2 buffer:u8:256
//! right struct_passed_by_value 4/4 buffer:u8:96
struct record made(int i) { struct record r; r.kind = i; r.value = i; r.extra = i; r.wide = i; return r; }
kernel void struct_with_padding(global struct record *out) { out[get_global_id(0)] = made(get_global_id(0)); }
kernel void nested_with_padding(global struct nested *out)
{
    int i = get_global_id(0);
    struct nested n;
    n.r[0] = made(i);
    n.r[1] = made(i + 1);
    n.v = (float4)(i);
    out[i] = n;
}
void give(global struct record *out, struct record r) { *out = r; }
kernel void struct_passed_by_value(global struct record *out) { give(out + get_global_id(0), made(3)); }

//! right three_elements 4/4 buffer:i32:16
//! right three_elements_shuffled 4/4 buffer:i32:16
//! right three_of_private 4/4 buffer:f32:16
kernel void three_elements(global int3 *out) { int i = get_global_id(0); out[i] = (int3)(i, i + 1, i + 2); }
kernel void three_elements_shuffled(global int4 *out) { int i = get_global_id(0); int3 v = (int3)(i, 1, 2); out[i] = v.zyxx; }
kernel void three_of_private(global float3 *out)
{
    float3 a[2];
    int i = get_global_id(0);
    a[0] = (float3)(1, 2, 3);
    a[1] = a[0] * 2;
    out[i] = a[i & 1];
}

//! wrong lane_of_vector 4/4 buffer:i32:4 -> uninitialised-store
//! right lanes_of_vector 4/4 buffer:i32:4
kernel void lane_of_vector(global int *out) { int4 v; int i = get_global_id(0); v.s0 = i; v.s2 = i; out[i] = v.s0 + v.s3; }
kernel void lanes_of_vector(global int *out) { int4 v; int i = get_global_id(0); v.s0 = i; v.s2 = i; out[i] = v.s0 + v.s2; }

//! wrong wide_vector 2/2 buffer:i32:32 -> uninitialised-store
//! right wide_vector_set 2/2 buffer:i32:32
kernel void wide_vector(global int16 *out) { int16 v; v.lo = (int8)(1); v.hi.lo = (int4)(2); v.sf = 3; out[get_global_id(0)] = v; }
kernel void wide_vector_set(global int16 *out) { int16 v; v.lo = (int8)(1); v.hi = (int8)(2); out[get_global_id(0)] = v; }

//! wrong array_tail 4/4 buffer:i32:4 3 -> uninitialised-store
//! right array_whole 4/4 buffer:i32:4 4
kernel void array_tail(global int *out, int n)
{
    int a[4], s = 0;
    for (int k = 0; k < n; k++)
        a[k] = k;
    for (int k = 0; k < 4; k++)
        s += a[k];
    out[get_global_id(0)] = s;
}
kernel void array_whole(global int *out, int n)
{
    int a[4], s = 0;
    for (int k = 0; k < n; k++)
        a[k] = k;
    for (int k = 0; k < 4; k++)
        s += a[k];
    out[get_global_id(0)] = s;
}

//! wrong previous_iteration 4/4 buffer:i32:4 -> uninitialised-store
//! right previous_iteration_set 4/4 buffer:i32:4
kernel void previous_iteration(global int *out)
{
    int last, s = 0;
    for (int k = 0; k < 3; k++) {
        s += last;
        last = k;
    }
    out[get_global_id(0)] = s;
}
kernel void previous_iteration_set(global int *out)
{
    int last = 0, s = 0;
    for (int k = 0; k < 3; k++) {
        s += last;
        last = k;
    }
    out[get_global_id(0)] = s;
}

//! wrong sum_from_nothing 4/4 buffer:f32:16=ones buffer:f32:4 -> uninitialised-store
//! right sum_from_zero 4/4 buffer:f32:16=ones buffer:f32:4
kernel void sum_from_nothing(global const float *in, global float *out)
{
    float s;
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        s += in[4 * i + k];
    out[i] = s;
}
kernel void sum_from_zero(global const float *in, global float *out)
{
    float s = 0;
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        s += in[4 * i + k];
    out[i] = s;
}

//! wrong switch_without_default 8/8 buffer:i32:8 -> uninitialised-store
//! right switch_with_default 8/8 buffer:i32:8
kernel void switch_without_default(global int *out)
{
    int v, i = get_global_id(0);
    switch (i) {
    case 0: v = 10; break;
    case 1: v = 20; break;
    case 5: v = 30; break;
    }
    out[i] = v;
}
kernel void switch_with_default(global int *out)
{
    int v, i = get_global_id(0);
    switch (i) {
    case 0: v = 10; break;
    case 1: v = 20; break;
    default: v = 30; break;
    }
    out[i] = v;
}

//! wrong condition_of_while 4/4 buffer:i32:4 -> uninitialised-branch|uninitialised-store
//! right condition_of_while_set 4/4 buffer:i32:4
kernel void condition_of_while(global int *out)
{
    int n, s = 0;
    while (n < 4 && s < 9) {
        s += 2;
        n++;
    }
    out[get_global_id(0)] = s;
}
kernel void condition_of_while_set(global int *out)
{
    int n = 0, s = 0;
    while (n < 4 && s < 9) {
        s += 2;
        n++;
    }
    out[get_global_id(0)] = s;
}

//! wrong float_condition 4/4 buffer:f32:4 buffer:i32:4 -> uninitialised-branch|uninitialised-store
//! right float_condition_set 4/4 buffer:f32:4=ones buffer:i32:4
kernel void float_condition(global const float *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] > 0.5f)
        out[i] = 1;
    else
        out[3 - i] = 2;
}
kernel void float_condition_set(global const float *in, global int *out)
{
    int i = get_global_id(0);
    if (in[i] > 0.5f)
        out[i] = 1;
    else
        out[3 - i] = 2;
}

//! wrong index_of_buffer 4/4 buffer:i32:4 buffer:i32:4=iota buffer:i32:4 -> uninitialised-address
//! right index_of_buffer_set 4/4 buffer:i32:4=ones buffer:i32:4=iota buffer:i32:4
kernel void index_of_buffer(global const int *at, global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[at[i] & 3]; }
kernel void index_of_buffer_set(global const int *at, global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[at[i] & 3]; }

//! wrong local_row 8/8 buffer:i32:8 -> uninitialised-store
//! right local_row_set 8/8 buffer:i32:8
kernel void local_row(global int *out)
{
    local int t[2][8];
    int i = get_local_id(0);
    t[0][i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[0][7 - i] + t[1][i];
}
kernel void local_row_set(global int *out)
{
    local int t[2][8];
    int i = get_local_id(0);
    t[0][i] = t[1][i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[0][7 - i] + t[1][i];
}

//! wrong local_sum_atomic 8/8 buffer:i32:1 -> uninitialised-store
//! right local_sum_atomic_set 8/8 buffer:i32:1
kernel void local_sum_atomic(global int *out)
{
    local int s;
    atomic_add(&s, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = s;
}
kernel void local_sum_atomic_set(global int *out)
{
    local int s;
    if (get_local_id(0) == 0)
        s = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&s, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = s;
}

//! wrong copied_from_nothing 8/8 buffer:i32:8 buffer:i32:8 local:32 -> uninitialised-store
//! right copied_from_something 8/8 buffer:i32:8=iota buffer:i32:8 local:32
kernel void copied_from_nothing(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[i] + 1;
}
kernel void copied_from_something(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(t, in, 8, 0);
    wait_group_events(1, &e);
    out[i] = t[i] + 1;
}

//! wrong out_parameter 4/4 buffer:i32:4=iota -> uninitialised-store
//! right out_parameter_set 4/4 buffer:i32:4=iota
int divide(int a, int b, int *rest) { if (!b) return 0; *rest = a % b; return a / b; }
kernel void out_parameter(global int *p) { int rest, i = get_global_id(0); divide(17, p[i], &rest); p[i] = rest; }
kernel void out_parameter_set(global int *p) { int rest = 0, i = get_global_id(0); divide(17, p[i], &rest); p[i] = rest; }

//! wrong short_member 4/4 buffer:i16:4 -> uninitialised-store
//! right short_member_set 4/4 buffer:i16:4
kernel void short_member(global ushort *out) { struct small s; int i = get_global_id(0); s.a = i; out[i] = s.b; }
kernel void short_member_set(global ushort *out) { struct small s; int i = get_global_id(0); s.b = i; out[i] = s.b; }

//! wrong small_array 8/8 buffer:u8:8 -> uninitialised-store
//! right small_array_set 8/8 buffer:u8:8
kernel void small_array(global uchar *out) { uchar a[8]; int i = get_global_id(0); for (int k = 0; k < 8; k += 2) a[k] = k; out[i] = a[i]; }
kernel void small_array_set(global uchar *out) { uchar a[8]; int i = get_global_id(0); for (int k = 0; k < 8; k += 1) a[k] = k; out[i] = a[i]; }

//! wrong minimum_of_nothing 4/4 buffer:i32:4 buffer:i32:1=99 -> uninitialised-store
//! right minimum_of_something 4/4 buffer:i32:4=iota buffer:i32:1=99
kernel void minimum_of_nothing(global const int *in, global int *out) { atomic_min(out, in[get_global_id(0)]); }
kernel void minimum_of_something(global const int *in, global int *out) { atomic_min(out, in[get_global_id(0)]); }

//! right chosen_part 4/4 buffer:i32:4
//! right shifted_out 4/4 buffer:i32:4
//! right unused_branch 4/4 buffer:i32:4 1
//! right double_of_words 2/2 buffer:f64:2
kernel void chosen_part(global int *out) { int2 v; int i = get_global_id(0); v.y = i; out[i] = v.y; }
kernel void shifted_out(global uint *out) { uint x, i = get_global_id(0); out[i] = (x << 16 << 16) | i; }
kernel void unused_branch(global int *out, int n)
{
    int x, i = get_global_id(0);
    if (n)
        x = i;
    if (n)
        out[i] = x;
}
kernel void double_of_words(global double *out) { double d[2]; int i = get_global_id(0); d[i] = i; out[i] = d[i]; }
