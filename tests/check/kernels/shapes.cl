//! options -cl-std=CL3.0
// Accesses outside of objects, by unions, arrays of arrays, pointers from functions, halves, doubles, offsets.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

struct inner { short tag; float weight[3]; };
struct outer { int count; struct inner part[2]; uchar end; };
union word { int whole; uchar byte[4]; ushort half_[2]; };
struct matrix { float m[3][3]; float det; };
struct __attribute__((packed)) record { uchar kind; int value; short list[3]; };
typedef struct { int4 corner[2]; int n; } box;
struct link { global struct link *next; int value; };

//! wrong offset_range 8/4+4 buffer:i32:8=iota buffer:i32:12 -> out-of-bounds
//! right offset_range_mended 8/4+4 buffer:i32:8=iota buffer:i32:12
kernel void offset_range(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i]; }
kernel void offset_range_mended(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i - get_global_offset(0)]; }

//! wrong cube_swapped 4,3,2/2,3,1 buffer:i32:24 -> out-of-bounds
//! right cube_ordered 4,3,2/2,3,1 buffer:i32:24
kernel void cube_swapped(global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(x * get_global_size(1) + y) * get_global_size(0) + z] = x + y + z;
}
kernel void cube_ordered(global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * get_global_size(1) + y) * get_global_size(0) + x] = x + y + z;
}

//! wrong ragged_groups 10/4 buffer:i32:2 -> out-of-bounds
//! right ragged_groups_enough 10/4 buffer:i32:3
kernel void ragged_groups(global int *out) { if (get_local_id(0) == 0) out[get_group_id(0)] = get_local_size(0); }
kernel void ragged_groups_enough(global int *out) { if (get_local_id(0) == 0) out[get_group_id(0)] = get_local_size(0); }

//! wrong linear_id_plus_one 4,4/2,2 buffer:i32:16=iota buffer:i32:16 -> out-of-bounds
//! right linear_id 4,4/2,2 buffer:i32:16=iota buffer:i32:16
kernel void linear_id_plus_one(global const int *in, global int *out) { size_t i = get_global_linear_id(); out[i] = in[i + 1]; }
kernel void linear_id(global const int *in, global int *out) { size_t i = get_global_linear_id(); out[i] = in[i]; }

//! wrong half_past 8/4 buffer:f16:7=ones buffer:f32:8 -> out-of-bounds
//! right half_inside 8/4 buffer:f16:8=ones buffer:f32:8
kernel void half_past(global const half *in, global float *out) { int i = get_global_id(0); out[i] = vload_half(i, in); }
kernel void half_inside(global const half *in, global float *out) { int i = get_global_id(0); out[i] = vload_half(i, in); }

//! wrong half_four_past 4/4 buffer:f16:15 -> out-of-bounds
//! right half_four_inside 4/4 buffer:f16:16
kernel void half_four_past(global half *out) { int i = get_global_id(0); vstore_half4((float4)(i), i, out); }
kernel void half_four_inside(global half *out) { int i = get_global_id(0); vstore_half4((float4)(i), i, out); }

//! wrong double_past 4/4 buffer:f64:4=iota buffer:f64:4 -> out-of-bounds
//! right double_inside 4/4 buffer:f64:4=iota buffer:f64:4
kernel void double_past(global const double *in, global double *out) { int i = get_global_id(0); out[i] = in[i + 1]; }
kernel void double_inside(global const double *in, global double *out) { int i = get_global_id(0); out[i] = in[(i + 1) % 4]; }

//! wrong double_as_last_word 1/1 buffer:i32:5=iota buffer:f64:2 -> out-of-bounds
//! right double_as_first_word 1/1 buffer:i32:6=iota buffer:f64:2
kernel void double_as_last_word(global const int *in, global double *out) { global const double *p = (global const double *)in; out[0] = p[0] + p[2]; }
kernel void double_as_first_word(global const int *in, global double *out) { global const double *p = (global const double *)in; out[0] = p[0] + p[2]; }

//! wrong union_byte 4/4 buffer:i32:4=4 buffer:i32:4 -> array-index|out-of-bounds
//! right union_byte_inside 4/4 buffer:i32:4=3 buffer:i32:4
kernel void union_byte(global const int *in, global int *out)
{
    union word w;
    int i = get_global_id(0);
    w.whole = 0x01020304;
    out[i] = w.byte[in[i]];
}
kernel void union_byte_inside(global const int *in, global int *out)
{
    union word w;
    int i = get_global_id(0);
    w.whole = 0x01020304;
    out[i] = w.byte[in[i]];
}

