//! options -cl-std=CL3.0
// Values that nobody wrote: parts of structures, unions, vectors, bit-fields, halves, doubles, through calls and copies.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

struct padded { uchar a; int b; };
struct nest { struct padded p; short q; long r; };
struct __attribute__((packed)) tight { uchar a; int b; };
union either { int i; float f; uchar c[4]; };
struct field { uint a : 3; uint b : 9; uint c : 20; };

//! wrong padded_half 4/4 buffer:i32:8 -> uninitialised-store
//! right padded_whole 4/4 buffer:i32:8
kernel void padded_half(global struct padded *out) { struct padded s; s.a = 1; out[get_global_id(0)] = s; }
kernel void padded_whole(global struct padded *out) { struct padded s; s.a = 1; s.b = 2; out[get_global_id(0)] = s; }

//! wrong nest_half 4/4 buffer:i64:12 -> uninitialised-store
//! right nest_whole 4/4 buffer:i64:12
kernel void nest_half(global struct nest *out) { struct nest s; s.p.a = 1; s.q = 2; s.r = 3; out[get_global_id(0)] = s; }
kernel void nest_whole(global struct nest *out) { struct nest s; s.p.a = 1; s.p.b = 5; s.q = 2; s.r = 3; out[get_global_id(0)] = s; }

//! wrong tight_half 4/4 buffer:u8:20 -> uninitialised-store
//! right tight_whole 4/4 buffer:u8:20
kernel void tight_half(global struct tight *out) { struct tight s; s.b = 1; out[get_global_id(0)] = s; }
kernel void tight_whole(global struct tight *out) { struct tight s; s.b = 1; s.a = 0; out[get_global_id(0)] = s; }

//! wrong array_of_structs 4/4 buffer:i32:4 -> uninitialised-store
//! right array_of_structs_set 4/4 buffer:i32:4
kernel void array_of_structs(global int *out)
{
    struct padded s[3];
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        s[k].a = k;
    s[i % 2].b = 5;
    out[i] = s[2 - i % 2].b;
}
kernel void array_of_structs_set(global int *out)
{
    struct padded s[3];
    int i = get_global_id(0);
    for (int k = 0; k < 3; k++)
        s[k].a = k, s[k].b = 4;
    s[i % 2].b = 5;
    out[i] = s[2 - i % 2].b;
}

//! wrong union_part 4/4 buffer:i32:4 -> uninitialised-store
//! right union_all 4/4 buffer:i32:4
kernel void union_part(global int *out) { union either u; u.c[0] = 1; u.c[1] = 2; out[get_global_id(0)] = u.i; }
kernel void union_all(global int *out) { union either u; u.c[0] = 1; u.c[1] = 2; u.c[2] = u.c[3] = 0; out[get_global_id(0)] = u.i; }

//! wrong bit_field_part 4/4 buffer:i32:4 -> uninitialised-store
//! right bit_field_read 4/4 buffer:i32:4
kernel void bit_field_part(global int *out) { struct field f; f.a = 1; f.c = 3; out[get_global_id(0)] = f.a + f.b; }
kernel void bit_field_read(global int *out) { struct field f; f.a = 1; f.c = 3; out[get_global_id(0)] = f.a + f.c; }

//! wrong double_variable 4/4 buffer:f64:4=iota buffer:f64:4 -> uninitialised-store
//! right double_set 4/4 buffer:f64:4=iota buffer:f64:4
kernel void double_variable(global const double *in, global double *out) { double s; int i = get_global_id(0); for (int k = 0; k < 4; k++) s += in[k]; out[i] = s; }
kernel void double_set(global const double *in, global double *out) { double s = 0; int i = get_global_id(0); for (int k = 0; k < 4; k++) s += in[k]; out[i] = s; }

//! wrong half_buffer 4/4 buffer:f16:4 buffer:f32:4 -> uninitialised-store
//! right half_buffer_set 4/4 buffer:f16:4=ones buffer:f32:4
kernel void half_buffer(global const half *in, global float *out) { int i = get_global_id(0); out[i] = vload_half(i, in) * 2; }
kernel void half_buffer_set(global const half *in, global float *out) { int i = get_global_id(0); out[i] = vload_half(i, in) * 2; }

//! wrong swizzle 4/4 buffer:f32:16 -> uninitialised-store
//! right swizzle_set 4/4 buffer:f32:16
kernel void swizzle(global float4 *out) { float4 v; v.xz = (float2)(1, 2); v.y = 3; out[get_global_id(0)] = v.wzyx; }
kernel void swizzle_set(global float4 *out) { float4 v; v.xz = (float2)(1, 2); v.yw = (float2)(3, 4); out[get_global_id(0)] = v.wzyx; }

//! wrong three_of_vector 4/4 buffer:i32:4 -> uninitialised-store
//! right three_of_vector_used 4/4 buffer:i32:4
kernel void three_of_vector(global int *out) { int3 v; v.x = 1; v.y = 2; out[get_global_id(0)] = dot(convert_float3(v), (float3)(1, 1, 1)); }
kernel void three_of_vector_used(global int *out) { int3 v; v.x = 1; v.y = 2; v.z = 3; out[get_global_id(0)] = dot(convert_float3(v), (float3)(1, 1, 1)); }

