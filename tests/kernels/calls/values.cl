// Functions that are really called: scalars, vectors, 64-bit values, more words than registers hold, structures.
//
// data: a int[192] random -1000 1000
// data: out int[192] zero
// run: scalars 192/64 a out
// run: vectors 192/64 a out
// run: structures 192/64 a out
// gives: a=57255bacd24d0ff5 out=a05e99c543897ce3

#define CALLED __attribute__((noinline))

CALLED int weigh(int a, int b)
{
    return a * 3 + b;
}
CALLED long wide(long a, long b, uchar c, short d)
{
    return a * b + c - d;
}
CALLED bool is_odd(int x)
{
    return x & 1;
}
CALLED uchar narrow(uchar a, char b)
{
    return a * 5 + b;
}
kernel void scalars(global const int *a, global int *out)
{
    int i = get_global_id(0), r = weigh(a[i], i);
    long w = wide((long)a[i] << 20, a[(i + 7) % 192], a[i], a[i] * 9);
    out[i] += r + (int)w + (int)(w >> 32) + is_odd(a[i]) * 1000 + narrow(a[i], i);
}

CALLED int16 many(int16 a, int16 b, long16 c, int d)
{
    return a * b + convert_int16(c) - d;
}
CALLED long16 wide_many(long16 a, int8 b, int8 c)
{
    return a + (long16)(convert_long8(b), convert_long8(c));
}
CALLED float4 scale(float4 v, float f)
{
    return v * f;
}
CALLED char3 three(char3 v)
{
    return v.zxy;
}
kernel void vectors(global const int *a, global int *out)
{
    int i = get_global_id(0);
    int16 x = (int16)(a[i]) + (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    long16 y = convert_long16(x) << 17;
    int16 m = many(x, x.s103254769badcfe8, y, i);
    long16 w = wide_many(y, m.lo, m.hi);
    int4 f = convert_int4_sat(scale(convert_float4(x.s0246), 0.5f + i % 4));
    char3 t = three(convert_char3(x.s123));
    int16 all = m + convert_int16(w >> 3) + (int16)(f, f, f, f);
    int8 h = all.lo ^ all.hi;
    int4 q = h.lo + h.hi * 7;
    out[i] += q.x + q.y * 3 + q.z * 5 + q.w * 7 + t.x + t.y * 10 + t.z * 100;
}

typedef struct {
    int v[5];
    float f;
    union {
        long l;
        int2 i;
    } u;
} thing;
typedef struct {
    int x, y;
} small;

CALLED thing make(int x)
{
    thing t;
    for (int k = 0; k < 5; k++)
        t.v[k] = x * k - 3;
    t.f = x * 0.25f;
    t.u.l = (long)x << 33 | 5;
    return t;
}
CALLED int take(thing t, int k) // changes its own copy
{
    t.v[k & 3] += 100;
    t.u.i.x ^= 77;
    return t.v[0] + t.v[1] * 2 + t.v[4] + (int)t.f + t.u.i.x + t.u.i.y;
}
CALLED small swap(small s)
{
    return (small){s.y, s.x + 1};
}
CALLED void change(thing *t, const small *s)
{
    t->v[s->x & 3] = s->y;
}
kernel void structures(global const int *a, global int *out)
{
    int i = get_global_id(0);
    thing t = make(a[i]);
    small s = swap((small){a[i], i});
    int r = take(t, i) + take(t, i + 1);
    change(&t, &s);
    out[i] += r + t.v[0] + t.v[1] * 3 + t.v[2] * 5 + t.v[3] * 7 + s.x - s.y;
}
