#define SHOW(x) printf("%d " #x " %d %d\n", __LINE__, (int)get_global_id(0), (int)(x))

typedef struct {
    int a, b;
    short c;
} trio;

__kernel void kinds(__global int *out, int n)
{
    __local int shared[32];
    int gid = get_global_id(0), lid = get_local_id(0);
    char small = (char)(gid * 5 - 3);
    SHOW(small);
    ushort half_word = (ushort)(gid * 1000);
    SHOW(half_word);
    long wide = (long)gid * 3 + n;
    SHOW(wide);
    float real = (float)gid * 2.0f + 1.0f;
    SHOW(real);
    int4 four = (int4)(gid, n, gid + n, 7);
    SHOW(four[2]);
    four += 2;
    SHOW(four[0]);
    trio t = {gid, n, (short)(gid - n)};
    SHOW(t.a);
    t.b += t.c;
    SHOW(t.b);
    int list[4];
    for (int i = 0; i < 4; i++)
        list[i] = i * gid;
    SHOW(list[3]);
    shared[lid] = gid + list[2];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = shared[31 - lid];
    SHOW(other);
    bool odd = other & 1;
    SHOW(odd);
    if (odd) {
        int inner = other * n;
        SHOW(inner);
        other += inner;
    } else {
        int inner = other - n;
        SHOW(inner);
        other -= inner;
    }
    SHOW(other);
    out[gid] = other + t.b + four.w + (int)wide + (int)real + half_word + small;
    SHOW(wide);
    SHOW(other);
}
