// The work-item functions in one, two and three dimensions, with offsets and with no local size given.
//
// options: -cl-std=CL1.2
// data: out int[64] value -1
// run: one 48/16+5 out
// gives: out=23651bb5b3d4a364
// data: out int[1200] value -1
// run: every 10x6x4/5x2x2 out
// gives: out=d9caacf08e9f0769
// data: out int[1200] value -1
// run: every 10x6x4/10x1x4+3x0x7 out
// gives: out=3ff5a161b1aea144
// data: out int[360] value -1
// run: two 9x7/3x7+1x2 out
// gives: out=9658f7539b2fc728
// data: out int[64] value -1
// run: free 60 out
// gives: out=f1cf90a7286e5d75
// data: out int[130] value -1
// run: beyond 64/64 out
// gives: out=487aee7147eef83d
// data: out int[24] zero
// run: required 24x2/12x2 out
// gives: out=e439f6bf5caac9e5
// data: out int[7] zero
// run: single 7/1 out
// gives: out=dc197665388985b9

kernel void one(global int *out)
{
    int i = get_global_id(0);
    out[i] = i * 100 + get_local_id(0) + 10 * get_group_id(0) + 1000000 * get_global_offset(0);
}

kernel void every(global int *out)
{
    int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    int z = get_global_id(2) - get_global_offset(2);
    global int *o = out + ((z * 6 + y) * 10 + x) * 5;
    o[0] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);
    o[1] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
    o[2] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    o[3] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
    o[4] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2) + 1000000 * get_work_dim();
}

kernel void two(global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 12 + x] = get_local_id(0) * 7 + get_local_id(1) + 1000 * (int)get_global_size(0) + 100000 * (int)get_global_size(1);
}

kernel void free(global int *out)
{
    out[get_global_id(0)] = get_group_id(0) * get_local_size(0) + get_local_id(0);
}

// Dimensions that are not there.
kernel void beyond(global int *out)
{
    int i = get_global_id(0);
    out[i * 2] = get_global_id(1) + get_global_size(2) * 10 + get_local_id(1) + get_local_size(2) * 100;
    out[i * 2 + 1] = get_group_id(2) + get_num_groups(1) * 10 + get_global_offset(1) + get_work_dim() * 100;
}

__attribute__((reqd_work_group_size(12, 2, 1))) kernel void required(global int *out)
{
    atomic_add(&out[get_group_id(0) * 12 + get_local_id(0)], (int)get_local_size(1) * 10 + get_local_id(1));
}

kernel void single(global int *out)
{
    local int l;
    l = get_global_id(0) * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0)] = l + get_num_groups(0);
}
