//! buffer a float 262144 noise
//! buffer b float 262144 noise
//! buffer x float 512 noise
//! buffer y float 512 zero
//! buffer tmp float 512 zero
//! launch gesummv 512 / 256 : a b x y tmp 1.5 2.5 512
kernel void gesummv(global float *a, global float *b, global float *x, global float *y, global float *tmp, float alpha,
                    float beta, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        for (int j = 0; j < n; j++) {
            tmp[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
}
