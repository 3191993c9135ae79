// Elements of vectors, bit-fields, and races in which some of the values are the same.
//! right write_only_element 8/4 writeonly:i32:32
//! wrong write_only_element_read 8/4 writeonly:i32:32 -> read-of-write-only
kernel void write_only_element(global int4 *o)
{
    int i = get_global_id(0);
    o[i].yw = (int2)(1, 2);
    o[i].x = 3;
}
kernel void write_only_element_read(global int4 *o)
{
    o[get_global_id(0)].y += 3;
}
//! wrong element_twice 8/8 buffer:i32:8=zeros -> data-race
//! right element_each 8/8 buffer:i32:8 local:16
kernel void element_twice(global int4 *o)
{
    int i = get_local_id(0);
    o[i / 4].y = i;
}
kernel void element_each(global int4 *o, local int4 *t)
{
    int i = get_local_id(0);
    o[i / 4][i & 3] = i;
    if (i == 0)
        t->x = 1;
    else if (i == 1)
        t->yw = (int2)(2, 3);
}
//! wrong element_after_end 4/4 buffer:i32:14 -> out-of-bounds
//! right element_before_end 4/4 buffer:i32:14
kernel void element_after_end(global int4 *o)
{
    o[get_global_id(0)].z = 1;
}
kernel void element_before_end(global int4 *o)
{
    o[get_global_id(0)].y = 1;
}
//! wrong element_misaligned 1 buffer:i32:16=zeros -> misaligned
//! right element_aligned 1 buffer:i32:16=zeros
kernel void element_misaligned(global int *o)
{
    global int4 *p = (global int4 *)(o + 1);
    p->x = 1;
}
kernel void element_aligned(global int *o)
{
    global int4 *p = (global int4 *)(o + 4);
    p->x = 1;
}
//! wrong element_never_written 4/4 buffer:f32:16 buffer:f32:4 -> uninitialised-store
//! right element_written 4/4 buffer:f32:16 buffer:f32:4
kernel void element_never_written(global float3 *v, global float *o)
{
    int i = get_global_id(0);
    v[i].xz = (float2)(1, 2);
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = v[i].x + v[i].y;
}
kernel void element_written(global float3 *v, global float *o)
{
    int i = get_global_id(0);
    v[i].xz = (float2)(1, 2);
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = v[i].x + v[i].z;
}
//! wrong loop_of_values 4/4 buffer:i32:1=zeros -> data-race
//! right loop_of_one 4/4 buffer:i32:1=zeros
kernel void loop_of_values(volatile global int *p)
{
    for (int i = 1; i < 4; i++)
        *p = i;
}
kernel void loop_of_one(volatile global int *p)
{
    for (int i = 1; i < 4 && !get_local_id(0); i++)
        *p = i;
}
//! wrong rows_of_one_value 16,2/8,2 buffer:i32:16 -> data-race-same-value
//! right one_row 16,2/8,2 buffer:i32:16
kernel void rows_of_one_value(global int *p)
{
    p[get_global_id(0)] = get_local_size(0);
}
kernel void one_row(global int *p)
{
    if (!get_global_id(1))
        p[get_global_id(0)] = get_local_size(0);
}
//! wrong cleared_before_copy 4/4 buffer:i32:4=iota local:16 -> data-race
//! right cleared_and_met 4/4 buffer:i32:4=iota local:16
kernel void cleared_before_copy(global int *data, local int *t)
{
    int i = get_local_id(0);
    t[i] = 0;
    event_t e = async_work_group_copy(t, data, get_local_size(0), 0);
    wait_group_events(1, &e);
    data[get_local_size(0) - i - 1] = t[i];
}
kernel void cleared_and_met(global int *data, local int *t)
{
    int i = get_local_id(0);
    t[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(t, data, get_local_size(0), 0);
    wait_group_events(1, &e);
    data[get_local_size(0) - i - 1] = t[i];
}
typedef struct {
    uint a : 3, b : 5, c : 24;
} bits;
//! wrong field_never_written 4/4 buffer:i32:4 buffer:i32:4 -> uninitialised-store
//! right field_written 4/4 buffer:i32:4 buffer:i32:4
kernel void field_never_written(global bits *s, global int *o)
{
    int i = get_local_id(0);
    s[i].a = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] = s[i].c;
}
kernel void field_written(global bits *s, global int *o)
{
    int i = get_local_id(0);
    s[i].a = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    s[i].c = 7;
    o[i] = s[i].a + s[i].c;
}
//! wrong fields_of_two 2/2 buffer:i32:1=zeros -> data-race
//! right fields_in_turn 2/2 buffer:i32:1=zeros
kernel void fields_of_two(global bits *s)
{
    if (get_local_id(0))
        s->a = 1;
    else
        s->b = 2;
}
kernel void fields_in_turn(global bits *s)
{
    if (get_local_id(0))
        s->a = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (!get_local_id(0))
        s->b = 2;
}
//! wrong local_field_other 4/4 buffer:i32:4 -> uninitialised-store
//! right local_field 4/4 buffer:i32:4
kernel void local_field_other(global int *o)
{
    local bits t[4];
    int i = get_local_id(0);
    t[i].a = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[3 - i].c;
}
kernel void local_field(global int *o)
{
    local bits t[4];
    int i = get_local_id(0);
    t[i].a = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[3 - i].a;
}
