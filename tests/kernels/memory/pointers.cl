// Pointers into every address space, chosen, advanced, compared and passed on; arrays of pointers; private arrays.
//
// data: a int[256] random -500 500
// data: b int[256] random -500 500
// data: out int[256] zero
// run: chosen 256/64 a b out
// gives: a=2f2a9978221b2b30 b=a8adc19b212cbbc3 out=2a3054bb3989bd09
// data: a int[256] random -500 500
// data: out int[256] zero
// run: walked 256/64 a out
// gives: a=2f2a9978221b2b30 out=fa6a1e250ae92ce3
// data: a int[64] random 0 31
// data: out int[512] zero
// run: private_arrays 64/32 a out
// gives: a=6659a85962a56f59 out=8b8f7aba81a69580
// data: out int[160] zero
// run: tables 160/32 out int:3
// gives: out=2bdbdc37394e90a6
// data: a int[128] random 0 200
// data: out int[128] zero
// run: through_helpers 128/32 a out
// gives: a=de7f655ca7518da9 out=845352369d037ec4
// data: a int[192] random 0 9
// data: out int[192] zero
// run: two_dimensional 192/64 a out
// gives: a=620354dd1abff114 out=2e924fa611b73412
// data: a int[64] random
// data: out int[64] zero
// run: byte_views 64/32 a out
// gives: a=eea2983122ddc546 out=6b80b238491e1c91
// data: a uint[64] random
// data: out uint[1024] zero
// run: aliases 64/32 a out
// gives: a=eea2983122ddc546 out=84b7701147efaf4d
// data: state int[64] iota
// run: bump 64/32 state
// run: bump 64/32 state
// run: bump 32/32 state
// gives: state=03de736eca29f80b

kernel void chosen(global const int *a, global const int *b, global int *out)
{
    int i = get_global_id(0);
    global const int *p = i & 1 ? a : b, *q = p == a ? b + 1 : a + 2;
    for (int j = 0; j < i % 5; j++) {
        global const int *t = p;
        p = q;
        q = t;
    }
    int x = 5, y = 7, *r = i % 3 ? &x : &y;
    *r += p[i];
    out[i] = x * 3 + y + q[i & 127];
}

kernel void walked(global const int *a, global int *out)
{
    global const int *end = a + 256, *p = a + get_global_id(0);
    int sum = 0;
    for (; p < end; p += 1 + (*p & 7))
        sum += *p;
    out[get_global_id(0)] = sum - (int)(p - end);
}

kernel void private_arrays(global const int *a, global int *out)
{
    int i = get_global_id(0);
    int seen[32];
    char small[13];
    long wide[5];
    for (int j = 0; j < 32; j++)
        seen[j] = 0;
    for (int j = 0; j < 13; j++)
        small[j] = (char)(j * i);
    for (int j = 0; j < 5; j++)
        wide[j] = (long)i << j * 9;
    for (int j = 0; j < 64; j++) {
        seen[a[(i * j) & 63]]++;
        small[(unsigned)a[j] % 13] += j;
        wide[seen[j & 31] % 5] ^= a[j] * 12345678901L;
    }
    for (int j = 0; j < 8; j++)
        out[i * 8 + j] = seen[j * 4 + (i & 3)] + small[j] + (int)(wide[j % 5] >> j);
}

constant int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
constant char text[] = "barriers and fences";
constant float4 rows[3] = {(float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8), (float4)(-1, -2, -3, -4)};
constant struct {
    int id;
    constant char *name;
    short sizes[2];
} entries[] = {{1, "one", {1, 11}}, {22, "twenty-two", {2, 22}}, {333, text, {3, 33}}};

kernel void tables(global int *out, int n)
{
    int i = get_global_id(0), r = primes[i & 15] * primes[n];
    constant char *s = entries[i % 3].name;
    for (int j = 0; s[j]; j++)
        r = r * 31 + s[j];
    out[i] = r + entries[i % 3].sizes[i & 1] + (int)rows[i % 3].z + text[(i + n) % 19] + entries[n - 1].id;
}

void swap_global(global int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

int sum_local(local const int *p, int n)
{
    int sum = 0;
    while (n--)
        sum += *p++ * n;
    return sum;
}

__attribute__((noinline)) void fill(local int *p, int value)
{
    p[get_local_id(0)] = value;
}

kernel void through_helpers(global const int *a, global int *out)
{
    local int l[32];
    int i = get_global_id(0), x = a[i];
    fill(l, x);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sum_local(l + (x & 7), 8 + (i & 15));
    swap_global(&out[i], &x);
    if (x & 1)
        swap_global(out + i, &x);
    out[i] += x * 5;
}

kernel void two_dimensional(global const int *a, global int *out)
{
    int i = get_global_id(0);
    int grid[4][5], (*row)[5] = grid;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++)
            grid[y][x] = a[(i + y * 5 + x) % 192];
    int steps = 0, y = 0, x = 0;
    while (steps < 12) {
        int v = row[y][x];
        grid[y][x] = steps;
        y = (y + v) & 3;
        x = (x + v * 3 + 1) % 5;
        steps++;
    }
    int sum = 0;
    for (int k = 0; k < 20; k++)
        sum = sum * 3 + (&grid[0][0])[k];
    out[i] = sum;
}

kernel void byte_views(global const int *a, global int *out)
{
    int i = get_global_id(0);
    local int l[32];
    local uchar *bytes = (local uchar *)&l[get_local_id(0)];
    global const short *halves = (global const short *)&a[i];
    int x = a[63 - i];
    bytes[0] = (uchar)halves[1];
    bytes[1] = (uchar)(halves[1] >> 8);
    bytes[2] = ((uchar *)&x)[i & 3];
    bytes[3] = (uchar)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = l[(get_local_id(0) + 1) & 31] ^ *(int *)&x;
}

// Stores that may or may not be where the next load looks.
kernel void aliases(global const uint *a, global uint *out)
{
    int i = get_global_id(0);
    global uint *p = out + i * 16, *q = p + (a[i] & 7), *r = p + (a[i] >> 3 & 7);
    for (int j = 0; j < 16; j++)
        p[j] = j;
    *q = *r + 100;
    *r = *q * 3;
    p[2] = *q + *r;
    *q += p[2];
    *(global ushort *)r = 7;
    p[15] = *r;
}

// A buffer is read and written by launches that follow each other.
kernel void bump(global int *state)
{
    int i = get_global_id(0);
    state[i] = state[i] * 3 + i;
}
