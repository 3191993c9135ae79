//! buffer grid double 65536 rising
//! buffer xs double 327680 positive
//! buffer energies double 8192 positive
//! buffer out double 8192 zero
//! launch lookup 8192 / 64 : grid xs energies out 65536
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// binary search of an energy, five reactions interpolated, for four nuclides
kernel void lookup(global const double *grid, global const double *xs, global const double *energies, global double *out, int n)
{
    int id = get_global_id(0);
    double e = energies[id] * 0.5, sum[5] = {0, 0, 0, 0, 0};
    for (int nuclide = 0; nuclide < 4; nuclide++, e *= 0.9) {
        int lo = 0, length = n;
        while (length > 1) {
            int half_length = length / 2, mid = lo + half_length;
            if (grid[mid] <= e)
                lo = mid;
            length -= half_length;
        }
        lo = min(lo, n - 2);
        double f = (grid[lo + 1] - e) / (grid[lo + 1] - grid[lo]);
        for (int k = 0; k < 5; k++)
            sum[k] += xs[(lo + 1) * 5 + k] - f * (xs[(lo + 1) * 5 + k] - xs[lo * 5 + k]);
    }
    double best = 0;
    for (int k = 0; k < 5; k++)
        if (sum[k] > best)
            best = sum[k];
    out[id] = best;
}
