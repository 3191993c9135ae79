//! buffer x float 2048 noise
//! buffer y float 2048 noise
//! buffer taken int 2048 some 4
//! buffer size int 2048 zero
//! launch members 2048 / 64 : x y taken size 2048 0.3
kernel void members(global const float *x, global const float *y, global const int *taken, global int *size, int n, float t)
{
    int i = get_global_id(0), count = 0;
    if (i < n && !taken[i])
        for (int j = 0; j < n; j++) {
            if (taken[j] || j == i)
                continue;
            float d = hypot(x[i] - x[j], y[i] - y[j]);
            if (d < t)
                count++;
        }
    if (i < n)
        size[i] = count;
}
