// jit,avx512,16,gen2,1,first,plain,O2,ours: other words than the interpreter (interp,best,auto,gen2,1,first,plain,O2,ours)
// options: -w -cl-std=CL3.0
// seed 30
// data: in int[64] random
// data: out11 ulong[128] zero
// run: p30_k10 64/64 out11 in
// gives:

struct p30_S1 {
    float m1;
};
kernel void p30_k10(global ulong *out11, global const int *in)
{
    int gid = (int)(get_global_id(0));
    uint v13 = (uint)in[gid & 63];
    struct p30_S1 s17;
    s17.m1 = 1;
                s17.m1 *= rint(convert_float((short)(v13)));
    ulong h = 1;
    h = ((ulong)(s17.m1));
    out11[gid] = h;
}
