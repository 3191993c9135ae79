// Values that nobody wrote, when they decide something.

//! wrong variable 4/4 buffer:i32:4 -> uninitialised-store
//! right variable_set 4/4 buffer:i32:4
kernel void variable(global int *p) { int x; p[get_global_id(0)] = x; }
kernel void variable_set(global int *p) { int x = 3; p[get_global_id(0)] = x; }

//! wrong maybe_set 4/4 buffer:i32:4 2 -> uninitialised-store
//! right always_set 4/4 buffer:i32:4 7
kernel void maybe_set(global int *p, int n) { int x; if (n > 5) x = 3; p[get_global_id(0)] = x; }
kernel void always_set(global int *p, int n) { int x; if (n > 5) x = 3; p[get_global_id(0)] = x; }

//! wrong set_in_some_lanes 8/8 buffer:i32:8 -> uninitialised-store
//! right set_in_all_lanes 8/8 buffer:i32:8
kernel void set_in_some_lanes(global int *p) { int x, i = get_global_id(0); if (i < 4) x = i; p[i] = x; }
kernel void set_in_all_lanes(global int *p) { int x, i = get_global_id(0); if (i < 4) x = i; else x = 4; p[i] = x; }

//! wrong computed 4/4 buffer:i32:4 -> uninitialised-store
//! right computed_set 4/4 buffer:i32:4
kernel void computed(global int *p) { int x; p[get_global_id(0)] = x * 3 + 1; }
kernel void computed_set(global int *p) { int x = 1; p[get_global_id(0)] = x * 3 + 1; }

//! wrong floating 4/4 buffer:f32:4 -> uninitialised-store
//! right floating_set 4/4 buffer:f32:4
kernel void floating(global float *p) { float x; p[get_global_id(0)] = sqrt(x) + 1; }
kernel void floating_set(global float *p) { float x = 4; p[get_global_id(0)] = sqrt(x) + 1; }

//! wrong branch 4/4 buffer:i32:4 -> uninitialised-branch
//! right branch_set 4/4 buffer:i32:4
kernel void branch(global int *p) { int x; if (x == 17) p[get_global_id(0)] = 1; else p[0] = p[1] = 2, p[2] = 3; }
kernel void branch_set(global int *p) { int x = get_global_id(0); if (x == 17) p[0] = 1; else p[x] = 2; }

//! wrong address 4/4 buffer:i32:4=zeros buffer:i32:4 -> uninitialised-address
//! right address_set 4/4 buffer:i32:4=zeros buffer:i32:4
kernel void address(global const int *in, global int *p) { int x; p[get_global_id(0)] = in[x & 3]; }
kernel void address_set(global const int *in, global int *p) { int x = 2; p[get_global_id(0)] = in[x & 3]; }

//! wrong buffer 4/4 buffer:i32:4 buffer:i32:4 -> uninitialised-store
//! right buffer_set 4/4 buffer:i32:4=zeros buffer:i32:4
kernel void buffer(global const int *in, global int *p) { int i = get_global_id(0); p[i] = in[i] + 1; }
kernel void buffer_set(global const int *in, global int *p) { int i = get_global_id(0); p[i] = in[i] + 1; }

//! wrong buffer_copied 4/4 buffer:i32:4 buffer:i32:4 -> uninitialised-store
//! right buffer_set_copied 4/4 buffer:i32:4=zeros buffer:i32:4
kernel void buffer_copied(global const int *in, global int *p) { int i = get_global_id(0); p[i] = in[i]; }
kernel void buffer_set_copied(global const int *in, global int *p) { int i = get_global_id(0); p[i] = in[i]; }

//! wrong accumulated 4/4 buffer:i32:4 -> uninitialised-store
//! right accumulated_set 4/4 buffer:i32:4=zeros
kernel void accumulated(global int *p) { p[get_global_id(0)] += 1; }
kernel void accumulated_set(global int *p) { p[get_global_id(0)] += 1; }

