//! buffer x double 1024 noise
//! buffer y double 1024 noise
//! buffer cdf double 1024 rising
//! buffer u double 1024 rising
//! buffer xj double 1024 zero
//! buffer yj double 1024 zero
//! buffer w double 1024 positive
//! buffer ind int 65536 below 65536
//! buffer ind2 int 65536 zero
//! buffer image uchar 65536 below 256
//! buffer out double 1024 zero
//! launch find 1024 / 128 : x y cdf u xj yj w 1024
//! launch likelihood 1024 / 128 : xj yj ind ind2 image out 1024 64 65536
kernel void find(global const double *x, global const double *y, global const double *cdf, global const double *u,
                 global double *xj, global double *yj, global const double *w, int n)
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
        xj[i] = x[index], yj[i] = y[index];
    }
}
kernel void likelihood(global const double *x, global const double *y, global const int *ind, global int *ind2,
                       global const uchar *image, global double *out, int n, int ones, int most)
{
    int i = get_global_id(0);
    if (i < n) {
        double sum = 0;
        for (int k = 0; k < ones; k++) {
            int at = abs((int)(x[i] * 100) * 64 + (int)(y[i] * 100) + ind[k]) % most;
            ind2[i * ones + k] = at;
            double v = image[at];
            sum += ((v - 100) * (v - 100) - (v - 228) * (v - 228)) / 50.0;
        }
        out[i] = sum / ones;
    }
}
