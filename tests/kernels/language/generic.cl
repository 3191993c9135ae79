// Generic pointers: functions that take any pointer, pointers of several spaces merged, casts back.  Every work-item
// computes everything twice, with and without them, and counts what agrees; the reference has none and counts only.
//
// options: -cl-std=CL3.0
// data: in int[256] random 0 100000
// data: out int[256] zero
// run: any_space 256/64 in out
// run: meet 256/64 in out
// run: back 256/64 in out
// run: stored 256/64 in out
// run: atomics 256/64 in out
// run: copies 64/64 in out
// gives: in=c21ddf5fc9e3f87f out=660f467439c10125

#ifdef __opencl_c_generic_address_space
int sum(const int *p, int n)
{
    int s = 0;
    for (int k = 0; k < n; k++)
        s = s * 3 + p[k];
    return s;
}
#define SUM(a, at) ((((a)[at] * 3 + (a)[at + 1]) * 3 + (a)[at + 2]) * 3 + (a)[at + 3])
void add(int *p, int v) { *p += v; }

kernel void any_space(global const int *in, global int *out)
{
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0), mine[4] = {i, in[i], 3, 4}, n = in[i] & 3;
    shared[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    add(&mine[n], 5);
    add(&shared[l], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    add(&out[i], sum(mine, 4) == SUM(mine, 0) && mine[n] == (n == 0 ? i : n == 1 ? in[i] : n + 1) + 5);
    add(&out[i], sum(shared + (l & 60), 4) == SUM(shared, (l & 60)) && shared[l] == in[i] + 1);
    add(&out[i], sum(in + (i & 252), 4) == SUM(in, (i & 252)));
}

kernel void meet(global const int *in, global int *out)
{
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0), mine[4] = {i, 2, 3, 4}, s = 0, which = in[i] % 3;
    shared[l] = in[i] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = which == 0   ? (const int *)mine
                   : which == 1 ? (const int *)&shared[l & 60]
                                : (const int *)(in + (i & 252));
    for (const int *end = p + 4; p < end; p++)
        s = s * 3 + *p;
    const int *none = in[i] & 4 ? p : 0;
    int expected = which == 0 ? SUM(mine, 0) : which == 1 ? SUM(shared, (l & 60)) : SUM(in, (i & 252));
    out[i] += (s == expected) + ((none != 0) == ((in[i] & 4) != 0));
}

kernel void back(global const int *in, global int *out)
{
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0), mine[2] = {i, 2}, which = in[i] % 3;
    shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    void *p = which == 0 ? (void *)mine : which == 1 ? (void *)&shared[l] : (void *)&out[i];
    global int *g = to_global((int *)p);
    local int *s = to_local((int *)p);
    private int *m = to_private((int *)p);
    out[i] += which == 0 ? !g && !s && m && *m == i : which == 1 ? !g && s && !m && *s == l : g == &out[i] && !s && !m;
    out[i] += get_fence(p) == (which == 1 ? CLK_LOCAL_MEM_FENCE : which == 2 ? CLK_GLOBAL_MEM_FENCE : 0);
}

struct holder { int *p; struct holder *next; };

kernel void stored(global const int *in, global int *out)
{
    local int shared[64];
    int i = get_global_id(0), l = get_local_id(0), mine = in[i], s = 0, before = out[i];
    shared[l] = in[i] >> 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = shared[63 - l];
    struct holder a = {&mine, 0}, b = {&shared[63 - l], &a}, c = {&out[i], &b}, *at = &c;
    do {
        s = s * 7 + *at->p;
        *at->p = at == &b ? *at->p : s;
        at = at->next;
    } while (at);
    out[i] = before + (s == (before * 7 + other) * 7 + in[i]) + (mine == s);
}

int next(volatile atomic_int *p, int v)
{
    int expected = 3;
    atomic_compare_exchange_strong_explicit(p, &expected, 30, memory_order_relaxed, memory_order_relaxed,
                                            memory_scope_work_group);
    return atomic_fetch_add_explicit(p, v, memory_order_relaxed, memory_scope_work_group) + expected;
}

kernel void atomics(global const int *in, global int *out)
{
    local atomic_int shared[64];
    int i = get_global_id(0), l = get_local_id(0), x = in[i] & 3, y = l & 3;
    atomic_int mine;
    atomic_init(&mine, x);
    atomic_init(&shared[l], y);
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile atomic_int *either = in[i] & 4 ? (volatile atomic_int *)&mine : (volatile atomic_int *)&shared[l];
    int chosen = in[i] & 4 ? x : y;
    out[i] += next(either, 5) == (chosen == 3 ? 33 : 2 * chosen);
    int m = atomic_load_explicit(&mine, memory_order_relaxed, memory_scope_work_group);
    int s = atomic_load_explicit(&shared[l], memory_order_relaxed, memory_scope_work_group);
    int changed = (chosen == 3 ? 30 : chosen) + 5;
    out[i] += (m == (in[i] & 4 ? changed : x)) + (s == (in[i] & 4 ? y : changed));
}

struct block { int v[40]; };
void copy(struct block *to, const struct block *from) { *to = *from; }

kernel void copies(global const int *in, global int *out)
{
    local struct block shared[2];
    int i = get_global_id(0), same = 1;
    struct block a, b;
    for (int k = 0; k < 40; k++)
        a.v[k] = in[(i + k) & 255];
    if (i < 2)
        copy(&shared[i], &a);
    barrier(CLK_LOCAL_MEM_FENCE);
    copy(&b, in[i] & 1 ? (struct block *)&a : (struct block *)&shared[in[i] >> 1 & 1]);
    for (int k = 0; k < 40; k++)
        same &= b.v[k] == in[((in[i] & 1 ? i : in[i] >> 1 & 1) + k) & 255];
    out[i] += same;
}
#else
#define COUNT(name, n) kernel void name(global const int *in, global int *out) { out[get_global_id(0)] += n; }
COUNT(any_space, 3)
COUNT(meet, 2)
COUNT(back, 2)
COUNT(stored, 2)
COUNT(atomics, 3)
COUNT(copies, 1)
#endif
