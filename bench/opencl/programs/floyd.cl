//! buffer d int 65536 below 1000
//! loop 256
//! launch pass 256 256 / 16 16 : d 256 $
kernel void pass(global int *d, int n, int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
