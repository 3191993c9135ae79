// Races as programs have them: halos, transposes, flags, counters, structures, vectors; in global and local memory.

struct particle { float4 position; int cell; int age; };
struct bytes { uchar a, b, c, d; };

//! wrong halo_write 32/8 buffer:i32:33=zeros -> data-race
//! right halo_inside 32/8 buffer:i32:33=zeros
kernel void halo_write(global int *p)
{
    int i = get_global_id(0);
    p[i] = i;
    if (get_local_id(0) == get_local_size(0) - 1)
        p[i + 1] = -i;
}
kernel void halo_inside(global int *p)
{
    int i = get_global_id(0);
    p[i] = i;
    if (i == get_global_size(0) - 1)
        p[i + 1] = -i;
}

//! wrong last_element 16/4 buffer:i32:16=iota buffer:i32:4 -> data-race
//! right last_element_own 16/4 buffer:i32:16=iota buffer:i32:4
kernel void last_element(global int *p, global int *sums)
{
    int i = get_global_id(0), g = get_group_id(0);
    if (get_local_id(0) == 0) {
        int s = 0;
        for (int k = 0; k <= 4; k++)
            s += 4 * g + k < 16 ? p[4 * g + k] : 0;
        sums[g] = s;
    }
    if (i == 4)
        p[i] = 9;
}
kernel void last_element_own(global int *p, global int *sums)
{
    int i = get_global_id(0), g = get_group_id(0);
    if (get_local_id(0) == 0) {
        int s = 0;
        for (int k = 0; k < 4; k++)
            s += p[4 * g + k];
        sums[g] = s;
        if (i == 4)
            p[i] = 9;
    }
}

//! wrong transpose_in_place 4,4/2,2 buffer:i32:16=iota -> data-race
//! right transpose_half 4,4/2,2 buffer:i32:16=iota
kernel void transpose_in_place(global int *m)
{
    int x = get_global_id(0), y = get_global_id(1), v = m[y * 4 + x];
    m[x * 4 + y] = v;
}
kernel void transpose_half(global int *m)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < y) {
        int v = m[y * 4 + x];
        m[y * 4 + x] = m[x * 4 + y];
        m[x * 4 + y] = v;
    }
}

//! wrong wrong_stride 8,4/8,1 buffer:i32:64 -> data-race
//! right right_stride 8,4/8,1 buffer:i32:64
kernel void wrong_stride(global int *m) { m[get_global_id(1) * 7 + get_global_id(0)] = get_global_id(0) + 100 * get_global_id(1); }
kernel void right_stride(global int *m) { m[get_global_id(1) * 8 + get_global_id(0)] = get_global_id(0) + 100 * get_global_id(1); }

//! wrong flag_without_order 16/8 buffer:i32:1=zeros buffer:i32:2=zeros buffer:i32:1 -> data-race
//! right flag_of_own_group 16/8 buffer:i32:2=zeros buffer:i32:2=zeros buffer:i32:2
kernel void flag_without_order(global int *data, global int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        data[0] = 42;
        flag[0] = 1;
    }
    if (get_global_id(0) == 8)
        out[0] = flag[0] ? data[0] : 0;
}
kernel void flag_of_own_group(global int *data, global int *flag, global int *out)
{
    int g = get_group_id(0);
    if (get_local_id(0) == 0) {
        data[g] = 42;
        flag[g] = 1;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 5)
        out[g] = flag[g] ? data[g] : 0;
}

