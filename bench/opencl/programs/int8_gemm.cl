//! buffer a uchar 65536 below 256
//! buffer b uchar 65536 below 256
//! buffer c int 65536 zero
//! launch gemm 256 256 / 16 16 : a b c 256
kernel void gemm(global const char4 *a, global const char4 *b, global int *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1), s = 0;
    for (int k = 0; k < n / 4; k++) {
        char4 p = a[y * (n / 4) + k], q = b[x * (n / 4) + k];
        s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    c[y * n + x] = s;
}
