//! buffer in int 262144 below 1000
//! buffer out int 262144 zero
//! buffer sums int 512 zero
//! launch scan 131072 / 256 : in out sums l2176
// up and down a tree, a gap after every 32 words
#define PAD(i) ((i) + ((i) >> 5))
kernel void scan(global const int *in, global int *out, global int *sums, local int *t)
{
    int lid = get_local_id(0), base = get_group_id(0) * 512, step = 1;
    t[PAD(lid)] = in[base + lid];
    t[PAD(lid + 256)] = in[base + lid + 256];
    for (int d = 256; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            t[PAD(step * (2 * lid + 2) - 1)] += t[PAD(step * (2 * lid + 1) - 1)];
        step *= 2;
    }
    if (lid == 0) {
        sums[get_group_id(0)] = t[PAD(511)];
        t[PAD(511)] = 0;
    }
    for (int d = 1; d < 512; d *= 2) {
        step >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            int a = PAD(step * (2 * lid + 1) - 1), b = PAD(step * (2 * lid + 2) - 1), x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + lid] = t[PAD(lid)];
    out[base + lid + 256] = t[PAD(lid + 256)];
}
