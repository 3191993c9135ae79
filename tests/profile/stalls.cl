// Kernels that wait for one thing each.
kernel void waits(global int *a)
{
    local int sum[128];
    int i = get_global_id(0), l = get_local_id(0);
    sum[l] = a[i];
    for (int k = 64; k > 0; k /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < k)
            sum[l] += sum[l + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = sum[0];
}

kernel void divides(global int *a)
{
    int i = get_global_id(0);
    float x = a[i] + 1.5f, y = x + 1.0f;
    for (int k = 0; k < 8; k++) {
        x = 3.0f / x;
        y = y * x + 1.0f;
    }
    a[i] = (int)(x + y);
}

kernel void diverges(global int *a)
{
    int i = get_global_id(0), x = a[i];
    for (int k = 0; k < (i & 7); k++)
        x = x & 1 ? x * 3 + 1 : x / 2;
    a[i] = x;
}
