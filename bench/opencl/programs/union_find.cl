//! buffer parent int 16384 sorted
//! buffer from int 16384 below 16384
//! buffer to int 16384 below 16384
//! launch join 16384 / 128 : parent from to
//! launch flatten 16384 / 128 : parent
int find(volatile global int *parent, int x)
{
    int p = parent[x];
    while (p != x) {
        x = p;
        p = parent[x];
    }
    return x;
}
kernel void join(volatile global int *parent, global const int *from, global const int *to)
{
    int a = find(parent, from[get_global_id(0)]), b = find(parent, to[get_global_id(0)]);
    while (a != b) {
        int hi = max(a, b), lo = min(a, b), old = atomic_cmpxchg(&parent[hi], hi, lo);
        if (old == hi)
            break;
        a = find(parent, old), b = find(parent, lo);
    }
}
kernel void flatten(volatile global int *parent)
{
    int i = get_global_id(0);
    parent[i] = find(parent, i);
}
