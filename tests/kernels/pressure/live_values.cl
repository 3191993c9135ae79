// More values alive at once than there are registers.
//
// data: a float[8192] random -4 4
// data: out float[64] zero
// run: hundred_and_twenty_eight 64/32 a out
// gives: a=99d017382ce89157 out=338b93d6d0b29bce
// data: a int[4096] random
// data: out int[256] zero
// run: sixteens 16/16 a out
// gives: a=f63415d419255d8d out=4c027d270abcc631
// data: a long[4096] random
// data: out long[64] zero
// run: longs 64/32 a out
// gives: a=705563035113b266 out=a242d98b44e362d1
// data: a int[128] random -5 5
// data: out int[64] zero
// run: uniform_values 64/32 a out
// gives: a=b53f90a82dd606ad out=ce12c4fab49056dc
// data: a int[4096] random 0 1000
// data: out int[64] zero
// run: across_loop 64/64 a out int:3
// gives: a=e1c99618fdf71fe5 out=38154dc5a8408feb
// data: a int[4096] random 0 1000
// data: out int[64] zero
// run: across_barrier 64/32 a out
// gives: a=e1c99618fdf71fe5 out=352b45fa09f6eb11
// data: a int[4096] random 0 1000
// data: out int[64] zero
// run: across_call 64/32 a out
// gives: a=e1c99618fdf71fe5 out=0f347a83d16295a3
// data: a uint[2048] random
// data: out uint[128] zero
// run: unrolled 128/64 a out
// gives: a=ec9e37f4464ec9de out=35ecf605af0c1a02
// data: a float[512] random -2 2
// data: out float[512] zero
// run: matrix_in_registers 8/8 a out
// gives: a=2afca32219c6fe73 out=027138b3394672ce

#pragma OPENCL FP_CONTRACT OFF

#define TIMES4(M, n) M(n) M(n + 1) M(n + 2) M(n + 3)
#define TIMES16(M, n) TIMES4(M, n) TIMES4(M, n + 4) TIMES4(M, n + 8) TIMES4(M, n + 12)
#define TIMES64(M, n) TIMES16(M, n) TIMES16(M, n + 16) TIMES16(M, n + 32) TIMES16(M, n + 48)

// All are read before the first is used, and used in the other order twice.
kernel void hundred_and_twenty_eight(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float v[128];
#define LOAD(n) v[n] = a[i * 128 + (n)];
    TIMES64(LOAD, 0)
    TIMES64(LOAD, 64)
    float sum = 0, product = 1;
#define SUM(n) sum = sum * 0.5f + v[127 - (n)];
    TIMES64(SUM, 0)
    TIMES64(SUM, 64)
#define PRODUCT(n) product = product * 0.75f - v[((n) * 37) & 127];
    TIMES64(PRODUCT, 0)
    TIMES64(PRODUCT, 64)
    out[i] = sum + product;
}

kernel void sixteens(global const int16 *a, global int16 *out)
{
    int i = get_global_id(0);
    int16 v0 = a[i * 16], v1 = a[i * 16 + 1], v2 = a[i * 16 + 2], v3 = a[i * 16 + 3], v4 = a[i * 16 + 4];
    int16 v5 = a[i * 16 + 5], v6 = a[i * 16 + 6], v7 = a[i * 16 + 7], v8 = a[i * 16 + 8], v9 = a[i * 16 + 9];
    int16 va = a[i * 16 + 10], vb = a[i * 16 + 11], vc = a[i * 16 + 12], vd = a[i * 16 + 13], ve = a[i * 16 + 14];
    int16 vf = a[i * 16 + 15];
    for (int k = 0; k < 3; k++) {
        v0 += vf ^ v7, v1 ^= ve + v8, v2 -= vd & v9, v3 += vc | va;
        v4 ^= vb + v0, v5 += va ^ v1, v6 -= v9 & v2, v7 += v8 | v3;
        v8 ^= v7 + v4, v9 += v6 ^ v5, va -= v5 & v6, vb += v4 | v7;
        vc ^= v3 + v8, vd += v2 ^ v9, ve -= v1 & va, vf += v0 | vb;
        if ((i + k) & 1)
            v0 = v0.s123456789abcdef0;
    }
    out[i] = v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5 ^ v6 ^ v7 ^ v8 ^ v9 ^ va ^ vb ^ vc ^ vd ^ ve ^ vf;
}

kernel void longs(global const long *a, global long *out)
{
    int i = get_global_id(0);
    ulong v[64];
#define LONG(n) v[n] = (ulong)a[i * 64 + (n)];
    TIMES64(LONG, 0)
    for (int k = 0; k < 2; k++) {
#define MIX(n) v[n] = v[n] * 3 + (v[((n) + 29) & 63] >> 7) - v[((n) * 5 + 3) & 63];
        TIMES64(MIX, 0)
    }
    ulong r = 0;
#define FOLD(n) r = (r ^ v[n]) * 0x100000001b3ul;
    TIMES64(FOLD, 0)
    out[i] = (long)r;
}

