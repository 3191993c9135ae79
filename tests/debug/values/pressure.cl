#define SHOW(x) printf("%d " #x " %d %d\n", __LINE__, (int)get_global_id(0), (int)(x))

/* more values at a time than v0 to v31 hold */
__kernel void pressure(__global int *out, __global const int *in)
{
    int gid = get_global_id(0);
    int v[40];
    int a0 = in[gid], a1 = a0 * 3 + 1, a2 = a1 ^ gid, a3 = a2 + a0, a4 = a3 * a1, a5 = a4 - a2, a6 = a5 ^ a3;
    SHOW(a3);
    SHOW(a6);
#pragma unroll
    for (int i = 0; i < 40; i++)
        v[i] = (a0 + i) * (a6 - i) ^ (a4 >> (i & 7));
    int total = 0;
#pragma unroll
    for (int i = 0; i < 40; i++)
        total += v[i] * v[39 - i];
    SHOW(total);
    int b0 = total ^ a1, b1 = b0 * a2, b2 = b1 - a3, b3 = b2 ^ a4, b4 = b3 + a5, b5 = b4 * a6;
    for (int i = 0; i < (gid & 3); i++) {
        b0 += b1 ^ i;
        b1 -= b2;
        SHOW(b0);
        b2 ^= b3;
        b3 += b4;
        SHOW(b3);
        b4 *= 3;
        b5 -= b0;
        SHOW(b5);
    }
    SHOW(b2);
    out[gid] = b0 + b1 + b2 + b3 + b4 + b5 + v[gid & 31];
    SHOW(a6);
    SHOW(total);
    SHOW(b5);
}