//! wrong loop_of_function 4/4 buffer:i32:4 -> uninitialised-store|uninitialised-branch
//! right loop_of_function_set 4/4 buffer:i32:4
__attribute__((noinline)) void fill(int *p, int n) { for (int k = 1; k < n; k++) p[k] = k; }
kernel void loop_of_function(global int *out) { int a[4]; fill(a, 4); out[get_global_id(0)] = a[get_global_id(0)]; }
kernel void loop_of_function_set(global int *out) { int a[4]; fill(a, 4); a[0] = 0; out[get_global_id(0)] = a[get_global_id(0)]; }

//! wrong returned_nothing 4/4 buffer:i32:4=iota -> uninitialised-store
//! right returned_always 4/4 buffer:i32:4=iota
int maybe(int x) { int r; if (x > 1) r = x; return r; }
int always(int x) { int r = 0; if (x > 1) r = x; return r; }
kernel void returned_nothing(global int *p) { int i = get_global_id(0); p[i] = maybe(p[i]); }
kernel void returned_always(global int *p) { int i = get_global_id(0); p[i] = always(p[i]); }

//! wrong out_argument_unset 4/4 buffer:i32:4=iota -> uninitialised-store|uninitialised-branch
//! right out_argument_set 4/4 buffer:i32:4=iota
__attribute__((noinline)) bool find(int x, int *r) { if (x < 2) return false; *r = x; return true; }
kernel void out_argument_unset(global int *p) { int i = get_global_id(0), r; find(p[i], &r); p[i] = r; }
kernel void out_argument_set(global int *p) { int i = get_global_id(0), r; if (!find(p[i], &r)) r = 0; p[i] = r; }

//! wrong pointer_unset 4/4 buffer:i32:4=iota buffer:i32:4 -> uninitialised-address
//! right pointer_set 4/4 buffer:i32:4=iota buffer:i32:4
kernel void pointer_unset(global const int *in, global int *out) { global const int *p; int i = get_global_id(0); if (in[i] > 7) p = in; out[i] = *p; }
kernel void pointer_set(global const int *in, global int *out) { global const int *p = in + 1; int i = get_global_id(0); if (in[i] > 7) p = in; out[i] = *p; }

//! wrong local_pointer_array 8/8 buffer:i32:8 -> uninitialised-store
//! right local_pointer_array_set 8/8 buffer:i32:8
kernel void local_pointer_array(global int *out) { local int t[16]; int i = get_local_id(0); t[2 * i] = i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[i]; }
kernel void local_pointer_array_set(global int *out) { local int t[16]; int i = get_local_id(0); t[2 * i] = i; t[2 * i + 1] = -i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[i]; }

//! wrong local_struct_part 8/8 buffer:i32:8 -> uninitialised-store
//! right local_struct_all 8/8 buffer:i32:8
kernel void local_struct_part(global int *out) { local struct padded s[8]; int i = get_local_id(0); s[i].a = i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[7 - i].b; }
kernel void local_struct_all(global int *out) { local struct padded s[8]; int i = get_local_id(0); s[i].a = i; s[i].b = 2; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[7 - i].b; }

//! wrong async_from_unset 8/8 buffer:i32:8 -> uninitialised-store
//! right async_from_set 8/8 buffer:i32:8
kernel void async_from_unset(global int *out)
{
    local int t[8];
    if (get_local_id(0) < 7) t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}
kernel void async_from_set(global int *out)
{
    local int t[8];
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}

//! wrong async_of_unset_buffer 8/8 buffer:i32:8 buffer:i32:8 -> uninitialised-store
//! right async_of_set_buffer 8/8 buffer:i32:8=iota buffer:i32:8
kernel void async_of_unset_buffer(global const int *in, global int *out)
{
    local int t[8];
    event_t e = async_work_group_copy(t, in, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)] + 1;
}
kernel void async_of_set_buffer(global const int *in, global int *out)
{
    local int t[8];
    event_t e = async_work_group_copy(t, in, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)] + 1;
}

//! wrong ternary_on_unset 4/4 buffer:i32:4=iota -> uninitialised-branch|uninitialised-store
//! right ternary_on_set 4/4 buffer:i32:4=iota
kernel void ternary_on_unset(global int *p) { int c, i = get_global_id(0); if (p[i] == 9) c = 1; p[i] = c ? 3 : 4; }
kernel void ternary_on_set(global int *p) { int c = 0, i = get_global_id(0); if (p[i] == 9) c = 1; p[i] = c ? 3 : 4; }

