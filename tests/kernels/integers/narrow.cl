// char and short: promotion, wrapping when stored, sign and zero extension.
//
// data: a char[256] iota -128
// data: b char[256] random
// data: out int[2560] zero
// run: chars 256/64 a b out
// gives: a=e6169983deb2d625 b=59401935357c384e out=2846e8f9ba505044
// data: a short[256] random
// data: b ushort[256] random
// data: out int[2048] zero
// run: shorts 256/64 a b out
// gives: a=3acbd4d93feded6d b=3105612f8712c6df out=75b313adee7386e6
// data: a uchar[512] random
// data: out uchar[512] zero
// run: wrap 512/64 a out
// gives: a=bffd50c233bac1f8 out=1087e2921c8fbb86
// data: out int[64] zero
// run: arguments 64/32 out char:-5 uchar:250 short:-30000 ushort:60000
// gives: out=38f56200ea01b79c
// data: a ushort[128] random
// data: out ushort[128] zero
// run: checksum 128/32 a out
// gives: a=239d14ffa0e89a35 out=c59f9f17c9270103
// data: a uchar[1024] random
// data: out uint[256] zero
// run: gather 256/64 a out
// gives: a=f5937ff3462aadb7 out=e47e4a886c5db7d5

kernel void chars(global const char *a, global const char *b, global int *out)
{
    int i = get_global_id(0);
    char x = a[i], y = b[i];
    uchar u = x, v = y;
    global int *o = out + i * 10;
    o[0] = x + y;
    o[1] = (char)(x + y);
    o[2] = (char)(x * y);
    o[3] = u - v;
    o[4] = (uchar)(u << 3) | v >> 2;
    o[5] = x >> (v & 7);
    o[6] = y ? x / y : 0;
    o[7] = u % (v | 1);
    o[8] = (x < y) + 2 * (u < v) + 4 * (x == u);
    x += y;
    x ^= 0x5a;
    x <<= 1;
    o[9] = -x;
}

kernel void shorts(global const short *a, global const ushort *b, global int *out)
{
    int i = get_global_id(0);
    short x = a[i];
    ushort y = b[i];
    global int *o = out + i * 8;
    o[0] = x + y;
    o[1] = (short)(x * 3 + y);
    o[2] = (ushort)(x - y);
    o[3] = x / (short)(y | 1);
    o[4] = y % (ushort)(x | 1);
    o[5] = x >> 3 ^ y >> 3;
    o[6] = (ushort)~x & (short)y;
    o[7] = (uchar)x + (char)y;
}

kernel void wrap(global const uchar *a, global uchar *out)
{
    int i = get_global_id(0);
    uchar c = a[i];
    for (int j = 0; j < i % 17; j++) {
        c += 37;
        c *= 5;
        if (c < 20)
            c--;
    }
    out[i] = c;
}

kernel void arguments(global int *out, char c, uchar uc, short s, ushort us)
{
    int i = get_global_id(0);
    out[i] = i & 1 ? c + uc * i : s / (i + 1) + us;
}

kernel void checksum(global const ushort *a, global ushort *out)
{
    int i = get_global_id(0);
    ushort low = 1, high = 0;
    for (int j = 0; j <= i; j++) {
        low = (low + (a[j] & 0xff)) % 251;
        high = (high + low) % 251;
    }
    out[i] = high << 8 | low;
}

kernel void gather(global const uchar *a, global uint *out)
{
    int i = get_global_id(0);
    uint w = a[i * 4] | a[i * 4 + 1] << 8 | a[i * 4 + 2] << 16 | (uint)a[i * 4 + 3] << 24;
    out[i] = w ^ (uint)((global const uint *)a)[(i + 1) & 255];
}
