//! buffer a float 1048576 noise
//! buffer out float 4096 zero
//! launch sum 4096 / 256 : a out 256
kernel void sum(global const float *a, global float *out, int n)
{
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[i * n + k];
    out[i] = s;
}
