// Accesses outside of objects: rows, structures, vectors, copies, casts; rights and alignment.

struct table { int head; int row[3]; int tail; };
struct grid { float cell[2][3]; float sum; };
struct node { int next; uchar name[6]; short weight; };

//! wrong column_past 4,4/4,1 buffer:i32:15=iota buffer:i32:16 -> out-of-bounds
//! right column_inside 4,4/4,1 buffer:i32:16=iota buffer:i32:16
kernel void column_past(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[4 * y + x] = in[4 * x + y];
}
kernel void column_inside(global const int *in, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[4 * y + x] = in[4 * x + y];
}

//! wrong rounded_up_range 12/4 buffer:i32:10=iota buffer:i32:10 10 -> out-of-bounds
//! right rounded_up_guard 12/4 buffer:i32:10=iota buffer:i32:10 10
kernel void rounded_up_range(global const int *in, global int *out, int n) { int i = get_global_id(0); out[i] = in[i] * 2; }
kernel void rounded_up_guard(global const int *in, global int *out, int n) { int i = get_global_id(0); if (i < n) out[i] = in[i] * 2; }

//! wrong three_of_four 4/4 buffer:i32:14=iota buffer:i32:16 -> out-of-bounds
//! right three_packed 4/4 buffer:i32:12=iota buffer:i32:16
kernel void three_of_four(global const int3 *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[i].z;
}
kernel void three_packed(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = vload3(i, in).z;
}

//! wrong struct_copy_past 3/3 buffer:i32:10=iota buffer:i32:15 -> out-of-bounds
//! right struct_copy_inside 2/2 buffer:i32:10=iota buffer:i32:15
kernel void struct_copy_past(global const struct table *in, global struct table *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}
kernel void struct_copy_inside(global const struct table *in, global struct table *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}

//! wrong cast_to_wider 4/4 buffer:u8:30=zeros buffer:i64:4 -> out-of-bounds
//! right cast_to_wider_inside 4/4 buffer:u8:32=zeros buffer:i64:4
kernel void cast_to_wider(global const uchar *in, global long *out)
{
    int i = get_global_id(0);
    out[i] = ((global const long *)in)[i];
}
kernel void cast_to_wider_inside(global const uchar *in, global long *out)
{
    int i = get_global_id(0);
    out[i] = ((global const long *)in)[i];
}

//! wrong wrapped_unsigned 4/4 buffer:i32:4=iota buffer:i32:4 -> out-of-bounds
//! right wrapped_signed 4/4 buffer:i32:4=iota buffer:i32:4
kernel void wrapped_unsigned(global const int *in, global int *out)
{
    uint i = get_global_id(0);
    out[i] = in[min(i - 1, 4u)];
}
kernel void wrapped_signed(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] = in[max(i - 1, 0)];
}

//! wrong other_buffer 4/4 buffer:i32:4=iota buffer:i32:4 -> out-of-bounds
//! right same_buffer 4/4 buffer:i32:4=iota buffer:i32:4
kernel void other_buffer(global const int *in, global int *out)
{
    int i = get_global_id(0);
    global const int *p = in;
    for (int k = 0; k < i + 2; k++)
        p++;
    out[i] = *p;
}
kernel void same_buffer(global const int *in, global int *out)
{
    int i = get_global_id(0);
    global const int *p = in;
    for (int k = 0; k < i; k++)
        p++;
    out[i] = *p;
}

//! wrong copy_out_past 8/8 buffer:i32:7 local:32 -> out-of-bounds
//! right copy_out_inside 8/8 buffer:i32:8 local:32
kernel void copy_out_past(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}
kernel void copy_out_inside(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, t, 8, 0);
    wait_group_events(1, &e);
}

