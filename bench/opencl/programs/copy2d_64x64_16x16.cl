//! buffer in float 4096 noise
//! buffer out float 4096 zero
//! loop 4
//! launch copy2d 64 64 / 16 16 : in out 64
kernel void copy2d(global const float *in, global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[y * width + x];
}
