//! buffer m float 1048576 noise
//! buffer v float 1100 noise
//! buffer w float 1000 zero
//! launch mv 1024 / 256 : m v 1000 1000 w
kernel void mv(global const float *m, global const float *v, uint width, uint height, global float *w)
{
    uint y = get_global_id(0);
    if (y < height) {
        global const float *row = m + y * width;
        float dot = 0;
        for (int x = 0; x < width; ++x)
            dot += row[x] * v[x];
        w[y] = dot;
    }
}
