//! options -cl-std=CL3.0
// What kernels seldom have: aliases of parts of objects, vectors by pointer, switch and goto, values through calls, unions, bit-fields, local pointers in arrays, 3-D.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

// ---- objects ----
typedef struct { int head; struct { short k[3]; char c[2]; } mid[2]; int tail; } deep;
typedef struct { uint n; uint v[]; } counted;
typedef struct { float4 pos; float m[3]; int id; } body;
typedef union { int i[4]; char c[8]; float4 f; } mix;

//! wrong inner_array_of_inner 4/4 buffer:i32:28=zeros buffer:i32:4 -> array-index
//! right inner_array_inside 4/4 buffer:i32:28=zeros buffer:i32:4
kernel void inner_array_of_inner(global deep *d, global int *out) { int i = get_global_id(0); out[i] = d[i].mid[0].k[i]; }
kernel void inner_array_inside(global deep *d, global int *out) { int i = get_global_id(0); out[i] = d[i].mid[i / 2].k[i % 3]; }

//! wrong inner_element_of_inner 4/4 buffer:i32:28=zeros buffer:i32:4 -> array-index
//! right inner_element_inside 4/4 buffer:i32:28=zeros buffer:i32:4
kernel void inner_element_of_inner(global deep *d, global int *out) { int i = get_global_id(0); d[i].mid[i - 1].c[1] = i; out[i] = i; }
kernel void inner_element_inside(global deep *d, global int *out) { int i = get_global_id(0); d[i].mid[i & 1].c[1] = i; out[i] = i; }

//! wrong flexible_past 4/4 buffer:u32:5=4 buffer:u32:4 -> out-of-bounds
//! right flexible_inside 4/4 buffer:u32:5=4 buffer:u32:4
kernel void flexible_past(global counted *p, global uint *out) { int i = get_global_id(0); out[i] = p->v[i + 1]; }
kernel void flexible_inside(global counted *p, global uint *out) { int i = get_global_id(0); if (i < p->n) out[i] = p->v[i]; }

//! wrong mass_index 4/4 buffer:f32:32=ones buffer:f32:4 -> array-index
//! right mass_inside 4/4 buffer:f32:32=ones buffer:f32:4
kernel void mass_index(global const body *b, global float *out) { int i = get_global_id(0); out[i] = b[i].m[b[i].id ? i : 0]; }
kernel void mass_inside(global const body *b, global float *out) { int i = get_global_id(0); out[i] = b[i].m[i % 3]; }

//! wrong mass_of_private 4/4 buffer:f32:32=ones buffer:f32:4 -> array-index|out-of-bounds
//! right mass_of_private_inside 4/4 buffer:f32:32=ones buffer:f32:4
kernel void mass_of_private(global const body *b, global float *out) { int i = get_global_id(0); body c = b[i]; c.m[i] = 7; out[i] = c.m[0]; }
kernel void mass_of_private_inside(global const body *b, global float *out) { int i = get_global_id(0); body c = b[i]; c.m[i % 3] = 7; out[i] = c.m[0]; }

//! wrong mass_of_local 4/4 buffer:f32:32=ones buffer:f32:4 -> array-index|out-of-bounds
//! right mass_of_local_inside 4/4 buffer:f32:32=ones buffer:f32:4
kernel void mass_of_local(global const body *b, global float *out) { local body c[4]; int i = get_global_id(0); c[i] = b[i]; out[i] = c[i].m[i]; }
kernel void mass_of_local_inside(global const body *b, global float *out) { local body c[4]; int i = get_global_id(0); c[i] = b[i]; out[i] = c[i].m[i % 3]; }

//! wrong union_chars 4/4 buffer:i32:16=zeros -> array-index
//! right union_chars_inside 4/4 buffer:i32:16=zeros
kernel void union_chars(global mix *m) { int i = get_global_id(0); m[i].c[6 + i] = 1; }
kernel void union_chars_inside(global mix *m) { int i = get_global_id(0); m[i].c[4 + i] = 1; }

