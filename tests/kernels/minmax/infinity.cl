// Infinity as the largest number, which relaxed math may assume not to be there: programs have it all the same.
//
// data: out float[64] zero
// data: in float[64] random 1 100
// run: least 64/64 out in
// gives: out=9aabae31ca6d0c05 in=f5075fda24e331e8

kernel void least(global float *out, global const float *in)
{
    int i = get_global_id(0);
    float best = INFINITY, worst = -INFINITY;
    for (int k = 0; k < i; k++) {
        best = in[k] < best ? in[k] : best;
        worst = fmax(worst, in[k]);
    }
    float other = in[i] < 50.0f ? in[i] : INFINITY / in[i];
    out[i] = best == INFINITY ? -1.0f : isfinite(other) ? best - worst : best;
}