// The same in every lane: more than there are scalar registers.
kernel void uniform_values(global const int *a, global int *out)
{
    int v[96], r = get_global_id(0);
#define UNIFORM(n) v[(n) % 96] = a[(n) % 96] * (int)get_num_groups(0) + a[((n) + 32) & 127];
    TIMES64(UNIFORM, 0)
    TIMES16(UNIFORM, 64)
    TIMES16(UNIFORM, 80)
    for (int k = 0; k < 3; k++) {
#define USE(n) r = r * 3 + v[95 - (n) % 96], v[(n) % 96] += v[((n) + 7) % 96];
        TIMES64(USE, 0)
        TIMES16(USE, 64)
        TIMES16(USE, 80)
    }
    out[get_global_id(0)] = r;
}

kernel void across_loop(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), v[64], sum = 0;
#define INT(n) v[n] = a[i * 64 + (n)];
    TIMES64(INT, 0)
    for (int k = 0; k < n + (i & 3); k++) {
        int t = 0;
        for (int j = 0; j < v[0] % 9; j++)
            t += j * k;
        sum += t;
        if (sum & 1)
            v[0]++;
#define TURN(n) v[n] ^= v[((n) + 1) & 63] + t;
        TIMES64(TURN, 0)
    }
#define ADD(n) sum = sum * 5 + v[n];
    TIMES64(ADD, 0)
    out[i] = sum;
}

kernel void across_barrier(global const int *a, global int *out)
{
    local int l[32];
    int i = get_global_id(0), k = get_local_id(0), v[64], sum = 0;
    TIMES64(INT, 0)
    for (int j = 0; j < 4; j++) {
        l[k] = v[j];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += l[(k + j + 1) & 31];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    TIMES64(ADD, 0)
    out[i] = sum;
}

__attribute__((noinline)) int busy(int x, int y, int4 z)
{
    for (int j = 0; j < (x & 7); j++)
        y = y * 3 + z.x - (z.y ^ j);
    return y ^ z.z * z.w;
}

kernel void across_call(global const int *a, global int *out)
{
    int i = get_global_id(0), v[64], sum = 0;
    TIMES64(INT, 0)
    sum = busy(v[1], v[2], (int4)(v[3], v[4], v[5], v[6]));
    if (i & 1)
        sum += busy(v[7], sum, (int4)(v[8], v[9], sum, i));
    TIMES64(ADD, 0)
    out[i] = sum;
}

// The compression function of a hash, all rounds written out.
kernel void unrolled(global const uint *a, global uint *out)
{
    int i = get_global_id(0);
    uint w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int j = 0; j < 16; j++)
        w[j] = a[i * 16 + j];
#define S(n) s[(64 + (n)) & 7]
#define ROUND(n)                                                                                                       \
    {                                                                                                                  \
        uint t = S(7 - (n)) + (rotate(S(4 - (n)), 26u) ^ rotate(S(4 - (n)), 21u) ^ rotate(S(4 - (n)), 7u)) +           \
                 bitselect(S(6 - (n)), S(5 - (n)), S(4 - (n))) + w[(n) & 15] + 0x428a2f98u * (n);                      \
        S(3 - (n)) += t;                                                                                               \
        S(7 - (n)) = t + (rotate(S(0 - (n)), 30u) ^ rotate(S(0 - (n)), 19u)) +                                         \
                     ((S(0 - (n)) & S(1 - (n))) | (S(2 - (n)) & (S(0 - (n)) | S(1 - (n)))));                           \
        w[(n) & 15] += w[((n) + 9) & 15] + (rotate(w[((n) + 1) & 15], 25u) ^ w[((n) + 14) & 15] >> 10);                \
    }
    TIMES64(ROUND, 0)
    uint r = 0;
    for (int j = 0; j < 8; j++)
        r = r * 31 + s[j];
    out[i] = r;
}

// An 8 x 8 matrix for each work-item, squared twice.
kernel void matrix_in_registers(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float m[8][8], t[8][8];
    for (int j = 0; j < 64; j++)
        m[j / 8][j % 8] = rint(a[i * 64 + j]);
#pragma unroll
    for (int k = 0; k < 2; k++) {
#pragma unroll
        for (int y = 0; y < 8; y++)
#pragma unroll
            for (int x = 0; x < 8; x++) {
                float sum = 0;
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum += m[y][j] * m[j][x];
                t[y][x] = sum;
            }
        for (int j = 0; j < 64; j++)
            m[j / 8][j % 8] = t[j / 8][j % 8];
    }
    for (int j = 0; j < 64; j++)
        out[i * 64 + j] = m[j / 8][j % 8];
}