//! wrong switch_on_unset 4/4 buffer:i32:4=iota -> uninitialised-branch|uninitialised-store
//! right switch_on_set 4/4 buffer:i32:4=iota
kernel void switch_on_unset(global int *p) { int c, i = get_global_id(0); if (p[i] == 9) c = 1; switch (c) { case 1: p[i] = 2; break; case 3: p[i] = 5; break; case 4: p[i] = 9; break; default: p[i] = -1; } }
kernel void switch_on_set(global int *p) { int c = 3, i = get_global_id(0); if (p[i] == 9) c = 1; switch (c) { case 1: p[i] = 2; break; case 3: p[i] = 5; break; case 4: p[i] = 9; break; default: p[i] = -1; } }

//! wrong select_of_unset 4/4 buffer:i32:4=iota -> uninitialised-store
//! right select_other 4/4 buffer:i32:4=iota
kernel void select_of_unset(global int *p) { int v, i = get_global_id(0); if (p[i] == 9) v = 1; p[i] = select(5, v, p[i] > 1); }
kernel void select_other(global int *p) { int v, i = get_global_id(0); if (p[i] == 9) v = 1; p[i] = select(5, v, p[i] > 8); }

//! wrong atomic_of_unset 4/4 buffer:i32:1=zeros -> uninitialised-store
//! right atomic_of_set 4/4 buffer:i32:1=zeros
kernel void atomic_of_unset(global int *p) { int v; if (*p == 9) v = 1; atomic_add(p, v); }
kernel void atomic_of_set(global int *p) { int v = 4; if (get_global_id(0) == 9) v = 1; atomic_add(p, v); }

//! wrong long_upper_half 4/4 buffer:i64:4 -> uninitialised-store
//! right long_both_halves 4/4 buffer:i64:4
kernel void long_upper_half(global long *out) { long v; ((int *)&v)[0] = 3; out[get_global_id(0)] = v; }
kernel void long_both_halves(global long *out) { long v; ((int *)&v)[0] = 3; ((int *)&v)[1] = 0; out[get_global_id(0)] = v; }

//! wrong printed_nothing 4/4 buffer:i32:4=zeros -> uninitialised-store
//! right printed_something 4/4 buffer:i32:4=zeros
kernel void printed_nothing(global int *p) { int v[2]; v[0] = 1; p[get_global_id(0)] = v[p[get_global_id(0)] + 1] * 2; }
kernel void printed_something(global int *p) { int v[2]; v[0] = 1; p[get_global_id(0)] = v[p[get_global_id(0)]] * 2; }

//! wrong matrix_corner 4/4 buffer:f32:4=zeros -> uninitialised-store
//! right matrix_all 4/4 buffer:f32:4=zeros
kernel void matrix_corner(global float *p) { float m[3][3]; for (int r = 0; r < 3; r++) for (int c = 0; c < 3; c++) if (r + c < 4) m[r][c] = r * c; float s = 0; for (int r = 0; r < 3; r++) for (int c = 0; c < 3; c++) s += m[r][c]; p[get_global_id(0)] = s; }
kernel void matrix_all(global float *p) { float m[3][3]; for (int r = 0; r < 3; r++) for (int c = 0; c < 3; c++) m[r][c] = r * c; float s = 0; for (int r = 0; r < 3; r++) for (int c = 0; c < 3; c++) s += m[r][c]; p[get_global_id(0)] = s; }

//! wrong subgroup_broadcast_unset 32/32 buffer:i32:32=iota -> uninitialised-store
//! right subgroup_broadcast_set 32/32 buffer:i32:32=iota
kernel void subgroup_broadcast_unset(global int *p) { int v, i = get_local_id(0); if (p[i] > 3) v = p[i]; p[i] = sub_group_broadcast(v, 2); }
kernel void subgroup_broadcast_set(global int *p) { int v, i = get_local_id(0); if (p[i] > 3) v = p[i]; p[i] = sub_group_broadcast(v, 7); }

//! wrong group_reduce_unset 32/32 buffer:i32:32=iota -> uninitialised-store|uninitialised-branch
//! right group_reduce_set 32/32 buffer:i32:32=iota
kernel void group_reduce_unset(global int *p) { int v, i = get_local_id(0); if (p[i] > 3) v = p[i]; p[i] = work_group_reduce_add(v); }
kernel void group_reduce_set(global int *p) { int v = 0, i = get_local_id(0); if (p[i] > 3) v = p[i]; p[i] = work_group_reduce_add(v); }

//! wrong program_scope_local 8/8 buffer:i32:8 -> uninitialised-store
//! right program_scope_zero 8/8 buffer:i32:8
global int zeroed[8];
kernel void program_scope_local(global int *out) { local int t[8]; int i = get_local_id(0); out[i] = t[i] + zeroed[i]; }
kernel void program_scope_zero(global int *out) { int i = get_local_id(0); out[i] = zeroed[i]; }

//! wrong math_of_unset 4/4 buffer:f32:4=iota -> uninitialised-store|uninitialised-branch
//! right math_of_set 4/4 buffer:f32:4=iota
kernel void math_of_unset(global float *p) { float v; int i = get_global_id(0); if (p[i] > 5) v = 1; p[i] = sin(v) + exp(v); }
kernel void math_of_set(global float *p) { float v = 0.5f; int i = get_global_id(0); if (p[i] > 5) v = 1; p[i] = sin(v) + exp(v); }