//! wrong pointer_kept_in_array 8/8 buffer:i32:8=iota buffer:i32:4=iota buffer:i32:8 -> out-of-bounds
//! right pointer_kept_inside 8/8 buffer:i32:8=iota buffer:i32:4=iota buffer:i32:8
kernel void pointer_kept_in_array(global const int *a, global const int *b, global int *out) { global const int *p[2] = {a, b}; int i = get_global_id(0); out[i] = p[i & 1][i]; }
kernel void pointer_kept_inside(global const int *a, global const int *b, global int *out) { global const int *p[2] = {a, b}; int i = get_global_id(0); out[i] = p[i & 1][i / 2]; }

//! wrong pointer_in_struct 8/8 buffer:i32:8=iota buffer:i32:8 -> out-of-bounds
//! right pointer_in_struct_inside 8/8 buffer:i32:8=iota buffer:i32:8
typedef struct { global int *from, *to; int n; } span;
int take(span *s) { return s->from[s->n++]; }
kernel void pointer_in_struct(global int *a, global int *out) { int i = get_global_id(0); span s = {a, out, i}; take(&s); s.to[i] = take(&s); }
kernel void pointer_in_struct_inside(global int *a, global int *out) { int i = get_global_id(0); span s = {a, out, i}; s.to[i] = take(&s); }

//! wrong vector_by_index 4/4 buffer:i32:16=iota buffer:i32:4 -> out-of-bounds|array-index
//! right vector_by_index_inside 4/4 buffer:i32:16=iota buffer:i32:4
kernel void vector_by_index(global const int4 *v, global int *out) { int i = get_global_id(0); out[i] = ((global const int *)&v[i])[4 + i - 3 * (i / 3)]; }
kernel void vector_by_index_inside(global const int4 *v, global int *out) { int i = get_global_id(0); out[i] = ((global const int *)&v[i])[i]; }

//! wrong private_vector_by_pointer 8/8 buffer:i32:8 -> out-of-bounds|array-index|uninitialised-store
//! right private_vector_inside 8/8 buffer:i32:8
kernel void private_vector_by_pointer(global int *out) { int i = get_global_id(0); int4 v = (int4)(i, 1, 2, 3); int *p = (int *)&v; out[i] = p[i]; }
kernel void private_vector_inside(global int *out) { int i = get_global_id(0); int4 v = (int4)(i, 1, 2, 3); int *p = (int *)&v; out[i] = p[i & 3]; }

// ---- control ----

//! wrong switch_falls_into_barrier 8/8 buffer:i32:8=iota buffer:i32:8 -> barrier-divergence
//! right switch_on_uniform 8/8 buffer:i32:8=iota buffer:i32:8
kernel void switch_falls_into_barrier(global const int *in, global int *out)
{
    int i = get_local_id(0), v = in[i];
    switch (v & 3) {
    case 0: v += 1;
    case 1: v += 2; barrier(CLK_LOCAL_MEM_FENCE);
    case 2: v += 3; break;
    default: v = 0;
    }
    out[i] = v;
}
kernel void switch_on_uniform(global const int *in, global int *out)
{
    int i = get_local_id(0), v = in[i];
    switch (in[2] & 3) {
    case 0: v += 1;
    case 1: v += 2; barrier(CLK_LOCAL_MEM_FENCE);
    case 2: v += 3; break;
    default: v = 0;
    }
    out[i] = v;
}

//! wrong do_while_barrier 64/64 buffer:i32:64=iota -> barrier-divergence
//! right do_while_same 64/64 buffer:i32:64=iota
kernel void do_while_barrier(global int *io) { local int s; int i = get_local_id(0), n = io[i] < 32 ? 2 : 3; do { if (i == 0) s = n; barrier(CLK_LOCAL_MEM_FENCE); } while (--n); io[i] = 1; }
kernel void do_while_same(global int *io) { local int s; int i = get_local_id(0), n = io[i] < 64 ? 2 : 3; do { if (i == 0) s = n; barrier(CLK_LOCAL_MEM_FENCE); } while (--n); io[i] = 1; }