//! wrong atomic_counter 4/4 buffer:i32:1 buffer:i32:4 -> uninitialised-store
//! right atomic_counter_set 4/4 buffer:i32:1=zeros buffer:i32:4
kernel void atomic_counter(global int *n, global int *p) { p[get_global_id(0)] = atomic_inc(n); }
kernel void atomic_counter_set(global int *n, global int *p) { p[get_global_id(0)] = atomic_inc(n); }

//! wrong local_array 8/8 buffer:i32:8 -> uninitialised-store
//! right local_array_set 8/8 buffer:i32:8
kernel void local_array(global int *p) { local int t[8]; int i = get_local_id(0); if (i > 3) t[i] = i; barrier(1); p[i] = t[i]; }
kernel void local_array_set(global int *p) { local int t[8]; int i = get_local_id(0); t[i] = i; barrier(1); p[i] = t[i]; }

//! wrong local_variable 8/8 buffer:i32:8 -> uninitialised-store
//! right local_variable_set 8/8 buffer:i32:8
kernel void local_variable(global int *p) { local int t; barrier(1); p[get_local_id(0)] = t; }
kernel void local_variable_set(global int *p) { local int t; if (get_local_id(0) == 0) t = 4; barrier(1); p[get_local_id(0)] = t; }

//! wrong local_pointer 8/8 buffer:i32:8 local:32 -> uninitialised-store
//! right local_pointer_set 8/8 buffer:i32:8 local:32
kernel void local_pointer(global int *p, local int *t) { int i = get_local_id(0); p[i] = t[i]; }
kernel void local_pointer_set(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; p[i] = t[i]; }

//! wrong local_of_earlier_group 16/8 buffer:i32:16 local:32 -> uninitialised-store
//! right local_of_own_group 16/8 buffer:i32:16 local:32
kernel void local_of_earlier_group(global int *p, local int *t) { int i = get_local_id(0); if (get_group_id(0) == 0) t[i] = i; p[get_global_id(0)] = t[i]; }
kernel void local_of_own_group(global int *p, local int *t) { int i = get_local_id(0); t[i] = i; p[get_global_id(0)] = t[i]; }

//! wrong private_array 4/4 buffer:i32:4 -> uninitialised-store
//! right private_array_set 4/4 buffer:i32:4
kernel void private_array(global int *p) { int a[4], i = get_global_id(0); a[i] = 1; p[i] = a[(i + 1) & 3]; }
kernel void private_array_set(global int *p) { int a[4], i = get_global_id(0); for (int k = 0; k < 4; k++) a[k] = k; p[i] = a[(i + 1) & 3]; }

//! wrong private_array_constant 4/4 buffer:i32:4 -> uninitialised-store
//! right private_array_constant_set 4/4 buffer:i32:4
kernel void private_array_constant(global int *p) { int a[4]; a[0] = 1; p[get_global_id(0)] = a[0] + a[1]; }
kernel void private_array_constant_set(global int *p) { int a[4]; a[0] = a[1] = 1; p[get_global_id(0)] = a[0] + a[1]; }

//! wrong vector_part 4/4 buffer:f32:16 -> uninitialised-store
//! right vector_whole 4/4 buffer:f32:16
kernel void vector_part(global float4 *p) { float4 v; v.x = 1; v.zw = (float2)(2, 3); p[get_global_id(0)] = v; }
kernel void vector_whole(global float4 *p) { float4 v; v.xy = 1; v.zw = (float2)(2, 3); p[get_global_id(0)] = v; }

struct mixed { char c; int i; short s; };
//! wrong struct_member 4/4 buffer:u8:48 -> uninitialised-store
//! right struct_padding 4/4 buffer:u8:48
kernel void struct_member(global struct mixed *p) { struct mixed m; m.c = 1; m.s = 2; p[get_global_id(0)] = m; }
kernel void struct_padding(global struct mixed *p) { struct mixed m; m.c = 1; m.s = 2; m.i = 3; p[get_global_id(0)] = m; }

