//! buffer in float 1048576 noise
//! buffer out float 1048576 zero
//! loop 4
//! launch copy2d 1024 1024 / 32 4 : in out 1024
kernel void copy2d(global const float *in, global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[y * width + x];
}
