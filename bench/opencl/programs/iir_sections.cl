//! buffer in float 1024 noise
//! buffer zeros float 512 noise
//! buffer poles float 512 noise
//! buffer out float 4096 zero
//! launch filter 1024 / 256 : in zeros poles out 1024
// 256 sections of a recursive filter side by side, whose outputs are summed in local memory for each sample
kernel void filter(global const float *in, global const float2 *zeros, global const float2 *poles, global float *out, int n)
{
    local float samples[256], sums[256];
    int l = get_local_id(0);
    float2 state = 0.0f, zero = zeros[l], pole = 0.01f * poles[l];
    for (int i = 0; i < n; i += 256) {
        samples[l] = in[i + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; k++) {
            state = (float2)(samples[k] - dot(pole, state), state.x);
            sums[l] = dot(zero, state);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int step = 128; step; step /= 2) {
                if (l < step)
                    sums[l] += sums[l + step];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (l == 0)
                out[get_group_id(0) * n + i + k] = sums[0] + samples[k];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
