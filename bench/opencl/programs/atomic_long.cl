//! buffer x int 16384 below 100000
//! buffer bin int 16384 below 256
//! buffer sum int 512 zero
//! buffer product int 512 zero
//! launch totals 16384 / 16 : x bin sum product
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void totals(global const int *x, global const int *bin, volatile global long *sum, volatile global long *product)
{
    int i = get_global_id(0);
    long key = (long)x[i] << 8, old = product[bin[i]], assumed;
    do {
        assumed = old;
        old = atom_cmpxchg(&product[bin[i]], assumed, assumed + key);
    } while (assumed != old);
    atom_add(&sum[bin[i]], key);
}
