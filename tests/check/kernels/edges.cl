//! options -cl-std=CL3.0
// Accesses at the edges of buffers, arrays and members: vectors of three, halves, strided copies, prefetches, pointers one
// past the end, generic pointers, rights and alignment.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

//! wrong vload3_last 4 buffer:f32:11=iota buffer:f32:4 -> out-of-bounds
//! right vload3_exact 4 buffer:f32:12=iota buffer:f32:4
kernel void vload3_last(global const float *p, global float *out) { int i = get_global_id(0); float3 v = vload3(i, p); out[i] = v.x + v.y + v.z; }
kernel void vload3_exact(global const float *p, global float *out) { int i = get_global_id(0); float3 v = vload3(i, p); out[i] = v.x + v.y + v.z; }

//! wrong vstore3_last 4 buffer:f32:11=zeros -> out-of-bounds
//! right vstore3_exact 4 buffer:f32:12
kernel void vstore3_last(global float *p) { int i = get_global_id(0); vstore3((float3)(i), i, p); }
kernel void vstore3_exact(global float *p) { int i = get_global_id(0); vstore3((float3)(i), i, p); }

//! wrong half3_last 4 buffer:f16:11=ones buffer:f32:4 -> out-of-bounds
//! right half3_exact 4 buffer:f16:12=ones buffer:f32:4
kernel void half3_last(global const half *p, global float *out) { int i = get_global_id(0); float3 v = vload_half3(i, p); out[i] = v.x + v.y + v.z; }
kernel void half3_exact(global const half *p, global float *out) { int i = get_global_id(0); float3 v = vload_half3(i, p); out[i] = v.x + v.y + v.z; }

//! wrong aligned_half3_last 4 buffer:f16:12=ones buffer:f32:4 -> out-of-bounds
//! right aligned_half3_exact 4 buffer:f16:16=ones buffer:f32:4
kernel void aligned_half3_last(global const half *p, global float *out) { int i = get_global_id(0); float3 v = vloada_half3(i, p); out[i] = v.x + v.y + v.z; }
kernel void aligned_half3_exact(global const half *p, global float *out) { int i = get_global_id(0); float3 v = vloada_half3(i, p); out[i] = v.x + v.y + v.z; }

//! wrong half16_stored 4 buffer:f16:63=zeros -> out-of-bounds
//! right half16_stored_exact 4 buffer:f16:64=zeros
kernel void half16_stored(global half *p) { int i = get_global_id(0); vstore_half16((float16)(i), i, p); }
kernel void half16_stored_exact(global half *p) { int i = get_global_id(0); vstore_half16((float16)(i), i, p); }

//! wrong vload8_of_char 4 buffer:u8:31=iota buffer:i32:4 -> out-of-bounds
//! right vload8_of_char_exact 4 buffer:u8:32=iota buffer:i32:4
kernel void vload8_of_char(global const uchar *p, global int *out) { int i = get_global_id(0); uchar8 v = vload8(i, p); out[i] = v.s0 + v.s7; }
kernel void vload8_of_char_exact(global const uchar *p, global int *out) { int i = get_global_id(0); uchar8 v = vload8(i, p); out[i] = v.s0 + v.s7; }

//! wrong prefetched_and_read 4 buffer:i32:4=iota buffer:i32:4 -> out-of-bounds
//! right prefetched_only 4 buffer:i32:4=iota buffer:i32:4
kernel void prefetched_and_read(global const int *p, global int *out) { int i = get_global_id(0); prefetch(p + i, 8); out[i] = p[i + 1]; }
kernel void prefetched_only(global const int *p, global int *out) { int i = get_global_id(0); prefetch(p + i, 8); out[i] = p[i]; }

