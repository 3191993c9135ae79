// Bit-fields, which are an extension of clang: every work-item compares them with shifts and masks and counts what agrees;
// the reference has none and counts only.
//
// data: in int[256] random
// data: out int[256] zero
// run: fields 256/64 in out
// run: changed 256/64 in out
// run: in_union 256/64 in out
// gives: in=dccef8978b21416c out=42f476d62d962325

#ifdef __cl_clang_bitfields
#define SIGNED(x, bits) ((int)((uint)(x) << (32 - bits)) >> (32 - bits))
#define UNSIGNED(x, bits) ((uint)(x) & ((1u << bits) - 1))
struct flags { int a : 3; uint b : 5; int c : 17; uint : 0; uint d : 1; long e : 40; ulong f : 9; uchar g : 4; };

kernel void fields(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i];
    struct flags f = {x, x >> 3, x >> 1, x & 1, (long)x << 20, x, x};
    out[i] += (f.a == SIGNED(x, 3)) + (f.b == UNSIGNED(x >> 3, 5)) + (f.c == SIGNED(x >> 1, 17)) + (f.d == (x & 1)) +
              (f.e == (long)((ulong)((long)x << 20) << 24) >> 24) + (f.f == UNSIGNED(x, 9)) + (f.g == UNSIGNED(x, 4));
}

kernel void changed(global const int *in, global int *out)
{
    int i = get_global_id(0), x = in[i], y = in[(i + 1) & 255], n = i % 3;
    struct flags f[3] = {{.a = 1, .c = 5}, {.b = 7}, {.e = -3}};
    f[n].c = x;
    f[n].b = y;
    f[n].c -= 1;
    f[n].b <<= 1;
    f[(n + 1) % 3].e = x;
    f[(n + 1) % 3].e *= 5;
    f[n].g = 9;
    f[n].g += 9;
    out[i] += (f[n].c == SIGNED(SIGNED(x, 17) - 1, 17)) + (f[n].b == UNSIGNED(y << 1, 5)) + (f[n].g == 2) +
              (f[(n + 1) % 3].e == (long)x * 5) + (f[0].a == 1) + (n == 1 || f[1].b == 7);
}

union word { uint all; struct { uint low : 12, high : 20; } parts; };

kernel void in_union(global const int *in, global int *out)
{
    int i = get_global_id(0);
    union word w = {.all = (uint)in[i]};
    w.parts.high += i;
    w.parts.low ^= 0xabc;
    out[i] += w.all == ((((uint)in[i] >> 12) + i) << 12 | (((uint)in[i] & 0xfff) ^ 0xabc));
}
#else
#define COUNT(name, n) kernel void name(global const int *in, global int *out) { out[get_global_id(0)] += n; }
COUNT(fields, 7)
COUNT(changed, 6)
COUNT(in_union, 1)
#endif