//! wrong local_halo 8/8 buffer:i32:8=iota buffer:i32:8 -> out-of-bounds
//! right local_halo_inside 8/8 buffer:i32:8=iota buffer:i32:8
int neighbours(local int *t, int i) { return t[i - 1] + t[i + 1]; }
kernel void local_halo(global const int *in, global int *out)
{
    local int t[8];
    int i = get_local_id(0);
    t[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = neighbours(t, i);
}
kernel void local_halo_inside(global const int *in, global int *out)
{
    local int t[10];
    int i = get_local_id(0);
    t[i + 1] = in[i];
    if (i == 0)
        t[0] = t[9] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = neighbours(t, i + 1);
}

//! wrong private_stack 4/4 buffer:i32:4=iota -> out-of-bounds
//! right private_stack_enough 4/4 buffer:i32:4=iota
int push_all(int *stack, int n) { int top = 0; for (int k = 0; k <= n; k++) stack[top++] = k; return stack[top - 1]; }
kernel void private_stack(global int *p) { int stack[3], i = get_global_id(0); p[i] = push_all(stack, p[i]); }
kernel void private_stack_enough(global int *p) { int stack[4], i = get_global_id(0); p[i] = push_all(stack, p[i]); }

//! wrong struct_row 4/4 buffer:i32:20=iota buffer:i32:4 -> array-index
//! right struct_row_inside 4/4 buffer:i32:20=iota buffer:i32:4
kernel void struct_row(global const struct table *t, global int *out)
{
    int i = get_global_id(0);
    out[i] = t[i].row[i];
}
kernel void struct_row_inside(global const struct table *t, global int *out)
{
    int i = get_global_id(0);
    out[i] = t[i].row[i % 3];
}

//! wrong struct_grid 3/3 buffer:f32:21=ones -> array-index
//! right struct_grid_inside 3/3 buffer:f32:21=ones
kernel void struct_grid(global struct grid *g)
{
    int i = get_global_id(0);
    float s = 0;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x <= 3; x++)
            s += g[i].cell[y][x];
    g[i].sum = s;
}
kernel void struct_grid_inside(global struct grid *g)
{
    int i = get_global_id(0);
    float s = 0;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++)
            s += g[i].cell[y][x];
    g[i].sum = s;
}

//! wrong struct_name 2/2 buffer:u8:24=zeros -> array-index
//! right struct_name_inside 2/2 buffer:u8:24=zeros
kernel void struct_name(global struct node *n)
{
    int i = get_global_id(0);
    for (int k = 0; k < 7; k++)
        n[i].name[k] = k;
}
kernel void struct_name_inside(global struct node *n)
{
    int i = get_global_id(0);
    for (int k = 0; k < 6; k++)
        n[i].name[k] = k;
}

//! wrong local_struct_row 4/4 buffer:i32:4 -> array-index
//! right local_struct_row_inside 4/4 buffer:i32:4
kernel void local_struct_row(global int *out)
{
    local struct table t;
    int i = get_local_id(0);
    if (i == 0)
        t.head = t.tail = 0;
    t.row[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t.tail;
}
kernel void local_struct_row_inside(global int *out)
{
    local struct table t;
    int i = get_local_id(0);
    if (i == 0)
        t.head = t.tail = 0;
    if (i < 3)
        t.row[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t.tail;
}

//! wrong private_struct_row 4/4 buffer:i32:4 -> array-index
//! right private_struct_row_inside 4/4 buffer:i32:4
kernel void private_struct_row(global int *out)
{
    struct table t = {1, {2, 3, 4}, 5};
    int i = get_global_id(0);
    t.row[i] = 7;
    out[i] = t.tail + t.row[0];
}
kernel void private_struct_row_inside(global int *out)
{
    struct table t = {1, {2, 3, 4}, 5};
    int i = get_global_id(0);
    t.row[i % 3] = 7;
    out[i] = t.tail + t.row[0];
}

//! wrong element_pointer 4/4 buffer:i32:20=iota buffer:i32:4 -> array-index
//! right element_pointer_inside 4/4 buffer:i32:20=iota buffer:i32:4
kernel void element_pointer(global const struct table *t, global int *out)
{
    int i = get_global_id(0);
    global const int *p = &t[0].row[i + 1];
    out[i] = *p;
}
kernel void element_pointer_inside(global const struct table *t, global int *out)
{
    int i = get_global_id(0);
    global const int *p = &t[0].row[i % 3];
    out[i] = *p;
}

//! wrong const_cast_away 4/4 readonly:i32:4=iota -> write-to-read-only
//! right const_kept 4/4 readonly:i32:4=iota buffer:i32:4
kernel void const_cast_away(global const int *p) { ((global int *)p)[get_global_id(0)] = 0; }
kernel void const_kept(global const int *p, global int *out) { out[get_global_id(0)] = p[get_global_id(0)]; }

//! wrong through_a_struct 2/2 readonly:i32:10=iota -> write-to-read-only
//! right from_a_struct 2/2 readonly:i32:10=iota writeonly:i32:10
kernel void through_a_struct(global struct table *t) { t[get_global_id(0)].row[1] = 3; }
kernel void from_a_struct(global struct table *t, global struct table *out) { out[get_global_id(0)] = t[get_global_id(0)]; }

//! wrong accumulate_write_only 4/4 writeonly:i32:4=zeros -> read-of-write-only
//! right set_write_only 4/4 writeonly:i32:4=zeros
kernel void accumulate_write_only(global int *p) { p[get_global_id(0)] += 2; }
kernel void set_write_only(global int *p) { p[get_global_id(0)] = 2; }

//! wrong copy_write_only 8/8 writeonly:i32:8=zeros buffer:i32:8 local:32 -> read-of-write-only
//! right copy_to_write_only 8/8 writeonly:i32:8=zeros buffer:i32:8 local:32
kernel void copy_write_only(global int *p, global int *out, local int *t)
{
    event_t e = async_work_group_copy(t, p, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)];
}
kernel void copy_to_write_only(global int *p, global int *out, local int *t)
{
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(p, t, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)];
}

