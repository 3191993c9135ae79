// Sets that work-items unite: each points to another one, to one that points to itself.
//
// data: up int[4096] steps 0 1
// data: from int[4096] random 0 4095
// data: to int[4096] random 0 4095
// run: unite 1024/64 up from to
// run: flatten 4096/64 up
// run: unite_least 1000/50 up to from
// run: flatten_twice 4096/128 up
// gives: up=a12e918d8d6aa324 from=f287741c09e70b4e to=d086a744caae0d98

int root(volatile global int *up, int i)
{
    for (int p; (p = up[i]) != i;)
        i = p;
    return i;
}

kernel void unite(volatile global int *up, global const int *from, global const int *to)
{
    int a = root(up, from[get_global_id(0)]), b = root(up, to[get_global_id(0)]);
    while (a != b) {
        int high = max(a, b), low = min(a, b), old = atomic_cmpxchg(&up[high], high, low);
        if (old == high)
            break;
        a = root(up, old), b = root(up, low);
    }
}

kernel void flatten(volatile global int *up)
{
    up[get_global_id(0)] = root(up, get_global_id(0));
}

kernel void unite_least(volatile global int *up, global const int *from, global const int *to)
{
    int a = from[get_global_id(0)], b = to[get_global_id(0)], old;
    for (bool done = false; !done;) {
        a = root(up, a), b = root(up, b);
        if (a < b)
            old = atomic_min(&up[b], a), done = old == b, b = old;
        else if (b < a)
            old = atomic_min(&up[a], b), done = old == a, a = old;
        else
            done = true;
    }
}

kernel void flatten_twice(volatile global int *up) /* reads each word twice */
{
    int i = get_global_id(0);
    while (up[i] != i)
        i = up[i];
    up[get_global_id(0)] = i;
}
