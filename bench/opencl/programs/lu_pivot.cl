//! buffer a float 16384 diagonal 128
//! buffer pivot int 128 zero
//! loop 127
//! launch find 64 / 64 : a pivot 128 $
//! launch swap 128 / 64 : a pivot 128 $
//! launch eliminate 128 128 / 16 16 : a 128 $
kernel void find(global const float *a, global int *pivot, int n, int k)
{
    local float best[64];
    local int where[64];
    int l = get_local_id(0);
    best[l] = -1;
    where[l] = k;
    for (int i = k + l; i < n; i += 64)
        if (fabs(a[i * n + k]) > best[l])
            best[l] = fabs(a[i * n + k]), where[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s /= 2) {
        if (l < s && best[l + s] > best[l])
            best[l] = best[l + s], where[l] = where[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        pivot[k] = where[0];
}
kernel void swap(global float *a, global const int *pivot, int n, int k)
{
    int j = get_global_id(0), p = pivot[k];
    if (p != k) {
        float t = a[k * n + j];
        a[k * n + j] = a[p * n + j];
        a[p * n + j] = t;
    }
}
kernel void eliminate(global float *a, int n, int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i > k && j > k)
        a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
}
