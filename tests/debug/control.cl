int helper(int a, int b)
{
    int c = a * b;
    return c + 1;
}

__kernel void diverge(__global int *out, int n)
{
    int gid = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < gid % 5; i++) {
        sum += i * n;
    }
    if (gid & 1)
        sum = helper(sum, 3);
    else
        sum -= 7;
    out[gid] = sum;
}

__kernel void meet(__global int *out, __local int *tile)
{
    __local int total;
    int lid = get_local_id(0);
    tile[lid] = lid * lid;
    if (lid == 0)
        total = 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = tile[(lid + 1) % get_local_size(0)];
    out[get_global_id(0)] = next + total;
}

__kernel void wild(__global int *out, int far)
{
    int gid = get_global_id(0);
    int at = gid == 5 ? far : gid;
    out[at] = gid;
}

__kernel void talk(__global int *out)
{
    int gid = get_global_id(0);
    if (gid % 16 == 3)
        printf("item %d\n", gid);
    out[gid] = gid;
}

__kernel void endless(__global volatile int *flag)
{
    int turns = 0;
    while (flag[0] == 0)
        turns++;
    flag[1] = turns;
}
