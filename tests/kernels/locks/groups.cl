// Work-groups that wait for those before them.
//
// data: in uint[8192] random 0 9
// data: out uint[8192] zero
// data: state uint[256] zero
// run: chain 8192/32 in out state
// gives: in=eccb22c230d3a4e0 out=f56020ec65fcc95a state=a6a5c648cf73ded4
// data: in uint[512] random 0 9
// data: out uint[512] zero
// data: state uint[16] zero
// run: chain 16x32/1x1 in out state
// gives: in=7bb7486365aea038 out=9ed0e78c9eb159c7 state=21da6299396939c7
// data: in uint[256] random 0 9
// data: out uint[256] zero
// data: state uint[256] zero
// run: chain_volatile 256/1 in out state
// gives: in=0597e40b5d385fc7 out=ce7a0232c444ec50 state=04c00b1c6a8d3b88

// prefixes, passed from each to the next one
kernel void chain(global const uint *in, global uint *out, volatile global uint *state)
{
    uint g = get_group_id(0), before = 0;
    local uint sum, from;
    sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        if (g)
            while (((before = atomic_or(&state[g - 1], 0)) >> 31) == 0)
                ;
        from = before & 0x7fffffff;
        atomic_xchg(&state[g], (from + sum) | 0x80000000u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = from + in[get_global_id(0)];
}
kernel void chain_volatile(global const uint *in, global uint *out, volatile global uint *state)
{
    uint g = get_group_id(0), before = 0x80000000;
    if (g)
        while ((before = state[g - 1]) == 0)
            ;
    state[g] = before + in[g];
    out[g] = before;
}
