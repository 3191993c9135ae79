// Values that some of the parts between barriers change, and others do not.
//
// data: in int[512] random 0 99
// data: out int[2048] zero
// run: sections 512/64 in out int:5
// run: sections 480/48 in out int:3
// run: sections 510/30 in out int:4
// gives: in=8bb85484d568a59a out=379d742610b12bad

kernel void sections(global const int *in, global int *out, int n)
{
    local int sums[128];
    int l = get_local_id(0), i = get_global_id(0), size = get_local_size(0);
    int a = in[i], b = l, c = 3, turn = 0;
    long wide = (long)a << 33 | l;
    global int *to = out;
    for (int k = 0; k < n; k++) {
        sums[l] = a + b * c; /* c is the same in all work-items, at first */
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 16)
            a += sums[l + 5]; /* some of the lanes' */
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k & 1) {
            b += sums[(l + k) % size];
            barrier(CLK_LOCAL_MEM_FENCE);
            turn++;
        }
        if (k == 2)
            c = l & 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == size - 1)
            wide += (long)sums[0] << 20;
        to += k == 1 ? 512 : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l & 4)
            sums[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    to[i] += a + 7 * b + 31 * c + 1000 * turn;
    out[1024 + i] ^= (int)(wide >> 20) + (int)wide;
}
