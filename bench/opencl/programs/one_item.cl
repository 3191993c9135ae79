//! buffer in float 262144 noise
//! buffer out float 1024 zero
//! launch rows 1024 / 1 : in out 256
kernel void rows(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    float sum = 0, most = -1;
    for (int k = 0; k < n; k++) {
        sum += in[i * n + k] * in[i * n + k];
        most = fmax(most, in[i * n + k]);
    }
    out[i] = sqrt(sum) * most;
}
