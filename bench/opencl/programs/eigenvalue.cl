//! buffer count uint 1024 zero
//! buffer lower float 1024 falling
//! buffer diagonal float 256 noise
//! buffer off float 256 noise
//! launch intervals 1024 / 256 : count lower diagonal off 256
uint below(float x, uint n, global const float *diagonal, global const float *off)
{
    uint count = 0;
    float prev = diagonal[0] - x;
    count += prev < 0;
    for (uint i = 1; i < n; i++) {
        float d = diagonal[i] - x - off[i - 1] * off[i - 1] / prev;
        count += d < 0;
        prev = d;
    }
    return count;
}
kernel void intervals(global uint *count, global const float *lower, global const float *diagonal, global const float *off, uint n)
{
    uint i = get_global_id(0);
    count[i] = below(lower[i] + 0.01f, n, diagonal, off) - below(lower[i], n, diagonal, off);
}