//! wrong nested_weight 2/2 buffer:i32:20=zeros buffer:i32:2=3 -> array-index
//! right nested_weight_inside 2/2 buffer:i32:20=zeros buffer:i32:2=2
kernel void nested_weight(global struct outer *o, global const int *k) { int i = get_global_id(0); o[0].part[i].weight[k[i]] = 1; }
kernel void nested_weight_inside(global struct outer *o, global const int *k) { int i = get_global_id(0); o[0].part[i].weight[k[i]] = 1; }

//! wrong nested_part 2/2 buffer:i32:40=zeros buffer:i32:2=2 -> array-index
//! right nested_part_inside 2/2 buffer:i32:40=zeros buffer:i32:2=1
kernel void nested_part(global struct outer *o, global const int *k) { int i = get_global_id(0); o[i].part[k[i]].tag = 1; }
kernel void nested_part_inside(global struct outer *o, global const int *k) { int i = get_global_id(0); o[i].part[k[i]].tag = 1; }

//! wrong matrix_column 3/3 buffer:f32:10=zeros buffer:f32:3 -> array-index
//! right matrix_row 3/3 buffer:f32:10=zeros buffer:f32:3
kernel void matrix_column(global const struct matrix *a, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k <= 2; k++)
        sum += a->m[k][i + k];
    out[i] = sum;
}
kernel void matrix_row(global const struct matrix *a, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k <= 2; k++)
        sum += a->m[k][(i + k) % 3];
    out[i] = sum;
}

//! wrong packed_list 2/2 buffer:u8:22=zeros buffer:i32:2=3 -> array-index
//! right packed_list_inside 2/2 buffer:u8:22=zeros buffer:i32:2=2
kernel void packed_list(global struct record *r, global const int *k) { int i = get_global_id(0); r[i].list[k[i]] = 7; }
kernel void packed_list_inside(global struct record *r, global const int *k) { int i = get_global_id(0); r[i].list[k[i]] = 7; }

//! wrong box_corner 1/1 buffer:i32:12=zeros buffer:i32:4 2 -> array-index
//! right box_corner_inside 1/1 buffer:i32:12=zeros buffer:i32:4 1
kernel void box_corner(global const box *b, global int4 *out, int k) { out[0] = b->corner[k]; }
kernel void box_corner_inside(global const box *b, global int4 *out, int k) { out[0] = b->corner[k]; }

//! wrong private_struct_write 4/4 buffer:i32:4=iota -> array-index|out-of-bounds
//! right private_struct_write_inside 4/4 buffer:i32:4=iota
kernel void private_struct_write(global int *p)
{
    struct matrix a = {{{0}}, 5};
    int i = get_global_id(0);
    a.m[2][p[i]] = 3;
    p[i] = a.det + a.m[2][2];
}
kernel void private_struct_write_inside(global int *p)
{
    struct matrix a = {{{0}}, 5};
    int i = get_global_id(0);
    a.m[2][p[i] % 3] = 3;
    p[i] = a.det + a.m[2][2];
}

