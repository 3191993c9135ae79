//! buffer x float 32768 positive
//! buffer bin int 32768 below 512
//! buffer acc int 512 zero
//! launch most 32768 / 128 : x bin acc
void atomic_max_float(volatile global int *p, float v)
{
    int old = *p;
    while (as_float(old) < v) {
        int cur = atomic_cmpxchg(p, old, as_int(v));
        if (cur == old) break;
        old = cur;
    }
}
kernel void most(global const float *x, global const int *bin, global int *acc)
{
    int i = get_global_id(0);
    atomic_max_float(&acc[bin[i]], x[i]);
}
