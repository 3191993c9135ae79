// Calls by some lanes only, calls in loops that lanes leave at different times, functions that diverge and reconverge.
//
// data: a int[160] random 0 100
// data: out int[160] zero
// run: some 160/32 a out
// run: loops 160/32 a out
// run: nested 160/32 a out int:5
// run: scalars 160/32 a out int:3
// gives: a=724823ee3a7aad8d out=ca1aa0b1ac3167ad

#define CALLED __attribute__((noinline))

CALLED int collatz(int n)
{
    int steps = 0;
    while (n > 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (++steps == 50)
            return -n;
    }
    return steps;
}
kernel void some(global const int *a, global int *out)
{
    int i = get_global_id(0), r = 1;
    if (a[i] > 30)
        r = collatz(a[i]);
    else if (a[i] > 10)
        r = collatz(a[i] * 7) + collatz(i);
    out[i] += r;
}

CALLED int step(int x, int k)
{
    return k % 3 == 0 ? x + k : x ^ k;
}
kernel void loops(global const int *a, global int *out)
{
    int i = get_global_id(0), r = 0;
    for (int k = 0; k < a[i]; k++) {
        r = step(r, k);
        if (r > 700)
            break;
        for (int m = 0; m < (i & 3); m++) {
            if (step(m, i) == 7)
                continue;
            r += step(m, r);
        }
    }
    out[i] += r;
}

CALLED int inner(int x, int y)
{
    if (x > y)
        return x - y;
    for (int k = 0; k < (x & 7); k++)
        y += step(y, k);
    return y;
}
CALLED int outer(int x, int n)
{
    int r = 0;
    for (int k = 0; k < n; k++)
        if ((x + k) % 3)
            r += inner(x, k * 20);
        else
            r -= collatz(x + k);
    return r;
}
kernel void nested(global const int *a, global int *out, int n)
{
    int i = get_global_id(0);
    out[i] += i & 1 ? outer(a[i], n) : inner(a[i], i);
}

// Uniform values survive calls, whichever lanes wait meanwhile.
kernel void scalars(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), r = 0;
    int p = n * 3, q = n + 17, s = n ^ 5, t = n * n, u = n << 4, v = n - 9, w = n | 64, x = n % 7, y = ~n, z = n * 11;
    for (int k = 0; k < n + 4; k++) {
        if (a[i] & (1 << k % 7))
            r += step(r + p, k) + q;
        else
            r ^= inner(r & 63, s) + t;
        r += u + v * k + w;
    }
    out[i] += r + p + q + s + t + u + v + w + x + y + z;
}