//! wrong barrier_after_and 64/64 buffer:i32:64=iota buffer:i32:64 -> barrier-divergence
//! right barrier_outside_and 64/64 buffer:i32:64=iota buffer:i32:64
bool meet(local int *s, int v) { *s = 1; barrier(CLK_LOCAL_MEM_FENCE); return *s + v > 0; }
kernel void barrier_after_and(global const int *in, global int *out) { local int s[64]; int i = get_local_id(0); out[i] = in[i] < 40 && meet(s + i, in[i]); }
kernel void barrier_outside_and(global const int *in, global int *out) { local int s[64]; int i = get_local_id(0); bool m = meet(s + i, in[i]); out[i] = in[i] < 40 && m; }

//! wrong returns_from_helper_loop 32/32 buffer:i32:32=iota buffer:i32:32 -> barrier-divergence
//! right helper_loop_whole 32/32 buffer:i32:32=iota buffer:i32:32
int looped(global const int *in, local int *s, bool early)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (early && in[i] == 8 * k + 3) return -1;
        s[i] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return s[31 - i];
}
kernel void returns_from_helper_loop(global const int *in, global int *out) { local int s[32]; out[get_local_id(0)] = looped(in, s, true); }
kernel void helper_loop_whole(global const int *in, global int *out) { local int s[32]; out[get_local_id(0)] = looped(in, s, false); }

//! wrong third_dimension_returns 4,4,4/4,4,4 buffer:i32:64 -> barrier-divergence
//! right third_dimension_waits 4,4,4/4,4,4 buffer:i32:64
kernel void third_dimension_returns(global int *out) { local int s[4]; if (get_local_id(2) == 3) return; s[get_local_id(2)] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_linear_id()] = s[0]; }
kernel void third_dimension_waits(global int *out) { local int s[64]; int l = get_local_linear_id(); s[l] = 1; barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(2) == 3) return; out[get_global_linear_id()] = s[63 - l]; }

//! wrong ragged_last_group 20/16 buffer:i32:20=ones buffer:i32:2 -> uninitialised-store
//! right ragged_by_size 20/16 buffer:i32:20=ones buffer:i32:2
kernel void ragged_last_group(global const int *in, global int *out)
{
    local int s[16];
    int i = get_local_id(0), sum = 0;
    s[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < get_enqueued_local_size(0); k++) sum += s[k];
    if (i == 0) out[get_group_id(0)] = sum;
}
kernel void ragged_by_size(global const int *in, global int *out)
{
    local int s[16];
    int i = get_local_id(0), sum = 0;
    s[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < get_local_size(0); k++) sum += s[k];
    if (i == 0) out[get_group_id(0)] = sum;
}

//! wrong goto_past_initialisation 8/8 buffer:i32:8=iota buffer:i32:8 -> uninitialised-store
//! right goto_before_initialisation 8/8 buffer:i32:8=iota buffer:i32:8
kernel void goto_past_initialisation(global const int *in, global int *out) { int i = get_global_id(0), v; if (in[i] == 5) goto store; v = in[i] * 2; store: out[i] = v; }
kernel void goto_before_initialisation(global const int *in, global int *out) { int i = get_global_id(0), v; v = 1; if (in[i] == 5) goto store; v = in[i] * 2; store: out[i] = v; }

//! wrong loop_never_entered 8/8 buffer:i32:8=zeros buffer:i32:8 -> uninitialised-store
//! right loop_entered 8/8 buffer:i32:8=ones buffer:i32:8
kernel void loop_never_entered(global const int *in, global int *out) { int i = get_global_id(0), last; for (int k = 0; k < in[i]; k++) last = k; out[i] = last; }
kernel void loop_entered(global const int *in, global int *out) { int i = get_global_id(0), last; for (int k = 0; k < in[i]; k++) last = k; out[i] = last; }

// ---- vectors across ends ----

