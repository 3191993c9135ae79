//! buffer in double 65536 positive
//! buffer out double 64 zero
//! launch add 65536 / 256 : in out
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void add(global const double *in, volatile global double *out)
{
    int i = get_global_id(0);
    volatile global ulong *p = (volatile global ulong *)&out[i & 63];
    ulong old, new;
    do {
        old = *p;
        new = as_ulong(as_double(old) + (double)(int)(in[i] * 16));
    } while (atom_cmpxchg(p, old, new) != old);
}
