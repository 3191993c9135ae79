//! buffer a float 131072 positive
//! buffer b float 131072 positive
//! buffer c float 131072 noise
//! buffer d float 131072 noise
//! buffer x float 131072 zero
//! launch thomas 1024 / 64 : a b c d x 128
kernel void thomas(global const float *a, global float *b, global float *c, global float *d, global float *x, int n)
{
    int t = get_global_id(0), o = t * n;
    b[o] += 4.0f;
    for (int i = 1; i < n; i++) {
        float f = a[o + i] / (b[o + i - 1] + 4.0f);
        b[o + i] = b[o + i] - c[o + i - 1] * f;
        d[o + i] = d[o + i] - d[o + i - 1] * f;
    }
    x[o + n - 1] = d[o + n - 1] / (b[o + n - 1] + 4.0f);
    for (int i = n - 2; i >= 0; i--)
        x[o + i] = (d[o + i] - c[o + i] * x[o + i + 1]) / (b[o + i] + 4.0f);
}
