//! buffer a float 524288 noise
//! buffer x float 128 noise
//! buffer y float 4096 zero
//! launch rows 4096 / 64 : a x y 128
kernel void rows(global const float *a, global const float *x, global float *y, int n)
{
    int i = get_global_id(0);
    float16 sum = 0;
    for (int k = 0; k < n / 16; k++)
        sum += vload16(k, a + i * n) * vload16(k, x);
    float8 eight = sum.lo + sum.hi;
    float4 four = eight.lo + eight.hi;
    y[i] = four.x + four.y + four.z + four.w;
}
