//! buffer cdf float 4096 rising
//! buffer u float 4096 positive
//! buffer ax double 4096 noise
//! buffer xj double 4096 zero
//! launch find 4096 / 128 : cdf u ax xj 1024
// the first entry that is large enough, by linear search
kernel void find(global const float *cdf, global const float *u, global const double *ax, global double *xj, int n)
{
    int i = get_global_id(0), index = -1;
    float v = u[i] * 0.1f;
    for (int x = 0; x < n; x++)
        if (cdf[x] >= v) {
            index = x;
            break;
        }
    if (index == -1)
        index = n - 1;
    xj[i] = ax[index];
}
