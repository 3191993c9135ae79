// shuffle, components by pointer, vectors in arrays and structures, odd widths in memory, conversions of whole vectors.
//
// data: a uint[1024] random
// data: out uint[1024] zero
// run: shuffled 64/32 a out
// gives: a=48be52f9c873af9f out=3e12a1906edcf6a9
// data: a short[1024] random
// data: out short[1024] zero
// run: by_pointer 64/64 a out
// gives: a=b89d839794868cbc out=741bac3271025841
// data: a int[768] random
// data: out int[1024] zero
// run: threes 256/64 a out
// gives: a=d0f89511d54012ce out=e16dd02345708933
// data: a int[512] random
// data: out uchar[512] zero
// run: converted 32/32 a out
// gives: a=356177f7600faca7 out=6ab9becc329c218a
// data: a uchar[1024] random
// data: out uint[256] zero
// run: unaligned 256/64 a out
// gives: a=f5937ff3462aadb7 out=8945ff2e80555b84

kernel void shuffled(global const uint16 *a, global uint16 *out)
{
    int i = get_global_id(0);
    uint16 x = a[i], m = a[63 - i];
    uint4 four = shuffle(x, m.lo.lo);
    uint16 both = shuffle2(x.lo, m.hi, m + 5);
    out[i] = shuffle(x, m) ^ both ^ shuffle(four, m >> 7);
}

kernel void by_pointer(global const short16 *a, global short16 *out)
{
    int i = get_global_id(0);
    short16 x = a[i];
    short *p = (short *)&x;
    for (int j = 0; j < 8; j++) {
        short t = p[j];
        p[j] = p[(i + j * 3) & 15];
        p[(i + j * 3) & 15] = t;
    }
    p[i & 15] += 100;
    out[i] = x;
}

// A vector of three takes the place of four in memory, but not for vload3.
kernel void threes(global const int *a, global int4 *out)
{
    int i = get_global_id(0);
    int3 v[3] = {vload3(i, a), vload3(255 - i, a), (int3)(i)};
    int3 s = v[i % 3];
    for (int j = 0; j < 3; j++)
        v[(i + j) % 3] ^= s.zxy << (int3)(j, 1, 2);
    out[i] = (int4)(v[0] + v[1] * 3 - v[2], 0);
}

kernel void converted(global const int16 *a, global uchar16 *out)
{
    int i = get_global_id(0);
    int16 x = a[i];
    uchar16 r = convert_uchar16_sat(x >> 22);
    r ^= convert_uchar16(x);
    r += convert_uchar16(convert_long16(x) * 3 >> 11);
    r -= convert_uchar16_sat_rte(convert_float16(x) / 16777216.0f);
    out[i] = r ^ as_uchar16(x.s159d);
}

kernel void unaligned(global const uchar *a, global uint *out)
{
    int i = get_global_id(0);
    uchar8 x = vload8(0, a + (i * 3) % 1000);
    ushort3 y = vload3(0, (global const ushort *)(a + (i * 2) % 900));
    uchar p[24];
    vstore16((uchar16)(x, x.s76543210), 0, p + 1);
    vstore3((uchar3)(7, 8, 9), 0, p + (i & 15));
    uint4 q = convert_uint4(vload4(1, p + (i & 7)));
    out[i] = q.x + (q.y << 8) + (q.z << 16) + (q.w << 24) + y.s0 * y.s1 - y.s2;
}
