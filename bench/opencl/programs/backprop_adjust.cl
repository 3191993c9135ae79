//! buffer delta float 17 noise
//! buffer ly float 65537 noise
//! buffer w float 1114129 noise
//! buffer oldw float 1114129 zero
//! launch adjust 16 65520 / 16 16 : delta 16 ly 65536 w oldw
kernel void adjust(global float *delta, int hid, global float *ly, int in, global float *w, global float *oldw)
{
    int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1), iy = 16 * by + ty + 1, ix = tx + 1;
    w[index] += 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[index];
    oldw[index] = 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ty == 0 && by == 0) {
        w[ix] += 0.3f * delta[ix] + 0.3f * oldw[ix];
        oldw[ix] = 0.3f * delta[ix] + 0.3f * oldw[ix];
    }
}
