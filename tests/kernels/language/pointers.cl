// Pointers as values: compared, chosen, kept in memory, null, made of integers.
//
// data: in int[256] random 0 100000
// data: out int[256] zero
// run: chosen 256/64 in out
// run: kept 256/64 in out
// run: compared 256/64 in out
// run: lists 64/32 in out
// run: integers 256/64 in out
// run: differences 256/64 in out
// run: chased 64/64 in out
// gives: in=c21ddf5fc9e3f87f out=124123fd1f69f44b

kernel void chosen(global const int *in, global int *out)
{
    int i = get_global_id(0), a[4] = {1, 2, 3, i}, b[4] = {in[i], 5, 6, 7};
    int *p = in[i] & 1 ? a : b, *q = p;
    global const int *g = in[i] & 2 ? in + i : in;
    for (int k = 0; k < 3; k++) {
        *p += k;
        if (in[i] & (4 << k))
            p++, g++;
    }
    if (q == b)
        q += 2;
    out[i] += *p + *q * 3 + *(g - (g > in)) + a[1] + b[2];
}

kernel void kept(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i], y = 7, z[3] = {1, 2, 3};
    int *p[4] = {&x, &y, z, z + 2};
    int **pp = &p[in[i] & 3];
    struct { int *a; global const int *g; } s[2] = {{&y, in}, {z, in + 5}};
    **pp += 10;
    *p[(in[i] + 1) & 3] *= 2;
    *s[i & 1].a -= s[in[i] & 1].g[3];
    pp = in[i] & 8 ? p : p + 1;
    out[i] += x + y * 3 + z[0] * 5 + z[1] * 7 + z[2] * 11 + *pp[1];
}

kernel void compared(global const int *in, global int *out)
{
    int i = get_global_id(0), a[3] = {i, 2, 3}, sum = 0;
    int *none = 0, *p = in[i] & 1 ? &a[0] : none;
    global const int *g = in[i] & 2 ? in : 0;
    if (p)
        sum += *p + 1;
    if (!g)
        sum += 100;
    sum += (p == a) + (p != none) * 2 + (a + 1 < a + (in[i] & 3)) * 4 + (&a[2] - a == 2) * 8 + (g == in) * 16;
    for (int *q = a; q != a + 3; q++)
        sum += *q;
    out[i] += sum;
}

struct node { int value; struct node *next; };

kernel void lists(global const int *in, global int *out)
{
    int i = get_global_id(0), sum = 0;
    struct node pool[8], *head = 0, **at;
    for (int k = 0; k < 8; k++) { /* sorted insertion */
        pool[k].value = in[(i * 8 + k) & 255];
        for (at = &head; *at && (*at)->value < pool[k].value; at = &(*at)->next)
            ;
        pool[k].next = *at;
        *at = &pool[k];
    }
    for (struct node *n = head; n; n = n->next)
        sum = sum * 13 + n->value;
    out[i] += sum;
}

kernel void integers(global const int *in, global int *out)
{
    int i = get_global_id(0), a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[(i + k) & 255];
    uintptr_t n = (uintptr_t)a + 4 * (in[i] & 7);
    int *p = (int *)n;
    global const int *g = (global const int *)((size_t)in + sizeof(int) * i);
    out[i] += *p + p[3] + *g + (int)(((uintptr_t)(p + 2) - (uintptr_t)p)) + (int)((size_t)in & 3);
}

kernel void differences(global const int *in, global int *out)
{
    int i = get_global_id(0);
    long a[6] = {1, 2, 3, 4, 5, 6}, *p = a + in[i] % 6, *q = a + in[(i + 1) & 255] % 6;
    struct { char c[12]; } s[4], *r = s + (in[i] & 3);
    out[i] += (int)(p - q) * 3 + (int)(r - s) + (p < q) + (p >= q) * 2 + (int)*(p > q ? p : q) + (int)((char *)r - (char *)s);
}

kernel void chased(global const int *in, global int *out)
{
    local int next[64];
    int i = get_global_id(0), at = i;
    next[i] = in[i] & 63;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = &next[i];
    for (int k = 0; k < 9; k++)
        p = next + *p;
    out[i] += (int)(p - next);
}
