//! buffer x float 4096 noise
//! buffer y float 4096 noise
//! buffer cdf float 4096 rising
//! buffer u float 4096 rising
//! buffer xj float 4096 zero
//! buffer yj float 4096 zero
//! buffer seed int 4096 below 100000
//! launch likelihood 4096 / 128 : x y seed 4096
//! launch find_index 4096 / 128 : x y cdf u xj yj 4096
float uniform_of(global int *seed, int i)
{
    int num = 1103515245 * seed[i] + 12345;
    seed[i] = num % 2147483647;
    return fabs(seed[i] / 2147483647.0f);
}
kernel void likelihood(global float *x, global float *y, global int *seed, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        float u = uniform_of(seed, i), v = uniform_of(seed, i);
        x[i] = x[i] + 1.0f + 5.0f * sqrt(-2 * log(u)) * cos(2 * 3.1415926f * v);
        u = uniform_of(seed, i), v = uniform_of(seed, i);
        y[i] = y[i] - 2.0f + 2.0f * sqrt(-2 * log(u)) * cos(2 * 3.1415926f * v);
    }
}
kernel void find_index(global float *x, global float *y, global float *cdf, global float *u, global float *xj,
                       global float *yj, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        int index = -1;
        for (int k = 0; k < n; k++)
            if (cdf[k] >= u[i]) {
                index = k;
                break;
            }
        if (index == -1)
            index = n - 1;
        xj[i] = x[index];
        yj[i] = y[index];
    }
}
