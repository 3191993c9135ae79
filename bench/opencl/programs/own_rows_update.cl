//! buffer a float 1048576 noise
//! launch update 4096 / 256 : a 256 0.5
kernel void update(global float *a, int n, float f)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        a[i * n + k] = a[i * n + k] * f + 1.0f;
}
