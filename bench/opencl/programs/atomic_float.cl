//! buffer x float 16384 positive
//! buffer bin int 16384 below 512
//! buffer acc float 512 zero
//! launch add 16384 / 128 : x bin acc
void add_to(volatile global float *p, float v)
{
    union {
        uint u;
        float f;
    } next, prev;
    do {
        prev.f = *p;
        next.f = prev.f + v;
    } while (atomic_cmpxchg((volatile global uint *)p, prev.u, next.u) != prev.u);
}
kernel void add(global const float *x, global const int *bin, global float *acc)
{
    int i = get_global_id(0);
    add_to(&acc[bin[i]], rint(x[i] * 8));
}