//! wrong pointer_to_row 4/4 buffer:i32:4 4 -> out-of-bounds|array-index
//! right pointer_to_row_inside 4/4 buffer:i32:4 3
int sum_row(int (*row)[4], int n) { int s = 0; for (int k = 0; k < n + 1; k++) s += (*row)[k]; return s; }
kernel void pointer_to_row(global int *out, int n)
{
    int grid[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    out[get_global_id(0)] = sum_row(&grid[1], n);
}
kernel void pointer_to_row_inside(global int *out, int n)
{
    int grid[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    out[get_global_id(0)] = sum_row(&grid[1], n);
}

//! wrong advance_pointer 4/4 buffer:i32:8=iota buffer:i32:4 -> out-of-bounds
//! right advance_pointer_inside 4/4 buffer:i32:8=iota buffer:i32:4
__attribute__((noinline)) void advance(global const int **p, int by) { *p += by; }
kernel void advance_pointer(global const int *in, global int *out)
{
    int i = get_global_id(0);
    global const int *p = in;
    advance(&p, 2 * i);
    advance(&p, 2);
    out[i] = *p;
}
kernel void advance_pointer_inside(global const int *in, global int *out)
{
    int i = get_global_id(0);
    global const int *p = in;
    advance(&p, 2 * i);
    advance(&p, 1);
    out[i] = *p;
}

//! wrong generic_local 8/8 buffer:i32:8 -> out-of-bounds
//! right generic_local_inside 8/8 buffer:i32:8
__attribute__((noinline)) int fetch(int *p, int k) { return p[k]; }
kernel void generic_local(global int *out)
{
    local int t[8];
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = fetch(t, i + 1);
}
kernel void generic_local_inside(global int *out)
{
    local int t[8];
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = fetch(t, (i + 1) % 8);
}

//! wrong generic_private 4/4 buffer:i32:4 -> out-of-bounds
//! right generic_private_inside 4/4 buffer:i32:4
kernel void generic_private(global int *out)
{
    int t[5] = {1, 2, 3, 4, 5};
    int i = get_global_id(0);
    out[i] = fetch(t, i + 2);
}
kernel void generic_private_inside(global int *out)
{
    int t[5] = {1, 2, 3, 4, 5};
    int i = get_global_id(0);
    out[i] = fetch(t, i + 1);
}

//! wrong generic_global 4/4 buffer:i32:4=iota buffer:i32:4 -> out-of-bounds
//! right generic_global_inside 4/4 buffer:i32:4=iota buffer:i32:4
kernel void generic_global(global int *in, global int *out) { int i = get_global_id(0); out[i] = fetch(in, i - 1); }
kernel void generic_global_inside(global int *in, global int *out) { int i = get_global_id(0); out[i] = fetch(in, max(i - 1, 0)); }

//! wrong vload16_past 2/2 buffer:i32:31=iota buffer:i32:32 -> out-of-bounds
//! right vload16_inside 2/2 buffer:i32:32=iota buffer:i32:32
kernel void vload16_past(global const int *in, global int *out) { int i = get_global_id(0); vstore16(vload16(i, in), i, out); }
kernel void vload16_inside(global const int *in, global int *out) { int i = get_global_id(0); vstore16(vload16(i, in), i, out); }

//! wrong char_vstore_past 4/4 buffer:u8:15 -> out-of-bounds
//! right char_vstore_inside 4/4 buffer:u8:16
kernel void char_vstore_past(global uchar *out) { int i = get_global_id(0); vstore4((uchar4)(i), 0, out + 4 * i); }
kernel void char_vstore_inside(global uchar *out) { int i = get_global_id(0); vstore4((uchar4)(i), 0, out + 4 * i); }

//! wrong long_atomic_past 4/4 buffer:i64:3=zeros -> out-of-bounds
//! right long_atomic_inside 4/4 buffer:i64:4=zeros
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void long_atomic_past(global long *p) { atom_add(&p[get_global_id(0)], 1L); }
kernel void long_atomic_inside(global long *p) { atom_add(&p[get_global_id(0)], 1L); }

//! wrong constant_table 8/8 buffer:i32:8 -> out-of-bounds|array-index
//! right constant_table_inside 8/8 buffer:i32:8
constant int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
kernel void constant_table(global int *out) { int i = get_global_id(0); out[i] = table[i / 3][i % 3]; }
kernel void constant_table_inside(global int *out) { int i = get_global_id(0); out[i] = table[i / 3 % 2][i % 3]; }

//! wrong program_array 8/8 buffer:i32:8 -> out-of-bounds|array-index
//! right program_array_inside 8/8 buffer:i32:8
global int kept[7];
global int after_kept[16];
kernel void program_array(global int *out) { int i = get_global_id(0); kept[i] = i; out[i] = after_kept[i]; }
kernel void program_array_inside(global int *out) { int i = get_global_id(0); if (i < 7) kept[i] = i; out[i] = after_kept[i]; }

//! wrong follows_link 1/1 buffer:i32:4=zeros buffer:i32:1 -> null-pointer
//! right checks_link 1/1 buffer:i32:4=zeros buffer:i32:1
kernel void follows_link(global struct link *l, global int *out) { out[0] = l->next->value; }
kernel void checks_link(global struct link *l, global int *out) { out[0] = l->next ? l->next->value : -1; }

//! wrong null_member 1/1 buffer:i32:1=zeros buffer:i32:4 -> null-pointer
//! right not_null_member 1/1 buffer:i32:1=ones buffer:i32:4
kernel void null_member(global const int *use, global struct matrix *m) { global struct matrix *p = use[0] ? m : 0; global float *q = &p->m[0][1]; if (use[0] == 0) *q = 1; }
kernel void not_null_member(global const int *use, global struct matrix *m) { global struct matrix *p = use[0] ? m : 0; global float *q = &p->m[0][1]; if (use[0]) *q = 1; }

//! wrong strided_copy_past 8/8 buffer:i32:22=iota local:32 buffer:i32:8 -> out-of-bounds
//! right strided_copy_inside 8/8 buffer:i32:22=iota local:32 buffer:i32:8
kernel void strided_copy_past(global const int *in, local int *t, global int *out)
{
    event_t e = async_work_group_strided_copy(t, in + 1, 8, 3, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)];
}
kernel void strided_copy_inside(global const int *in, local int *t, global int *out)
{
    event_t e = async_work_group_strided_copy(t, in, 8, 3, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)];
}