//! wrong until_the_end_included 1 buffer:i32:8=ones buffer:i32:1 8 -> out-of-bounds
//! right until_the_end 1 buffer:i32:8=ones buffer:i32:1 8
kernel void until_the_end_included(global const int *p, global int *out, int n) { int s = 0; for (global const int *end = p + n; p <= end; p++) s += *p; *out = s; }
kernel void until_the_end(global const int *p, global int *out, int n) { int s = 0; for (global const int *end = p + n; p != end; p++) s += *p; *out = s; }

//! wrong backwards_too_far 1 buffer:i32:8=ones buffer:i32:1 8 -> out-of-bounds
//! right backwards 1 buffer:i32:8=ones buffer:i32:1 8
kernel void backwards_too_far(global const int *p, global int *out, int n) { int s = 0; for (int i = n; i >= 0; i--) s += p[i - 1]; *out = s; }
kernel void backwards(global const int *p, global int *out, int n) { int s = 0; for (int i = n; i > 0; i--) s += p[i - 1]; *out = s; }

//! wrong strided_destination 8/8 buffer:i32:28=iota local:32 -> out-of-bounds
//! right strided_destination_exact 8/8 buffer:i32:29=iota local:32
kernel void strided_destination(global int *p, local int *s)
{
    s[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(p, s, 8, 4, 0);
    wait_group_events(1, &e);
}
kernel void strided_destination_exact(global int *p, local int *s)
{
    s[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(p, s, 8, 4, 0);
    wait_group_events(1, &e);
}

//! wrong copied_vectors 8/8 buffer:f32:31=iota buffer:f32:32 -> out-of-bounds
//! right copied_vectors_exact 8/8 buffer:f32:32=iota buffer:f32:32
kernel void copied_vectors(global const float4 *in, global float4 *out)
{
    local float4 s[8];
    event_t e = async_work_group_copy(s, in, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = s[7 - get_local_id(0)];
}
kernel void copied_vectors_exact(global const float4 *in, global float4 *out)
{
    local float4 s[8];
    event_t e = async_work_group_copy(s, in, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = s[7 - get_local_id(0)];
}

struct inner { uchar tag[3]; short v[2]; };
struct outer { int head; struct inner in[2]; int tail; };
//! wrong inner_tag 4 buffer:i32:4 -> array-index
//! right inner_tag_exact 3 buffer:i32:4
kernel void inner_tag(global int *out)
{
    struct outer o = {1, {{{2, 3, 4}, {5, 6}}, {{7, 8, 9}, {10, 11}}}, 12};
    int i = get_global_id(0);
    out[i] = o.in[1].tag[i];
}
kernel void inner_tag_exact(global int *out)
{
    struct outer o = {1, {{{2, 3, 4}, {5, 6}}, {{7, 8, 9}, {10, 11}}}, 12};
    int i = get_global_id(0);
    out[i] = o.in[1].tag[i];
}

//! wrong inner_element 3 buffer:i32:4 -> out-of-bounds
//! right inner_element_exact 2 buffer:i32:4
kernel void inner_element(global int *out)
{
    struct outer o = {1, {{{2, 3, 4}, {5, 6}}, {{7, 8, 9}, {10, 11}}}, 12};
    int i = get_global_id(0);
    out[i] = o.in[i].v[0];
}
kernel void inner_element_exact(global int *out)
{
    struct outer o = {1, {{{2, 3, 4}, {5, 6}}, {{7, 8, 9}, {10, 11}}}, 12};
    int i = get_global_id(0);
    out[i] = o.in[i].v[0];
}

//! wrong global_inner 4 buffer:i32:24=zeros -> array-index
//! right global_inner_exact 3 buffer:i32:24=zeros
kernel void global_inner(global struct outer *p) { int i = get_global_id(0); p[i % 2].in[0].tag[i] = 1; }
kernel void global_inner_exact(global struct outer *p) { int i = get_global_id(0); p[i % 2].in[0].tag[i] = 1; }

//! wrong local_inner 4/4 buffer:i32:4 -> array-index
//! right local_inner_exact 2/2 buffer:i32:4
kernel void local_inner(global int *out)
{
    local struct outer o;
    int i = get_local_id(0);
    if (i == 0) { o.in[0].v[0] = 1, o.in[0].v[1] = 2, o.in[1].v[0] = 1, o.in[1].v[1] = 2; o.in[1].tag[0] = o.in[1].tag[1] = 3; o.tail = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = o.in[0].v[i];
}
kernel void local_inner_exact(global int *out)
{
    local struct outer o;
    int i = get_local_id(0);
    if (i == 0) o.in[0].v[0] = 1, o.in[0].v[1] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = o.in[0].v[i];
}

//! wrong cube_rows 4 buffer:i32:4 -> array-index
//! right cube_rows_exact 4 buffer:i32:4
struct cube { int before; int c[2][3][4]; int after; };
kernel void cube_rows(global int *out)
{
    struct cube s = {0};
    int i = get_global_id(0);
    s.c[1][2][3] = 5;
    out[i] = s.c[0][i][3];
}
kernel void cube_rows_exact(global int *out)
{
    struct cube s = {0};
    int i = get_global_id(0);
    s.c[1][2][3] = 5;
    out[i] = s.c[1][2][i];
}

//! wrong constant_struct 3 buffer:i32:4 -> array-index
//! right constant_struct_exact 2 buffer:i32:4
struct entry { int key; int values[2]; };
constant struct entry entries[2] = {{1, {2, 3}}, {4, {5, 6}}};
kernel void constant_struct(global int *out) { int i = get_global_id(0); out[i] = entries[0].values[i]; }
kernel void constant_struct_exact(global int *out) { int i = get_global_id(0); out[i] = entries[0].values[i]; }

//! wrong stack_of_a_function 9 buffer:i32:9 -> array-index
//! right stack_of_a_function_exact 8 buffer:i32:9
__attribute__((noinline)) int looked_up(int at)
{
    int before[4] = {1, 2, 3, at}, table[8], after[4] = {at, 4, 3, 2};
    for (int i = 0; i < 8; i++)
        table[i] = i * at;
    return table[at] + before[at & 3] + after[at & 3];
}
kernel void stack_of_a_function(global int *out) { int i = get_global_id(0); out[i] = looked_up(i); }
kernel void stack_of_a_function_exact(global int *out) { int i = get_global_id(0); out[i] = looked_up(i); }

//! wrong private_by_pointer 4 buffer:i32:4 -> out-of-bounds
//! right private_by_pointer_exact 4 buffer:i32:4
__attribute__((noinline)) void filled(int *p, int n) { for (int i = 0; i <= n; i++) p[i] = i; }
kernel void private_by_pointer(global int *out)
{
    int a[4], b[4] = {9, 9, 9, 9};
    int i = get_global_id(0);
    filled(a, 4);
    out[i] = a[i] + b[i];
}
kernel void private_by_pointer_exact(global int *out)
{
    int a[4], b[4] = {9, 9, 9, 9};
    int i = get_global_id(0);
    filled(a, 3);
    out[i] = a[i] + b[i];
}

//! wrong local_by_two_functions 8/8 buffer:i32:8=iota -> out-of-bounds
//! right local_by_two_functions_exact 8/8 buffer:i32:8=iota
__attribute__((noinline)) void put_at(local int *p, int at, int v) { p[at] = v; }
__attribute__((noinline)) void put_after(local int *p, int at, int v) { put_at(p + 1, at, v); }
kernel void local_by_two_functions(global int *io)
{
    local int s[8];
    local int t[8];
    int l = get_local_id(0);
    t[l] = 0;
    put_after(s, l, io[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = l ? s[l] : t[0];
}
kernel void local_by_two_functions_exact(global int *io)
{
    local int s[8];
    local int t[8];
    int l = get_local_id(0);
    t[l] = 0;
    if (l < 7)
        put_after(s, l, io[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    io[l] = l ? s[l] : t[0];
}

//! wrong offset_forgotten 8/4+8 buffer:i32:8=zeros -> out-of-bounds
//! right offset_subtracted 8/4+8 buffer:i32:8=zeros
kernel void offset_forgotten(global int *p) { p[get_global_id(0)] = 1; }
kernel void offset_subtracted(global int *p) { p[get_global_id(0) - get_global_offset(0)] = 1; }

//! wrong rounded_up_three 5,3,2/4,2,2 buffer:i32:29=zeros -> out-of-bounds
//! right rounded_up_three_exact 5,3,2/4,2,2 buffer:i32:30=zeros
kernel void rounded_up_three(global int *p) { p[(get_global_id(2) * 3 + get_global_id(1)) * 5 + get_global_id(0)] = 1; }
kernel void rounded_up_three_exact(global int *p) { p[(get_global_id(2) * 3 + get_global_id(1)) * 5 + get_global_id(0)] = 1; }

//! wrong far_product 2 buffer:i32:8=zeros -> out-of-bounds
//! right far_product_wraps 2 buffer:i32:8=zeros
kernel void far_product(global int *p) { int i = get_global_id(0); p[(size_t)i * 0x10000001u] = 1; }
kernel void far_product_wraps(global int *p) { int i = get_global_id(0); p[(i * 0x10000001) & 7] = 1; }

//! wrong generic_of_both 4/4 buffer:i32:3=zeros buffer:i32:4 -> out-of-bounds
//! right generic_of_both_exact 4/4 buffer:i32:4=zeros buffer:i32:4
int from(const int *p, int i) { return p[i]; }
kernel void generic_of_both(global int *p, global int *out)
{
    local int s[4];
    int l = get_local_id(0);
    s[l] = l;
    out[l] = from(l % 2 ? (const int *)p : (const int *)s, l);
}
kernel void generic_of_both_exact(global int *p, global int *out)
{
    local int s[4];
    int l = get_local_id(0);
    s[l] = l;
    out[l] = from(l % 2 ? (const int *)p : (const int *)s, l);
}

//! wrong zero_elements 1 buffer:i32:1=zeros buffer:i32:1 0 -> out-of-bounds
//! right zero_elements_guarded 1 buffer:i32:1=zeros buffer:i32:1 0
kernel void zero_elements(global const int *p, global int *out, int n) { *out = p[n - 1]; }
kernel void zero_elements_guarded(global const int *p, global int *out, int n) { *out = n ? p[n - 1] : 0; }

//! wrong double_atomic_after 8 buffer:i64:7=zeros -> out-of-bounds
//! right double_atomic_exact 8 buffer:i64:8=zeros
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void double_atomic_after(volatile global long *p) { atom_add(p + get_global_id(0), 1L); }
kernel void double_atomic_exact(volatile global long *p) { atom_add(p + get_global_id(0), 1L); }

//! wrong vstore_read_only 4 readonly:f32:16=zeros -> write-to-read-only
//! right vload_read_only 4 readonly:f32:16=zeros buffer:f32:4
kernel void vstore_read_only(global float *p) { vstore4((float4)(1), get_global_id(0), p); }
kernel void vload_read_only(global float *p, global float *out) { out[get_global_id(0)] = vload4(get_global_id(0), p).w; }

//! wrong copy_to_read_only 8/8 readonly:i32:8=zeros -> write-to-read-only
//! right copy_from_read_only 8/8 readonly:i32:8=zeros buffer:i32:8
kernel void copy_to_read_only(global int *p)
{
    local int s[8];
    s[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(p, s, 8, 0);
    wait_group_events(1, &e);
}
kernel void copy_from_read_only(global int *p, global int *out)
{
    local int s[8];
    event_t e = async_work_group_copy(s, p, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = s[get_local_id(0)];
}

//! wrong atomic_write_only 4 writeonly:i32:1 -> read-of-write-only
//! right store_write_only 4 writeonly:i32:4
kernel void atomic_write_only(volatile global int *p) { atomic_inc(p); }
kernel void store_write_only(volatile global int *p) { p[get_global_id(0)] = 1; }

//! wrong component_added_write_only 4 writeonly:i32:16 -> read-of-write-only
//! right component_write_only 4 writeonly:i32:16
kernel void component_added_write_only(global int4 *p) { p[get_global_id(0)].y += 1; }
kernel void component_write_only(global int4 *p) { p[get_global_id(0)].y = 1; p[get_global_id(0)].zw = (int2)(2); }

//! wrong bytes_write_only 4 writeonly:u8:16 buffer:i32:4 -> read-of-write-only
//! right bytes_only_written 4 writeonly:u8:16
kernel void bytes_write_only(global uchar *p, global int *out) { int i = get_global_id(0); p[i] = 1; out[i] = p[i + 4]; }
kernel void bytes_only_written(global uchar *p) { int i = get_global_id(0); vstore3((uchar3)(1, 2, 3), i, p); }

//! wrong long_at_four 2 buffer:i32:8=zeros -> misaligned
//! right long_at_eight 2 buffer:i32:8=zeros
kernel void long_at_four(global int *p) { *(global long *)(p + 1 + 2 * get_global_id(0)) = 1; }
kernel void long_at_eight(global int *p) { *(global long *)(p + 2 * get_global_id(0)) = 1; }

//! wrong float2_at_four 2 buffer:f32:8=zeros buffer:f32:2 -> misaligned
//! right float2_by_vload 2 buffer:f32:8=zeros buffer:f32:2
kernel void float2_at_four(global float *p, global float *out) { int i = get_global_id(0); out[i] = (*(global float2 *)(p + 1 + 2 * i)).x; }
kernel void float2_by_vload(global float *p, global float *out) { int i = get_global_id(0); out[i] = vload2(i, p + 1).x; }

//! wrong private_misaligned 2 buffer:i32:2 -> misaligned
//! right private_aligned 2 buffer:i32:2
kernel void private_misaligned(global int *out)
{
    uchar bytes[16];
    for (int i = 0; i < 16; i++)
        bytes[i] = i;
    int at = get_global_id(0) + 1;
    out[get_global_id(0)] = *(int *)(bytes + at);
}
kernel void private_aligned(global int *out)
{
    int words[4];
    for (int i = 0; i < 16; i++)
        ((uchar *)words)[i] = i;
    int at = get_global_id(0) * 4;
    out[get_global_id(0)] = *(int *)((uchar *)words + at);
}

//! wrong atomic_misaligned 1 buffer:u8:16=zeros -> misaligned
//! right atomic_aligned 1 buffer:u8:16=zeros
kernel void atomic_misaligned(global uchar *p) { atomic_inc((volatile global int *)(p + 6)); }
kernel void atomic_aligned(global uchar *p) { atomic_inc((volatile global int *)(p + 8)); }

//! wrong packed_by_plain_pointer 2 buffer:u8:20=zeros buffer:i32:2 -> misaligned
//! right packed_by_its_type 2 buffer:u8:20=zeros buffer:i32:2
struct __attribute__((packed)) tight { uchar a; int b[2]; };
kernel void packed_by_plain_pointer(global struct tight *p, global int *out) { int i = get_global_id(0); global int *b = (global int *)&p[i].b; out[i] = b[1]; }
kernel void packed_by_its_type(global struct tight *p, global int *out) { int i = get_global_id(0); out[i] = p[i].b[1]; }

//! wrong null_argument_read 1 buffer:i32:1 i32:0 -> null-pointer|out-of-bounds
//! right null_argument_guarded 1 buffer:i32:1 i32:0
kernel void null_argument_read(global int *out, uint address) { global int *p = (global int *)(size_t)address; *out = *p; }
kernel void null_argument_guarded(global int *out, uint address) { global int *p = (global int *)(size_t)address; *out = p ? *p : 0; }
