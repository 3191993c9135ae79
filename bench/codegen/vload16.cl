// --global 256 -l 64 -a buffer:f32:65536=random:1 -a buffer:f32:256=random:2 -a buffer:f32:256 -a 256  out 2
// Rows read by sixteen words: one induction variable for all of them.
kernel void vload16_rows(global const float *a, global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    float16 sum = 0;
    for (int k = 0; k < n / 16; k++)
        sum += vload16(k, a + row * n) * vload16(k, x);
    float8 eight = sum.lo + sum.hi;
    float4 four = eight.lo + eight.hi;
    y[row] = four.x + four.y + four.z + four.w;
}
