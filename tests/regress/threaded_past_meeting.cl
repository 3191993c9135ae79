// `n > 2` says that `n > 0`: the optimiser led the lanes that skip the first loop straight into the second one, past the
// block where they would have met the others, and the barrier never saw the whole warp.
//
// data: in int[64] random
// data: acc uint[8] zero
// data: out uint[96] zero
// run: two_loops 96/48 out in acc int:5
// gives: in=eea2983122ddc546 acc=604a8b6633ca2d51 out=d19c4746a5611b25

kernel void two_loops(global uint *out, global const int *in, global uint *acc, int n)
{
    local uint seen[48];
    int i = get_global_id(0), l = get_local_id(0);
    seen[l] = 0;
    if (n > 2)
        for (uint j = in[i & 63] & 7; j > 0; j--)
            atomic_xor(&acc[j], (uint)i);
    for (int j = 0; j < n; j++) {
        seen[(l + j) % 48] += l;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = seen[l];
}
