// A scalar copy on a loop's back edge was hoisted above the divergent branch, and the lanes that left the loop
// wrote its register first.
//
// data: out ulong[64] zero
// data: in int[64] random
// run: leaving 64/64 out in int:3
// gives: out=851950f4eb4cdf11 in=022274ad10d47c67

ulong nothing(int lid)
{
    return 0;
}

kernel void leaving(global ulong *out, global const int *in, int n)
{
    int lid = get_local_id(0);
    uint x = in[lid & 63];
    int3 y = 0;
    ulong4 z = n;
    ulong w = !z.s1;
    long last = 0;
    switch (x & 7) {
    case 4:
        y = (int3)(n, n, 0);
        switch (lid & 7)
        case 6:
            x -= x * 165 / (convert_uint_sat_rtz(0.25f) | 1);
        for (int i = 0; i < (x & 7); i++) {
            y = mul24((((int3)((int)0x80000000U, 0, 0) >> 1) / (as_int3(as_uint3(y) << as_uint3(y)) | 1)) & 0x7fffff,
                      as_int3(as_uint3(y < y ? y.s102 : y) - as_uint3(y & y.s112)) & 0xff);
            if (n & 4)
                break;
            last = nothing(lid) - (in[0] > w);
        }
    case 3:
        if (n > 2 && (lid & 1) && n > 2) {
            int3 *at = w == 0 ? &y : &y;
            *at = as_int3(as_uint3(y.s001 >> y.s212) + as_uint3(convert_uint3_sat(y) == 0));
        }
    }
    ulong h = 14695981039346656037UL;
    h = (h ^ (ulong)y.s0) * 1099511628211UL;
    for (int i = 0; i < 4; i++)
        h = (h ^ (ulong)last) * 1099511628211UL;
    out[lid] = h;
}
