//! buffer in float 16385 noise
//! buffer out float 17 zero
//! buffer w float 278545 noise
//! buffer sum float 16384 zero
//! buffer delta float 17 noise
//! buffer old float 278545 noise
//! launch forward 16 16384 / 16 16 : in out w sum l64 l1024 16384 16
//! launch adjust 16 16384 / 16 16 : delta 16 in 16384 w old
#define W 16
#define H 16
kernel void forward(global float *in, global float *out, global float *hidden, global float *sum, local float *node,
                    local float *weight, int nin, int hid)
{
    int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int index = (hid + 1) * H * by + (hid + 1) * ty + tx + 1 + hid + 1, at = H * by + ty + 1;
    if (tx == 0)
        node[ty] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    weight[ty * W + tx] = hidden[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    weight[ty * W + tx] = weight[ty * W + tx] * node[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i <= H; i = i * 2) {
        int power = i;
        if (ty % power == 0)
            weight[ty * W + tx] = weight[ty * W + tx] + (ty + power / 2 < H ? weight[(ty + power / 2) * W + tx] : 0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    hidden[index] = weight[ty * W + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx == 0)
        sum[by * hid + ty] = weight[tx * W + ty];
}
kernel void adjust(global float *delta, int hid, global float *ly, int nin, global float *w, global float *oldw)
{
    int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int index = (hid + 1) * H * by + (hid + 1) * ty + tx + 1 + hid + 1, iy = H * by + ty + 1, ix = tx + 1;
    w[index] += 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[index];
    oldw[index] = 0.3f * delta[ix] * ly[iy] + 0.3f * oldw[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ty == 0 && by == 0) {
        w[ix] += 0.3f * delta[ix] + 0.3f * oldw[ix];
        oldw[ix] = 0.3f * delta[ix] + 0.3f * oldw[ix];
    }
}