//! wrong fence_is_no_barrier 8/8 buffer:i32:8 buffer:i32:8 -> data-race
//! right barrier_is_a_barrier 8/8 buffer:i32:8 buffer:i32:8
kernel void fence_is_no_barrier(global int *p, global int *out)
{
    int i = get_local_id(0);
    p[i] = i;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[i] = p[7 - i];
}
kernel void barrier_is_a_barrier(global int *p, global int *out)
{
    int i = get_local_id(0);
    p[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = p[7 - i];
}

//! wrong local_fence_is_no_barrier 8/8 buffer:i32:8 local:32 -> data-race
//! right local_barrier_is_one 8/8 buffer:i32:8 local:32
kernel void local_fence_is_no_barrier(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[i] = t[i ^ 1];
}
kernel void local_barrier_is_one(global int *out, local int *t)
{
    int i = get_local_id(0);
    t[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[i ^ 1];
}

//! wrong member_of_other 8/4 buffer:u8:256=zeros -> data-race
//! right other_member 8/4 buffer:u8:256=zeros
kernel void member_of_other(global struct particle *p)
{
    int i = get_global_id(0);
    p[i].age = i;
    p[i].cell = p[(i + 4) % 8].age;
}
kernel void other_member(global struct particle *p)
{
    int i = get_global_id(0);
    p[i].age = i;
    p[i].position.x = p[(i + 4) % 8].cell;
}

//! wrong byte_member 4/4 buffer:u8:4=zeros -> data-race
//! right byte_members 4/4 buffer:u8:4=zeros
kernel void byte_member(global struct bytes *p) { p->b = get_global_id(0); }
kernel void byte_members(global struct bytes *p)
{
    switch (get_global_id(0)) {
    case 0: p->a = 1; break;
    case 1: p->b = 2; break;
    case 2: p->c = 3; break;
    default: p->d = 4;
    }
}

//! wrong vector_and_element 4/4 buffer:f32:16=zeros -> data-race
//! right vector_elements 4/4 buffer:f32:16=zeros
kernel void vector_and_element(global float4 *p)
{
    int i = get_global_id(0);
    p[i] = (float4)(i);
    ((global float *)p)[(4 * i + 5) % 16] = i;
}
kernel void vector_elements(global float4 *p)
{
    int i = get_global_id(0);
    ((global float *)p)[i] = i;
    ((global float *)p)[i + 4] = i;
}

//! wrong counter_read_by_others 32/8 buffer:i32:1=zeros buffer:i32:1 -> data-race
//! right counter_by_atomics 32/8 buffer:i32:1=zeros buffer:i32:1
kernel void counter_read_by_others(global int *n, global int *out)
{
    atomic_add(n, 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 0)
        *out = *n;
}
kernel void counter_by_atomics(global int *n, global int *out)
{
    atomic_add(n, 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 0)
        *out = atomic_add(n, 0);
}

//! wrong counter_set_by_all 8/8 buffer:i32:1 buffer:i32:1 -> data-race
//! right counter_set_first 8/8 buffer:i32:1 buffer:i32:1
kernel void counter_set_by_all(global int *n, global int *out)
{
    *n = 0;
    atomic_inc(n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    *out = 1;
}
kernel void counter_set_first(global int *n, global int *out)
{
    if (get_local_id(0) == 0)
        *n = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(n);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 3)
        *out = *n;
}

//! wrong barrier_in_one_group 16/8 buffer:i32:8=zeros -> data-race
//! right barrier_in_both_groups 16/8 buffer:i32:16=zeros
kernel void barrier_in_one_group(global int *p)
{
    int i = get_local_id(0);
    if (get_group_id(0) == 0) {
        p[i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        p[i] += p[7 - i] * 0;
    } else {
        p[i] = 2 * i + 1;
    }
}
kernel void barrier_in_both_groups(global int *p)
{
    int i = get_local_id(0), first = 8 * get_group_id(0);
    p[first + i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int v = p[first + 7 - i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[first + i] = v;
}

//! wrong one_side_after_barrier 16/8 buffer:i32:2=zeros buffer:i32:16 -> data-race
//! right both_before_barrier 16/8 buffer:i32:2=zeros buffer:i32:16
kernel void one_side_after_barrier(global int *p, global int *out)
{
    int i = get_global_id(0);
    if (i == 0)
        p[0] = 5;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = p[0];
}
kernel void both_before_barrier(global int *p, global int *out)
{
    int i = get_global_id(0), g = get_group_id(0);
    if (get_local_id(0) == 0)
        p[g] = 5;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = p[g];
}

//! wrong loop_carried 8/8 buffer:f32:8=ones local:64 -> data-race
//! right loop_double_buffered 8/8 buffer:f32:8=ones local:64
kernel void loop_carried(global float *out, local float *t)
{
    int i = get_local_id(0);
    t[i] = out[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        float v = t[(i + 1) % 8];
        t[i] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = t[i];
}
kernel void loop_double_buffered(global float *out, local float *t)
{
    int i = get_local_id(0), from = 0;
    t[i] = out[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        t[8 * (1 - from) + i] = t[8 * from + (i + 1) % 8];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = t[8 * from + i];
}

//! wrong local_struct 8/8 buffer:i32:8 -> data-race
//! right local_struct_own 8/8 buffer:i32:8
kernel void local_struct(global int *out)
{
    local struct bytes s;
    int i = get_local_id(0);
    if (i == 0)
        s.a = 1;
    if (i == 1)
        s.b = 2;
    if (i == 2)
        s.a = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s.a + s.b;
}
kernel void local_struct_own(global int *out)
{
    local struct bytes s;
    int i = get_local_id(0);
    if (i == 0)
        s.a = 1;
    if (i == 1)
        s.b = 2;
    if (i == 2)
        s.c = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s.a + s.b + s.c;
}

//! wrong local_maximum 32/32 buffer:i32:32=iota buffer:i32:1 -> data-race
//! right local_maximum_atomic 32/32 buffer:i32:32=iota buffer:i32:1
kernel void local_maximum(global const int *in, global int *out)
{
    local int best;
    int i = get_local_id(0);
    if (i == 0)
        best = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[i] > best)
        best = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        *out = best;
}
kernel void local_maximum_atomic(global const int *in, global int *out)
{
    local int best;
    int i = get_local_id(0);
    if (i == 0)
        best = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&best, in[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        *out = best;
}

//! wrong matrix_in_place 4,4/4,4 buffer:f32:16=ones -> data-race
//! right matrix_apart 4,4/4,4 buffer:f32:16=ones buffer:f32:16
kernel void matrix_in_place(global float *m)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int k = 0; k < 4; k++)
        s += m[y * 4 + k] * m[k * 4 + x];
    m[y * 4 + x] = s;
}
kernel void matrix_apart(global const float *m, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    for (int k = 0; k < 4; k++)
        s += m[y * 4 + k] * m[k * 4 + x];
    out[y * 4 + x] = s;
}

//! wrong prefix_between_groups 16/4 buffer:i32:16=ones buffer:i32:4 -> data-race
//! right prefix_in_groups 16/4 buffer:i32:16=ones buffer:i32:4
kernel void prefix_between_groups(global int *p, global int *sums)
{
    int i = get_local_id(0), g = get_group_id(0);
    if (i == 0) {
        sums[g] = p[4 * g] + p[4 * g + 1] + p[4 * g + 2] + p[4 * g + 3];
        if (g)
            p[4 * g] += sums[g - 1];
    }
}
kernel void prefix_in_groups(global int *p, global int *sums)
{
    int i = get_local_id(0), g = get_group_id(0);
    if (i == 0) {
        sums[g] = p[4 * g] + p[4 * g + 1] + p[4 * g + 2] + p[4 * g + 3];
        p[4 * g] += sums[g];
    }
}

//! wrong compact_plain 16/8 buffer:i32:16=iota buffer:i32:1=zeros buffer:i32:16 -> data-race
//! right compact_atomic 16/8 buffer:i32:16=iota buffer:i32:1=zeros buffer:i32:16
kernel void compact_plain(global const int *in, global int *n, global int *out)
{
    int v = in[get_global_id(0)];
    if (v % 3 == 0)
        out[(*n)++] = v;
}
kernel void compact_atomic(global const int *in, global int *n, global int *out)
{
    int v = in[get_global_id(0)];
    if (v % 3 == 0)
        out[atomic_inc(n)] = v;
}

//! wrong bytes_of_a_word 8/4 buffer:u8:32=zeros buffer:i32:8 -> data-race
//! right bytes_of_own_word 8/4 buffer:u8:32=zeros buffer:i32:8
kernel void bytes_of_a_word(global uchar *p, global int *out)
{
    int i = get_global_id(0);
    p[4 * i + 3] = i;
    out[i] = ((global int *)p)[(i + 1) % 8];
}
kernel void bytes_of_own_word(global uchar *p, global int *out)
{
    int i = get_global_id(0);
    p[4 * i + 3] = i;
    out[i] = ((global int *)p)[i];
}

//! wrong counted_then_read_early 8/8 buffer:i32:1 -> data-race
//! right counted_then_read 8/8 buffer:i32:1
kernel void counted_then_read_early(global int *out)
{
    local int n;
    if (get_local_id(0) == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&n, 1);
    if (get_local_id(0) == 0)
        *out = n;
}
kernel void counted_then_read(global int *out)
{
    local int n;
    if (get_local_id(0) == 0)
        n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&n, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = n;
}

//! wrong counted_then_read_by_all 64/64 buffer:i32:64 local:4 -> data-race
//! right counted_by_each 64/64 buffer:i32:64 local:256
kernel void counted_then_read_by_all(global int *out, local int *n)
{
    if (get_local_id(0) == 0)
        n[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(n, 1);
    out[get_local_id(0)] = n[0];
}
kernel void counted_by_each(global int *out, local int *n)
{
    n[get_local_id(0)] = 0;
    atomic_add(n + get_local_id(0), 1);
    out[get_local_id(0)] = n[get_local_id(0)];
}

//! wrong counted_in_global_early 16/8 buffer:i32:2 buffer:i32:2 -> data-race
//! right counted_in_global 16/8 buffer:i32:2 buffer:i32:2
kernel void counted_in_global_early(volatile global int *n, global int *out)
{
    int g = get_group_id(0);
    if (get_local_id(0) == 0)
        n[g] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(n + g);
    if (get_local_id(0) == 0)
        out[g] = n[g];
}
kernel void counted_in_global(volatile global int *n, global int *out)
{
    int g = get_group_id(0);
    if (get_local_id(0) == 0)
        n[g] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(n + g);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[g] = n[g];
}

//! wrong pages_apart_shared 8/8 buffer:i32:8192=zeros -> data-race
//! right pages_apart_own 8/8 buffer:i32:8192=zeros
kernel void pages_apart_shared(global int *p)
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        p[1024 * ((i + k) % 8)] += k;
}
kernel void pages_apart_own(global int *p)
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++)
        p[1024 * ((i + k) % 8) + k] += k;
}

//! wrong pages_apart_unwritten 8/8 buffer:i32:8192 buffer:i32:8 -> uninitialised-store
//! right pages_apart_written 8/8 buffer:i32:8192 buffer:i32:8
kernel void pages_apart_unwritten(global int *p, global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 4; k++)
        p[1024 * i + k] = k;
    for (int k = 0; k < 5; k++)
        sum += p[1024 * i + k];
    out[i] = sum;
}
kernel void pages_apart_written(global int *p, global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 4; k++)
        p[1024 * i + k] = k;
    for (int k = 0; k < 4; k++)
        sum += p[1024 * i + k];
    out[i] = sum;
}
