//! buffer a float 16384 noise
//! buffer b float 16384 diagonal 128
//! buffer c float 16384 noise
//! buffer d float 16384 noise
//! buffer x float 16384 zero
//! launch cr 8192 / 64 : a b c d x l2560 128 7
kernel void cr(global const float *ga, global const float *gb, global const float *gc, global const float *gd, global float *gx,
               local float *shared, int n, int steps)
{
    int t = get_local_id(0), base = get_group_id(0) * n, stride = 1, threads = n / 2, size = n + 1;
    local float *a = shared, *b = a + size - 1, *c = b + size - 1, *d = c + size - 1, *x = d + size - 1;
    a[t] = ga[base + t] * 0.1f, a[t + 64] = ga[base + t + 64] * 0.1f, b[t] = gb[base + t] + 3,
    b[t + 64] = gb[base + t + 64] + 3;
    c[t] = gc[base + t] * 0.1f, c[t + 64] = gc[base + t + 64] * 0.1f, d[t] = gd[base + t], d[t + 64] = gd[base + t + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < steps - 1; j++) {
        stride <<= 1;
        int delta = stride >> 1;
        if (t < threads) {
            int i = stride * t + stride - 1, right = i + delta < n ? i + delta : n - 1;
            float k1 = a[i] / b[i - delta], k2 = c[i] / b[right];
            if (i == n - 1)
                b[i] -= c[i - delta] * k1, d[i] -= d[i - delta] * k1, a[i] = -a[i - delta] * k1, c[i] = 0;
            else
                b[i] -= c[i - delta] * k1 + a[right] * k2, d[i] -= d[i - delta] * k1 + d[right] * k2, a[i] = -a[i - delta] * k1,
                                                                                                      c[i] = -c[right] * k2;
        }
        threads >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t < 2) {
        int p = stride - 1, q = 2 * stride - 1;
        float det = b[q] * b[p] - c[p] * a[q];
        if (t == 0)
            x[p] = (b[q] * d[p] - c[p] * d[q]) / det;
        else
            x[q] = (d[q] * b[p] - d[p] * a[q]) / det;
    }
    threads = 2;
    for (int j = 0; j < steps - 1; j++) {
        int delta = stride / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < threads) {
            int i = stride * t + stride / 2 - 1;
            x[i] = i == delta - 1 ? (d[i] - c[i] * x[i + delta]) / b[i]
                                  : (d[i] - a[i] * x[i - delta] - c[i] * x[i + delta]) / b[i];
        }
        stride >>= 1, threads <<= 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gx[base + t] = x[t], gx[base + t + 64] = x[t + 64];
}
