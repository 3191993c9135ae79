//! buffer a float 262144 noise
//! buffer b float 262144 zero
//! launch transpose 512 512 / 8 8 : a b 512
kernel void transpose(global const float *a, global float *b, int n)
{
    int i = get_global_id(0), j = get_global_id(1);
    b[i * n + j] = a[j * n + i];
}