//! wrong struct_used 4/4 buffer:u8:48 buffer:i32:4 -> uninitialised-store
//! right struct_copied 4/4 buffer:u8:48=zeros buffer:i32:4
kernel void struct_used(global struct mixed *p, global int *out) { int i = get_global_id(0); struct mixed m = p[i]; out[i] = m.i; }
kernel void struct_copied(global struct mixed *p, global int *out) { int i = get_global_id(0); struct mixed m = p[i]; out[i] = m.i; }

//! wrong through_function 4/4 buffer:i32:4 -> uninitialised-store
//! right through_function_set 4/4 buffer:i32:4
void maybe(int *x, int n) { if (n > 100) *x = n; }
kernel void through_function(global int *p) { int x, i = get_global_id(0); maybe(&x, i); p[i] = x; }
kernel void through_function_set(global int *p) { int x = 0, i = get_global_id(0); maybe(&x, i); p[i] = x; }

//! wrong loop_bound 4/4 buffer:i32:4 buffer:i32:1 -> uninitialised-branch
//! right loop_bound_set 4/4 buffer:i32:4 buffer:i32:1=3
kernel void loop_bound(global int *p, global const int *n) { int s = 0; for (int k = 0; k < *n; k++) s += k; p[get_global_id(0)] = s; }
kernel void loop_bound_set(global int *p, global const int *n) { int s = 0; for (int k = 0; k < *n; k++) s += k; p[get_global_id(0)] = s; }

//! wrong half_written 8/8 buffer:u8:8 buffer:i32:2 -> uninitialised-store
//! right all_written 8/8 buffer:u8:8 buffer:i32:2
kernel void half_written(global uchar *b, global int *p) { int i = get_global_id(0); if (i != 5) b[i] = i; barrier(2); if (i < 2) p[i] = ((global int *)b)[i]; }
kernel void all_written(global uchar *b, global int *p) { int i = get_global_id(0); b[i] = i; barrier(2); if (i < 2) p[i] = ((global int *)b)[i]; }

//! wrong masked_bits 4/4 buffer:i32:4 -> uninitialised-store
//! right masked_away 4/4 buffer:i32:4
kernel void masked_bits(global int *p) { int x; p[get_global_id(0)] = x & 0xf0; }
kernel void masked_away(global int *p) { int x; p[get_global_id(0)] = (x & 0xf0) & 0x0f; }

//! wrong selected 4/4 buffer:i32:4 -> uninitialised-store
//! right not_selected 4/4 buffer:i32:4
kernel void selected(global int *p) { int x, i = get_global_id(0); p[i] = i == 2 ? x : i; }
kernel void not_selected(global int *p) { int x, i = get_global_id(0); p[i] = i == 9 ? x : i; }

// LLVM makes one load at two addresses out of the undefined pair and the loaded one
//! wrong used_where_not_loaded 64/64 6 buffer:f32:48=iota buffer:f32:128 -> uninitialised-store
//! right used_where_loaded 64/64 6 buffer:f32:48=iota buffer:f32:128
#define ADD_SOME_PAIRS \
    uint i = get_local_id(0); \
    local float t[64]; \
    float2 a, b; \
    if (i < n) { a = in[i]; b = in[i + 2]; } \
    a = a + b; \
    if (i < n) t[i] = a.x; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (i < n) a.x = t[i ^ 1];
kernel void used_where_not_loaded(uint n, global const float2 *in, global float *out) { ADD_SOME_PAIRS out[2 * i] = a.x; out[2 * i + 1] = a.y; }
kernel void used_where_loaded(uint n, global const float2 *in, global float *out) { ADD_SOME_PAIRS if (i < n) out[2 * i] = a.x, out[2 * i + 1] = a.y; }

// the constant that is the other value is no reason to name another line
//! wrong branch_to_a_constant 1/1 buffer:i32:4=zeros -> uninitialised-branch at if (x == 17)
//! right branch_to_a_constant_set 1/1 buffer:i32:4=zeros
kernel void branch_to_a_constant(global int *p)
{
    int x, y = 5;
    if (x == 17)
        y = p[0] * 3;
    p[1] = y;
}
kernel void branch_to_a_constant_set(global int *p)
{
    int x = 17, y = 5;
    if (x == p[2])
        y = p[0] * 3;
    p[1] = y;
}
