//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! buffer sums float 512 zero
//! launch scan 32768 / 128 : in out sums
kernel void scan(global const float *in, global float *out, global float *sums)
{
    local float t[256];
    int lid = get_local_id(0), base = get_group_id(0) * 256, offset = 1;
    t[2 * lid] = in[base + 2 * lid];
    t[2 * lid + 1] = in[base + 2 * lid + 1];
    for (int d = 128; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            t[offset * (2 * lid + 2) - 1] += t[offset * (2 * lid + 1) - 1];
        offset *= 2;
    }
    if (lid == 0) {
        sums[get_group_id(0)] = t[255];
        t[255] = 0;
    }
    for (int d = 1; d < 256; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            float a = t[offset * (2 * lid + 1) - 1];
            t[offset * (2 * lid + 1) - 1] = t[offset * (2 * lid + 2) - 1];
            t[offset * (2 * lid + 2) - 1] += a;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * lid] = t[2 * lid];
    out[base + 2 * lid + 1] = t[2 * lid + 1];
}
