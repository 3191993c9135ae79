//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! loop 4
//! launch copy2d 256 256 / 8 8 : in out 256
kernel void copy2d(global const float *in, global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[y * width + x];
}