//! wrong odd_float 4/4 buffer:u8:32=zeros buffer:f32:4 -> misaligned
//! right even_float 4/4 buffer:u8:32=zeros buffer:f32:4
kernel void odd_float(global const char *in, global float *out) { int i = get_global_id(0); out[i] = *(global const float *)&in[4 * i + 1]; }
kernel void even_float(global const char *in, global float *out) { int i = get_global_id(0); out[i] = *(global const float *)&in[4 * i + 4]; }

//! wrong int4_by_element 4/4 buffer:i32:16=iota buffer:i32:16 -> misaligned
//! right int4_by_vload 4/4 buffer:i32:20=iota buffer:i32:16
kernel void int4_by_element(global const int *in, global int4 *out) { int i = get_global_id(0); out[i] = *(global const int4 *)(in + i); }
kernel void int4_by_vload(global const int *in, global int4 *out) { int i = get_global_id(0); out[i] = vload4(0, in + i); }

//! wrong local_misaligned 4/4 buffer:i32:4 local:20 -> misaligned
//! right local_aligned 4/4 buffer:i32:4 local:20
kernel void local_misaligned(global int *out, local uchar *t)
{
    int i = get_local_id(0);
    *(local int *)(t + 4 * i + 2) = i;
    out[i] = i;
}
kernel void local_aligned(global int *out, local uchar *t)
{
    int i = get_local_id(0);
    *(local int *)(t + 4 * i) = i;
    out[i] = i;
}

//! wrong packed_member 2/2 buffer:u8:16=zeros -> misaligned
//! right packed_member_right 2/2 buffer:u8:16=zeros
struct __attribute__((packed)) squeezed { uchar tag; int value; };
kernel void packed_member(global struct squeezed *p) { global int *v = (global int *)((global uchar *)(p + get_global_id(0)) + 1); *v = 3; }
kernel void packed_member_right(global struct squeezed *p) { p[get_global_id(0)].value = 3; }

//! wrong double_long 2/2 buffer:i32:6=zeros buffer:i64:2 -> misaligned
//! right double_long_aligned 2/2 buffer:i32:6=zeros buffer:i64:2
kernel void double_long(global const int *in, global long *out) { int i = get_global_id(0); out[i] = *(global const long *)(in + 2 * i + 1); }
kernel void double_long_aligned(global const int *in, global long *out) { int i = get_global_id(0); out[i] = *(global const long *)(in + 2 * i + 2); }

//! wrong null_struct 2/2 buffer:i32:10=zeros -> null-pointer
//! right null_struct_tested 2/2 buffer:i32:10=zeros
kernel void null_struct(global struct table *t)
{
    int i = get_global_id(0);
    global struct table *next = t[i].head ? t + 1 : 0;
    t[i].tail = next->tail;
}
kernel void null_struct_tested(global struct table *t)
{
    int i = get_global_id(0);
    global struct table *next = t[i].head ? t + 1 : 0;
    t[i].tail = next ? next->tail : 0;
}
