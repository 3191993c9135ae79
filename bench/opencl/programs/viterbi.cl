//! buffer trans float 262144 positive
//! buffer emit float 8192 positive
//! buffer prob float 512 positive
//! buffer next float 512 zero
//! buffer path int 32768 zero
//! loop 16
//! launch viterbi 32768 / 64 : next path prob trans emit 512 $ l256 l256
kernel void viterbi(global float *next, global int *path, global const float *prob, global const float *trans,
                    global const float *emit, int n, int obs, local float *mv, local int *mi)
{
    uint st = get_group_id(0), l = get_local_id(0), ls = get_local_size(0);
    float best = -1;
    int bi = -1;
    for (int i = l; i < n; i += ls) {
        float v = prob[i] + trans[st * n + i];
        if (v > best) {
            best = v;
            bi = i;
        }
    }
    mv[l] = best;
    mi[l] = bi;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = ls >> 1; s > 0; s >>= 1) {
        if (l < s && mv[l] < mv[l + s]) {
            mv[l] = mv[l + s];
            mi[l] = mi[l + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        next[st] = mv[0] + emit[obs * n + st];
        path[obs * n + st] = mi[0];
    }
}
