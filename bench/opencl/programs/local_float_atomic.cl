//! buffer in float 131072 positive
//! buffer keys uchar 131072 below 32
//! buffer out float 16384 zero
//! launch sum 131072 / 256 : in keys out
void add(volatile local float *at, float x)
{
    union { uint u; float f; } now, next;
    do {
        now.f = *at;
        next.f = now.f + x;
    } while (atomic_cmpxchg((volatile local uint *)at, now.u, next.u) != now.u);
}
kernel void sum(global const float *in, global const uchar *keys, global float *out)
{
    local float bins[32];
    int l = get_local_id(0);
    if (l < 32)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add(&bins[keys[get_global_id(0)]], rint(in[get_global_id(0)] * 100));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32)
        out[get_group_id(0) * 32 + l] = bins[l];
}