//! wrong local_2d 4,4/4,4 buffer:i32:16=iota buffer:i32:16 -> array-index|out-of-bounds
//! right local_2d_padded 4,4/4,4 buffer:i32:16=iota buffer:i32:16
kernel void local_2d(global const int *in, global int *out)
{
    local int t[4][4];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x + 1] = in[4 * y + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * y + x] = t[y][x + 1];
}
kernel void local_2d_padded(global const int *in, global int *out)
{
    local int t[4][5];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x + 1] = in[4 * y + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * y + x] = t[y][x + 1];
}

//! wrong local_two_arrays 8/8 buffer:i32:8 -> out-of-bounds|array-index
//! right local_two_arrays_inside 8/8 buffer:i32:8
kernel void local_two_arrays(global int *out)
{
    local int a[8], b[8];
    int i = get_local_id(0);
    a[i] = i, b[i] = 2 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = a + i;
    out[i] = p[8];
}
kernel void local_two_arrays_inside(global int *out)
{
    local int a[8], b[8];
    int i = get_local_id(0);
    a[i] = i, b[i] = 2 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = b + i;
    out[i] = p[0];
}

//! wrong vector_index 4/4 buffer:i32:16=iota buffer:i32:4 -> out-of-bounds|array-index
//! right vector_index_inside 4/4 buffer:i32:16=iota buffer:i32:4
kernel void vector_index(global const int4 *in, global int *out)
{
    int4 v = in[0];
    int i = get_global_id(0);
    out[i] = ((int *)&v)[i + 1];
}
kernel void vector_index_inside(global const int4 *in, global int *out)
{
    int4 v = in[0];
    int i = get_global_id(0);
    out[i] = ((int *)&v)[i];
}

//! wrong struct_by_value 2/2 buffer:i32:10=iota buffer:i32:2=3 buffer:f32:2 -> array-index|out-of-bounds
//! right struct_by_value_inside 2/2 buffer:i32:10=iota buffer:i32:2=2 buffer:f32:2
float pick(struct matrix a, int r, int c) { return a.m[r][c]; }
kernel void struct_by_value(global const struct matrix *a, global const int *k, global float *out) { int i = get_global_id(0); out[i] = pick(*a, i, k[i]); }
kernel void struct_by_value_inside(global const struct matrix *a, global const int *k, global float *out) { int i = get_global_id(0); out[i] = pick(*a, i, k[i]); }

//! wrong compare_exchange_past 4/4 buffer:i32:3=zeros -> out-of-bounds
//! right compare_exchange_inside 4/4 buffer:i32:4=zeros
kernel void compare_exchange_past(global atomic_int *p) { int e = 0; atomic_compare_exchange_strong(&p[get_global_id(0)], &e, 1); }
kernel void compare_exchange_inside(global atomic_int *p) { int e = 0; atomic_compare_exchange_strong(&p[get_global_id(0)], &e, 1); }

//! wrong atomic_float_past 4/4 buffer:f32:3=zeros -> out-of-bounds
//! right atomic_float_inside 4/4 buffer:f32:4=zeros
kernel void atomic_float_past(global float *p) { atomic_xchg(&p[get_global_id(0)], 1.0f); }
kernel void atomic_float_inside(global float *p) { atomic_xchg(&p[get_global_id(0)], 1.0f); }

//! wrong writes_through_constant 1/1 buffer:i32:1=zeros -> write-to-read-only|out-of-bounds
//! right reads_constant 1/1 buffer:i32:1=zeros
kernel void writes_through_constant(global int *p) { size_t a = (size_t)&table[0][0]; global int *q = (global int *)a; q[0] = 4; p[0] = 1; }
kernel void reads_constant(global int *p) { p[0] = table[0][0]; }

//! wrong before_local_argument 8/8 local:32 buffer:i32:8 -> out-of-bounds
//! right local_argument_from_start 8/8 local:32 buffer:i32:8
kernel void before_local_argument(local int *t, global int *out) { int i = get_local_id(0); t[i] = i; barrier(1); out[i] = t[i - 1]; }
kernel void local_argument_from_start(local int *t, global int *out) { int i = get_local_id(0); t[i] = i; barrier(1); out[i] = t[max(i - 1, 0)]; }