//! wrong vload2_last 8/8 buffer:f32:8=iota buffer:f32:8 -> out-of-bounds
//! right vload2_inside 8/8 buffer:f32:9=iota buffer:f32:8
kernel void vload2_last(global const float *p, global float *out) { int i = get_global_id(0); float2 v = vload2(0, p + i); out[i] = v.x + v.y; }
kernel void vload2_inside(global const float *p, global float *out) { int i = get_global_id(0); float2 v = vload2(0, p + i); out[i] = v.x + v.y; }

//! wrong vstore16_local 4/4 buffer:i32:4 -> out-of-bounds|array-index
//! right vstore16_local_inside 4/4 buffer:i32:4
kernel void vstore16_local(global int *out) { local int s[63]; int i = get_local_id(0); vstore16((int16)(i), i, s); barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[i]; }
kernel void vstore16_local_inside(global int *out) { local int s[64]; int i = get_local_id(0); vstore16((int16)(i), i, s); barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[i]; }

//! wrong vload4_constant 4/4 buffer:f32:4 -> out-of-bounds|array-index
//! right vload4_constant_inside 4/4 buffer:f32:4
constant float weights[13] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
kernel void vload4_constant(global float *out) { int i = get_global_id(0); out[i] = vload4(i, weights).w; }
kernel void vload4_constant_inside(global float *out) { int i = get_global_id(0); out[i] = i < 3 ? vload4(i, weights).w : weights[12]; }

//! wrong vload8_private 4/4 buffer:i32:4 -> out-of-bounds|array-index|uninitialised-store
//! right vload8_private_inside 4/4 buffer:i32:4
kernel void vload8_private(global int *out) { char c[12]; int i = get_global_id(0); for (int k = 0; k < 12; k++) c[k] = k; char8 v = vload8(0, c + 2 * i); out[i] = v.s7; }
kernel void vload8_private_inside(global int *out) { char c[12]; int i = get_global_id(0); for (int k = 0; k < 12; k++) c[k] = k; char8 v = vload8(0, c + i); out[i] = v.s7; }

//! wrong double3_padding 4/4 buffer:f64:12=ones buffer:f64:4 -> out-of-bounds
//! right double3_packed 4/4 buffer:f64:12=ones buffer:f64:4
kernel void double3_padding(global const double3 *p, global double *out) { int i = get_global_id(0); out[i] = p[i].z; }
kernel void double3_packed(global const double *p, global double *out) { int i = get_global_id(0); out[i] = vload3(i, p).z; }

//! wrong half4_neighbours 8/8 buffer:f16:32=ones -> data-race
//! right half4_own 8/8 buffer:f16:32=ones
kernel void half4_neighbours(global half *p) { int i = get_global_id(0); vstore_half4((float4)(i), 0, p + 3 * i); }
kernel void half4_own(global half *p) { int i = get_global_id(0); vstore_half4((float4)(i), i, p); }

//! wrong uchar4_of_words 8/8 buffer:i32:8=zeros buffer:i32:8 -> data-race
//! right uchar4_own 8/8 buffer:i32:8=zeros buffer:i32:8
kernel void uchar4_of_words(global int *p, global int *out) { int i = get_global_id(0); ((global uchar *)p)[4 * i + 3] = i; out[i] = ((global uchar *)p)[(4 * i + 7) % 32]; }
kernel void uchar4_own(global int *p, global int *out) { int i = get_global_id(0); ((global uchar *)p)[4 * i + 3] = i; out[i] = ((global uchar *)p)[4 * i + 3]; }

// ---- memory of others ----

//! wrong short_pairs_rmw 16/16 buffer:i16:16=zeros -> data-race
//! right short_own 16/16 buffer:i16:16=zeros
kernel void short_pairs_rmw(global short *p) { int i = get_global_id(0); global int *w = (global int *)p; w[i / 2] |= i; }
kernel void short_own(global short *p) { int i = get_global_id(0); p[i] |= i; }

