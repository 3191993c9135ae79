// Kernels with many arguments of all kinds and sizes, and one that is long.
//
// data: a int[32] random 0 99
// data: b int[32] random 0 99
// data: c int[32] random 0 99
// data: d int[32] random 0 99
// data: e int[32] random 0 99
// data: out int[32] zero
// run: mixed 32/16 a char:-3 b short:-300 c long:-3000000000 d float:2.5 uchar:200 e int:1,2,3,4 ushort:40000 local:64 ulong:0x123456789 out int:7,8,9,0 uint:99 float:1,2,3,4,5,6,7,8
// gives: a=c1762c6225f9d611 b=3cf80fcc11e07f18 c=9ee6791259856641 d=777642d29ce5a920 e=a28de53587971153 out=a5ab5c5b90b3155c
// data: out int[64] zero
// run: forty 64/32 out int:1 int:2 int:3 int:4 int:5 int:6 int:7 int:8 int:9 int:10 int:11 int:12 int:13 int:14 int:15 int:16 int:17 int:18 int:19 int:20 int:21 int:22 int:23 int:24 int:25 int:26 int:27 int:28 int:29 int:30 int:31 int:32 int:33 int:34 int:35 int:36 int:37 int:38 int:39 int:40
// gives: out=b7f42273097d3f68
// data: a int[64] random -100 100
// data: out int[64] zero
// run: long_kernel 64/32 a out int:11
// gives: a=e07fe1197af385f7 out=88319ed4da8a4f3a

kernel void mixed(global const int *a, char c1, global const int *b, short s1, global const int *c, long l1,
                  constant int *d, float f1, uchar c2, global const int *e, int4 v1, ushort s2, local int *scratch,
                  ulong l2, global int *out, int3 v2, uint u1, float8 v3)
{
    int i = get_global_id(0), k = get_local_id(0);
    scratch[k] = a[i] * c1 + b[i] * s1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int r = scratch[15 - k] + (int)(l1 / (c[i] + 1)) + (int)(d[i] * f1) + c2 * e[i];
    r += v1.x + v1.y * 2 + v1.z * 3 + v1.w * 4 + s2 + (int)(l2 >> (i & 31)) + v2.x - v2.y * v2.z + u1;
    out[i] = r + (int)(v3.s0 + v3.s7 * 10);
}

#define A(n) int a##n
kernel void forty(global int *out, A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), A(10), A(11), A(12), A(13),
                  A(14), A(15), A(16), A(17), A(18), A(19), A(20), A(21), A(22), A(23), A(24), A(25), A(26), A(27),
                  A(28), A(29), A(30), A(31), A(32), A(33), A(34), A(35), A(36), A(37), A(38), A(39), A(40))
{
    int i = get_global_id(0), r = i;
    for (int j = 0; j < 3; j++) {
        r = r * 3 + a1 - a2 * a3 + a4 - a5 * a6 + a7 - a8 * a9 + a10;
        r = r * 5 + a11 - a12 * a13 + a14 - a15 * a16 + a17 - a18 * a19 + a20;
        r ^= a21 + a22 * a23 - a24 + a25 * a26 - a27 + a28 * a29 - a30;
        r ^= a31 + a32 * a33 - a34 + a35 * a36 - a37 + a38 * a39 - a40;
    }
    out[i] = r;
}

// Branches beyond the range of a short one.
#define PIECE(n)                                                                                                       \
    if ((x ^ (n)) & 1) {                                                                                               \
        for (int j = 0; j < ((n) & 3); j++)                                                                            \
            r = r * (n) + (x >> j);                                                                                    \
        if (r % 7 == (n) % 7)                                                                                          \
            x -= (n);                                                                                                  \
        else                                                                                                           \
            x += r & 15;                                                                                               \
    } else if (x > (n)) {                                                                                              \
        r ^= x * ((n) + 1);                                                                                            \
        x = x / 3 + n;                                                                                                 \
    }
#define PIECES4(n) PIECE(n) PIECE(n + 1) PIECE(n + 2) PIECE(n + 3)
#define PIECES16(n) PIECES4(n) PIECES4(n + 4) PIECES4(n + 8) PIECES4(n + 12)
#define PIECES64(n) PIECES16(n) PIECES16(n + 16) PIECES16(n + 32) PIECES16(n + 48)

kernel void long_kernel(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), x = a[i];
    uint r = i;
    for (int turn = 0; turn < 2; turn++) {
        if (x < n) {
            PIECES64(1)
        } else {
            PIECES64(65)
        }
        PIECES64(129)
    }
    out[i] = (int)(r ^ (uint)x);
}
