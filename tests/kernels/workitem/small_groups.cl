// Workgroups that do not fill a warp.  A kernel that does not observe them may run in larger ones; where work-items of different
// workgroups share a lock, each still has its own warp.
//
// data: out int[211] value -1
// run: line 199/1+7 out
// gives: out=c6f8e049df9dfee2
// data: out int[600] value -1
// run: plane 23x11/1x11+2x5 out
// gives: out=dcb8fc9a72596459
// data: out int[1100] value -1
// run: space 10x6x7/5x2x1+1x2x3 out
// gives: out=a1e89f2fef266507
// data: out int[240] value -1
// run: own 120/4+3 out
// gives: out=5bea29e49481feb9
// data: a uint[128] random 0 15
// data: bins uint[16] zero
// run: count 128/2 a bins
// gives: a=9ca02b4737b69b05 bins=d42b1624ccecb6c1
// data: lock int[1] zero
// data: sum int[2] zero
// run: turns 40/1 lock sum
// gives: lock=4d25767f9dce13f5 sum=2788cdf5086e73e0
// data: a float[96] random -4 4
// data: out float[96] zero
// run: paths 96/8 a out
// near: 1e-6
// gives: a=1.99075445,0.532470703,-0.360595703,-1.70471191,0.349365234,3.15148926,0.211547852,3.78149414,1.48046875 out=1.801436,0.532470703,1.61815667,0.226137161,2.40916777,2.58696318,1.53455925,2.07216549,1.81854534

kernel void line(global int *out)
{
    int i = get_global_id(0);
    out[i] = i * 3 + (int)(get_global_size(0) + get_global_offset(0) * 1000);
}

kernel void plane(global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * 25 + x] = x * y + get_work_dim() * 100000;
}

kernel void space(global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    out[(z * 8 + y) * 11 + x] = x + 100 * y + 10000 * z;
}

// This one asks, so the workgroups are as the host said.
kernel void own(global int *out)
{
    int i = get_global_id(0);
    out[i] = (int)(get_local_id(0) + 10 * get_group_id(0) + 1000 * get_local_size(0) + 10000 * get_num_groups(0));
}

kernel void count(global const uint *a, global uint *bins)
{
    atomic_inc(&bins[a[get_global_id(0)]]);
}

void enter(volatile global int *lock)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
}

kernel void turns(volatile global int *lock, volatile global int *sum)
{
    enter(lock);
    sum[0] = sum[0] + 1;
    sum[1] = sum[1] + (int)get_global_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}

// Every work-item has a loop of its own length.
kernel void paths(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float x = a[i];
    for (int n = 0; n < (i * 7) % 23; n++)
        x = n & 1 ? x * 0.75f + 1.0f : x - 0.5f;
    out[i] = x;
}