//! wrong bool_array_and_count 64/64 buffer:i32:64=iota buffer:i32:1 -> data-race|uninitialised-store|uninitialised-branch
//! right bool_array_counted 64/64 buffer:i32:64=iota buffer:i32:1
kernel void bool_array_and_count(global const int *in, global int *out)
{
    local bool hit[64];
    int i = get_local_id(0), n = 0;
    hit[i] = in[i] % 3 == 0;
    if (i == 63) {
        for (int k = 0; k < 64; k++) n += hit[k];
        *out = n;
    }
}
kernel void bool_array_counted(global const int *in, global int *out)
{
    local bool hit[64];
    int i = get_local_id(0), n = 0;
    hit[i] = in[i] % 3 == 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 63) {
        for (int k = 0; k < 64; k++) n += hit[k];
        *out = n;
    }
}

//! wrong bit_set_plain 64/32 buffer:u32:2=zeros -> data-race
//! right bit_set_atomic 64/32 buffer:u32:2=zeros
kernel void bit_set_plain(global uint *bits) { uint i = get_global_id(0); bits[i / 32] |= 1u << (i % 32); }
kernel void bit_set_atomic(global uint *bits) { uint i = get_global_id(0); atomic_or(&bits[i / 32], 1u << (i % 32)); }

//! wrong struct_field_rmw 8/4 buffer:i32:2=zeros -> data-race
//! right struct_field_atomic 8/4 buffer:i32:2=zeros
typedef struct { int n; int last; } tally;
kernel void struct_field_rmw(global tally *t) { atomic_inc(&t->n); t->last = get_global_id(0); }
kernel void struct_field_atomic(global tally *t) { atomic_inc(&t->n); atomic_xchg(&t->last, (int)get_global_id(0)); }

//! wrong local_of_two_uses 32/32 buffer:i32:32=iota buffer:i32:32 -> data-race
//! right local_used_again 32/32 buffer:i32:32=iota buffer:i32:32
int rotate_left(local int *s, int v, bool again)
{
    int i = get_local_id(0);
    if (again) barrier(CLK_LOCAL_MEM_FENCE);
    s[i] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[(i + 1) % 32];
}
kernel void local_of_two_uses(global const int *in, global int *out) { local int s[32]; int i = get_local_id(0); int v = rotate_left(s, in[i], false); out[i] = rotate_left(s, v, false); }
kernel void local_used_again(global const int *in, global int *out) { local int s[32]; int i = get_local_id(0); int v = rotate_left(s, in[i], true); out[i] = rotate_left(s, v, true); }

