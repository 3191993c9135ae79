struct node {
    __global struct node *next;
    long value;
};

__kernel void far(__global int *p, ulong n, __global struct node *list)
{
    size_t gid = get_global_id(0);
    size_t at = n - 4 + gid;
    __global int *last = p + at;
    *last = (int)gid + 100;
    list[gid].next = list + gid + 1;
    list[gid].value = -5000000000 - (long)gid;
    p[gid] = 7;
}
