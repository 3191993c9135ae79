//! buffer a uchar 1048576 below 256
//! buffer b uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! launch average 131072 / 128 : a b out
kernel void average(global const uchar8 *a, global const uchar8 *b, global uchar8 *out)
{
    int i = get_global_id(0);
    out[i] = rhadd(max(a[i], b[i]), hadd(a[i], b[i]));
}
