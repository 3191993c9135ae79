#define SHOW(x) printf("%d " #x " %d %d\n", __LINE__, (int)get_global_id(0), (int)(x))

int square(int a)
{
    int b = a * a;
    SHOW(b);
    return b - 1;
}

__attribute__((noinline)) int apart(int a, int b)
{
    int c = a * 3 + b;
    SHOW(c);
    if (c & 1)
        c += square(b);
    SHOW(c);
    return c;
}

__kernel void loops(__global int *out, int n)
{
    int gid = get_global_id(0);
    int sum = n;
    SHOW(sum);
    for (int i = 0; i < gid % 4 + 1; i++) {
        int step = i * gid + n;
        SHOW(step);
        sum += step;
        SHOW(sum);
    }
    int last = sum;
    while (last > 10) {
        last -= 7;
        SHOW(last);
    }
    int from = gid & 2 ? square(last) : apart(last, sum);
    SHOW(from);
    uint mixed = (uint)from * 2654435761u;
    SHOW(mixed >> 4);
    out[gid] = from + last + (int)mixed;
    SHOW(sum);
    SHOW(last);
}