//! wrong local_argument_shared 16/8 buffer:i32:16=iota buffer:i32:16 local:32 local:32 -> out-of-bounds
//! right local_argument_both 16/8 buffer:i32:16=iota buffer:i32:16 local:32 local:32
kernel void local_argument_shared(global const int *in, global int *out, local int *a, local int *b) { int i = get_local_id(0); a[i] = in[get_global_id(0)]; a[i + 8] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = a[7 - i] + a[i + 8]; }
kernel void local_argument_both(global const int *in, global int *out, local int *a, local int *b) { int i = get_local_id(0); a[i] = in[get_global_id(0)]; b[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = a[7 - i] + b[i]; }

// ---- values ----

//! wrong mask_of_unset 8/8 buffer:i32:8=iota buffer:i32:8 -> uninitialised-store
//! right mask_covers_unset 8/8 buffer:i32:8=iota buffer:i32:8
kernel void mask_of_unset(global const int *in, global int *out) { uchar4 v; int i = get_global_id(0); v.x = in[i]; v.y = 1; out[i] = as_int(v) & 0xffffff; }
kernel void mask_covers_unset(global const int *in, global int *out) { uchar4 v; int i = get_global_id(0); v.x = in[i]; v.y = 1; out[i] = as_int(v) & 0xffff; }

//! wrong min_of_array 8/8 buffer:f32:8=iota buffer:f32:8 -> uninitialised-store|uninitialised-branch
//! right min_of_filled 8/8 buffer:f32:8=iota buffer:f32:8
kernel void min_of_array(global const float *in, global float *out) { float d[4]; int i = get_global_id(0); for (int k = 0; k < 3; k++) d[k] = fabs(in[i] - k); out[i] = fmin(fmin(d[0], d[1]), fmin(d[2], d[3])); }
kernel void min_of_filled(global const float *in, global float *out) { float d[4]; int i = get_global_id(0); for (int k = 0; k < 4; k++) d[k] = fabs(in[i] - k); out[i] = fmin(fmin(d[0], d[1]), fmin(d[2], d[3])); }

//! wrong returned_struct 8/8 buffer:i32:8=iota buffer:i32:8 -> uninitialised-store
//! right returned_struct_whole 8/8 buffer:i32:8=iota buffer:i32:8
typedef struct { int q, r; } quotient;
quotient divided(int a, int b, bool both) { quotient q; if (b) { q.q = a / b; if (both) q.r = a % b; } else { q.q = 0; q.r = 0; } return q; }
kernel void returned_struct(global const int *in, global int *out) { int i = get_global_id(0); quotient q = divided(9, in[i], false); out[i] = q.q + q.r; }
kernel void returned_struct_whole(global const int *in, global int *out) { int i = get_global_id(0); quotient q = divided(9, in[i], true); out[i] = q.q + q.r; }

//! wrong index_of_best 8/8 buffer:f32:8=-3.5 buffer:i32:8=iota buffer:i32:8 -> uninitialised-address
//! right index_of_best_from_first 8/8 buffer:f32:8=-3.5 buffer:i32:8=iota buffer:i32:8
kernel void index_of_best(global const float *v, global const int *names, global int *out) { int best; float most = 0; for (int k = 0; k < 8; k++) if (v[k] > most) { most = v[k]; best = k; } out[get_global_id(0)] = names[best]; }
kernel void index_of_best_from_first(global const float *v, global const int *names, global int *out) { int best = 0; float most = v[0]; for (int k = 1; k < 8; k++) if (v[k] > most) { most = v[k]; best = k; } out[get_global_id(0)] = names[best]; }

//! wrong atomic_seed_unset 32/32 buffer:i32:32=iota buffer:i32:1 -> uninitialised-store|uninitialised-branch
//! right atomic_seed_set 32/32 buffer:i32:32=iota buffer:i32:1
kernel void atomic_seed_unset(global const int *in, global int *out) { local int most; atomic_max(&most, in[get_local_id(0)]); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) *out = most; }
kernel void atomic_seed_set(global const int *in, global int *out) { local int most; if (get_local_id(0) == 0) most = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_max(&most, in[get_local_id(0)]); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) *out = most; }

//! wrong printf_of_unset 1/1 buffer:i32:1=ones -> uninitialised-store|uninitialised-branch
//! right printf_of_set 1/1 buffer:i32:1=ones
kernel void printf_of_unset(global const int *in) { float v[2]; v[0] = in[0]; printf("%f\n", v[in[0]]); }
kernel void printf_of_set(global const int *in) { float v[2]; v[0] = v[1] = in[0]; printf("%f\n", v[in[0]]); }

//! wrong long_shift_brings_unset 8/8 buffer:i32:8=iota buffer:i32:8 -> uninitialised-store
//! right long_shift_leaves_unset 8/8 buffer:i32:8=iota buffer:i32:8
kernel void long_shift_brings_unset(global const int *in, global int *out) { union { int i[2]; long l; } u; int i = get_global_id(0); u.i[0] = in[i]; out[i] = (int)(u.l >> 8); }
kernel void long_shift_leaves_unset(global const int *in, global int *out) { union { int i[2]; long l; } u; int i = get_global_id(0); u.i[0] = in[i]; out[i] = (int)(u.l << 8); }

//! wrong double_sum_unset 8/8 buffer:f64:8=ones buffer:f64:8 -> uninitialised-store
//! right double_sum_set 8/8 buffer:f64:8=ones buffer:f64:8
kernel void double_sum_unset(global const double *in, global double *out) { double s; for (int k = 0; k < 8; k++) s += in[k]; out[get_global_id(0)] = s; }
kernel void double_sum_set(global const double *in, global double *out) { double s = 0; for (int k = 0; k < 8; k++) s += in[k]; out[get_global_id(0)] = s; }
