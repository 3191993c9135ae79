// Accesses outside of global buffers.  A case is two lines, one kernel that is wrong and how it must be reported, and
// the mended one, which must be silent; tests/check/kernels.py runs them.

//! wrong read_past_end 16/4 buffer:i32:16=iota buffer:i32:16 -> out-of-bounds
//! right read_inside 16/4 buffer:i32:16=iota buffer:i32:16
kernel void read_past_end(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i + 1]; }
kernel void read_inside(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i == 15 ? 0 : i + 1]; }

//! wrong write_past_end 17/1 buffer:i32:16 -> out-of-bounds
//! right write_guarded 17/1 buffer:i32:16
kernel void write_past_end(global int *out) { out[get_global_id(0)] = 1; }
kernel void write_guarded(global int *out) { int i = get_global_id(0); if (i < 16) out[i] = 1; }

//! wrong read_before 16/16 buffer:i32:16=iota buffer:i32:16 -> out-of-bounds
//! right read_from_start 16/16 buffer:i32:16=iota buffer:i32:16
kernel void read_before(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i - 1]; }
kernel void read_from_start(global const int *in, global int *out) { int i = get_global_id(0); out[i] = i ? in[i - 1] : 0; }

//! wrong write_before 8/8 buffer:u8:8 -> out-of-bounds
//! right write_bytes 8/8 buffer:u8:8
kernel void write_before(global uchar *out) { out[(int)get_global_id(0) - 1] = 1; }
kernel void write_bytes(global uchar *out) { out[get_global_id(0)] = 1; }

//! wrong last_byte 5/5 buffer:u8:4=zeros buffer:u8:5 -> out-of-bounds
//! right all_bytes 4/4 buffer:u8:4=zeros buffer:u8:5
kernel void last_byte(global const uchar *in, global uchar *out) { int i = get_global_id(0); out[i] = in[i]; }
kernel void all_bytes(global const uchar *in, global uchar *out) { int i = get_global_id(0); out[i] = in[i]; }

//! wrong short_straddles 4/4 buffer:i16:3=zeros buffer:i16:4 -> out-of-bounds
//! right shorts 3/3 buffer:i16:3=zeros buffer:i16:4
kernel void short_straddles(global const short *in, global short *out) { int i = get_global_id(0); out[i] = in[i]; }
kernel void shorts(global const short *in, global short *out) { int i = get_global_id(0); out[i] = in[i]; }

//! wrong vector_straddles 4/4 buffer:f32:15=ones buffer:f32:16 -> out-of-bounds
//! right vectors 3/3 buffer:f32:15=ones buffer:f32:16
kernel void vector_straddles(global const float4 *in, global float4 *out) { int i = get_global_id(0); out[i] = in[i]; }
kernel void vectors(global const float4 *in, global float4 *out) { int i = get_global_id(0); out[i] = in[i]; }

//! wrong vload_past 4/4 buffer:f32:14=ones buffer:f32:16 -> out-of-bounds
//! right vload_inside 4/4 buffer:f32:16=ones buffer:f32:16
kernel void vload_past(global const float *in, global float *out) { int i = get_global_id(0); vstore4(vload4(i, in), i, out); }
kernel void vload_inside(global const float *in, global float *out) { int i = get_global_id(0); vstore4(vload4(i, in), i, out); }

//! wrong vstore_past 4/4 buffer:f32:11 -> out-of-bounds
//! right vstore_inside 4/4 buffer:f32:12
kernel void vstore_past(global float *out) { vstore3((float3)(1, 2, 3), get_global_id(0), out); }
kernel void vstore_inside(global float *out) { vstore3((float3)(1, 2, 3), get_global_id(0), out); }

//! wrong atomic_past 4/4 buffer:i32:3=zeros -> out-of-bounds
//! right atomic_inside 4/4 buffer:i32:4=zeros
kernel void atomic_past(global int *out) { atomic_inc(out + get_global_id(0)); }
kernel void atomic_inside(global int *out) { atomic_inc(out + get_global_id(0)); }

//! wrong cmpxchg_past 1/1 buffer:i32:1=zeros -> out-of-bounds
//! right cmpxchg_inside 1/1 buffer:i32:1=zeros
kernel void cmpxchg_past(global int *out) { atomic_cmpxchg(out + 1, 0, 2); }
kernel void cmpxchg_inside(global int *out) { atomic_cmpxchg(out, 0, 2); }

//! wrong uniform_past 8/8 buffer:i32:4=zeros buffer:i32:8 4 -> out-of-bounds
//! right uniform_inside 8/8 buffer:i32:4=zeros buffer:i32:8 3
kernel void uniform_past(global const int *in, global int *out, int n) { out[get_global_id(0)] = in[n]; }
kernel void uniform_inside(global const int *in, global int *out, int n) { out[get_global_id(0)] = in[n]; }

