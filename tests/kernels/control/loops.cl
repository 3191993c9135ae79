// Loops that lanes leave at different times and through different exits.
//
// data: a int[200] random 0 60
// data: out int[200] zero
// run: trip_counts 200/40 a out
// gives: a=3acb22b0d24ce153 out=e2f26d38da326bfe
// data: a uint[256] random
// data: out int[256] zero
// run: collatz 256/64 a out
// gives: a=dccef8978b21416c out=741d819da89e7ca0
// data: a int[128] random -50 50
// data: out int[128] zero
// run: leave 128/32 a out int:37
// gives: a=83c390414866d735 out=0ddd3dfd99c56d18
// data: a int[128] random 0 1000
// data: out int[128] zero
// run: outermost 128/64 a out
// gives: a=8005ad1a712c130e out=71ac8e994b9713c2
// data: a int[128] random 1 9
// data: out int[128] zero
// run: in_order 128/32 a out
// gives: a=a1be97b238f2a585 out=3cb41be592b700a1
// data: out int[96] zero
// run: uniform_inside_divergent 96/48 out int:5 int:3
// gives: out=11a7dfed500888be
// data: a int[64] random -9 9
// data: out int[64] zero
// run: do_while 64/64 a out
// gives: a=7acd7c6a3331b0e8 out=1b4bd2649dad6702

kernel void trip_counts(global const int *a, global int *out)
{
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < a[i]; j++)
        for (int k = j; k < a[(i + j) % 200] / 4; k += 1 + (i & 1))
            sum += j * k;
    out[i] = sum;
}

kernel void collatz(global const uint *a, global int *out)
{
    uint n = (a[get_global_id(0)] & 0xffff) + 1;
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        steps++;
    }
    out[get_global_id(0)] = steps;
}

// Three exits of one loop, each with its own value.
kernel void leave(global const int *a, global int *out, int limit)
{
    int i = get_global_id(0), x = a[i], r = 0;
    for (int j = 0;; j++) {
        x = x * 5 + j;
        if (x % 7 == 3) {
            r = 1000 + j;
            break;
        }
        if (j == limit) {
            r = 2000;
            break;
        }
        if (x > 1000000 || x < -1000000) {
            out[i] = x;
            return;
        }
        if (j & 1)
            continue;
        r += x & 3;
    }
    out[i] = r;
}

kernel void outermost(global const int *a, global int *out)
{
    int i = get_global_id(0), found = -1, looked = 0;
    for (int j = 0; j < 20; j++) {
        for (int k = 0; k < 20; k++) {
            looked++;
            if ((j * 31 + k * 17) % 101 == a[i] % 101) {
                found = j * 100 + k;
                goto done;
            }
            if (k > j + i % 5)
                break;
        }
    }
done:
    out[i] = found * 1000 + looked;
}

// What a lane does depends on how often it has been around, also after others have left.
kernel void in_order(global const int *a, global int *out)
{
    int i = get_global_id(0), r = 1;
    for (int j = 0; j < a[i]; j++) {
        if (j < 3)
            r = r * 3 + j;
        else if (j < 6 && (i & 1))
            r = r * 5 - j;
        else
            r ^= j << (j & 7);
    }
    out[i] = r;
}

kernel void uniform_inside_divergent(global int *out, int n, int m)
{
    int i = get_global_id(0), r = i;
    if (i % 3 == 1) {
        int t = m;
        for (int j = 0; j < n; j++) {
            t = t * 3 + 1;
            r += t;
        }
    } else {
        int t = n;
        for (int j = 0; j < m; j++) {
            t = t * 7 - 2;
            r -= t;
        }
    }
    out[i] = r;
}

kernel void do_while(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], n = 0;
    do {
        int y = x;
        do
            y -= 3;
        while (y > 0);
        n += y;
        x--;
    } while (x > 0);
    out[i] = n;
}