//! wrong row_past 4,4/4,4 buffer:i32:16=iota buffer:i32:16 4 -> out-of-bounds
//! right row_inside 4,4/4,4 buffer:i32:16=iota buffer:i32:16 4
kernel void row_past(global const int *in, global int *out, int w) { int x = get_global_id(0), y = get_global_id(1); out[y * w + x] = in[(y + 1) * w + x]; }
kernel void row_inside(global const int *in, global int *out, int w) { int x = get_global_id(0), y = get_global_id(1); out[y * w + x] = in[min(y + 1, w - 1) * w + x]; }

//! wrong stencil_edges 8/8 buffer:f32:8=ones buffer:f32:8 -> out-of-bounds
//! right stencil 8/8 buffer:f32:8=ones buffer:f32:8
kernel void stencil_edges(global const float *in, global float *out) { int i = get_global_id(0); out[i] = in[i - 1] + in[i] + in[i + 1]; }
kernel void stencil(global const float *in, global float *out) { int i = get_global_id(0); out[i] = i && i < 7 ? in[i - 1] + in[i] + in[i + 1] : in[i]; }

//! wrong loop_past 1/1 buffer:i32:8=iota buffer:i32:1 -> out-of-bounds
//! right loop_inside 1/1 buffer:i32:8=iota buffer:i32:1
kernel void loop_past(global const int *in, global int *out) { int s = 0; for (int i = 0; i <= 8; i++) s += in[i]; out[0] = s; }
kernel void loop_inside(global const int *in, global int *out) { int s = 0; for (int i = 0; i < 8; i++) s += in[i]; out[0] = s; }

//! wrong negative_index 4/4 buffer:i32:4=iota buffer:i32:4 -> out-of-bounds
//! right wrapped_index 4/4 buffer:i32:4=iota buffer:i32:4
kernel void negative_index(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[(i - 2) % 4]; }
kernel void wrapped_index(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[(i + 2) % 4]; }

//! wrong huge_index 4/4 buffer:i32:4=iota buffer:i32:4 -> out-of-bounds
//! right small_index 4/4 buffer:i32:4=iota buffer:i32:4
kernel void huge_index(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i * 1000000]; }
kernel void small_index(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i * 1]; }

//! wrong index_from_memory 4/4 buffer:i32:4=4 buffer:i32:4=zeros buffer:i32:4 -> out-of-bounds
//! right index_checked 4/4 buffer:i32:4=3 buffer:i32:4=zeros buffer:i32:4
kernel void index_from_memory(global const int *at, global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[at[i]]; }
kernel void index_checked(global const int *at, global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[at[i]]; }

//! wrong offset_added_twice 4/4+4 buffer:i32:8 -> out-of-bounds
//! right offset_added 4/4+4 buffer:i32:8
kernel void offset_added_twice(global int *out) { out[get_global_id(0) + get_global_offset(0)] = 1; }
kernel void offset_added(global int *out) { out[get_global_id(0)] = 1; }

//! wrong in_a_function 8/8 buffer:i32:7 -> out-of-bounds
//! right in_a_mended_function 8/8 buffer:i32:7
void put(global int *p, int i) { p[i] = i; }
void put_checked(global int *p, int i) { if (i < 7) p[i] = i; }
kernel void in_a_function(global int *out) { put(out, get_global_id(0)); }
kernel void in_a_mended_function(global int *out) { put_checked(out, get_global_id(0)); }

//! wrong long_past 2/2 buffer:i64:1 -> out-of-bounds
//! right long_inside 2/2 buffer:i64:2
kernel void long_past(global long *out) { out[get_global_id(0)] = 1; }
kernel void long_inside(global long *out) { out[get_global_id(0)] = 1; }

//! wrong one_lane 64/64 buffer:i32:63=zeros -> out-of-bounds
//! right other_lanes 64/64 buffer:i32:63=zeros
kernel void one_lane(global int *p) { p[get_global_id(0)] += 1; }
kernel void other_lanes(global int *p) { int i = get_global_id(0); if (i != 63) p[i] += 1; }

constant int table[4] = {1, 2, 3, 4};
//! wrong constant_past 5/5 buffer:i32:5 -> array-index
//! right constant_inside 4/4 buffer:i32:5
kernel void constant_past(global int *out) { int i = get_global_id(0); out[i] = table[i]; }
kernel void constant_inside(global int *out) { int i = get_global_id(0); out[i] = table[i]; }

//! wrong constant_pointer 5/5 buffer:i32:5 -> out-of-bounds
//! right constant_pointer_inside 4/4 buffer:i32:5
kernel void constant_pointer(global int *out) { int i = get_global_id(0); constant int *p = table; out[i] = p[i]; }
kernel void constant_pointer_inside(global int *out) { int i = get_global_id(0); constant int *p = table; out[i] = p[i]; }

//! wrong constant_buffer 5/5 buffer:i32:4=iota buffer:i32:5 -> out-of-bounds
//! right constant_buffer_inside 4/4 buffer:i32:4=iota buffer:i32:5
kernel void constant_buffer(constant int *in, global int *out) { int i = get_global_id(0); out[i] = in[i]; }
kernel void constant_buffer_inside(constant int *in, global int *out) { int i = get_global_id(0); out[i] = in[i]; }
