//! buffer in uchar 262144 below 256
//! buffer out uint 256 zero
//! launch count 65536 / 256 : in out
kernel void count(global const uchar4 *in, global uint *out)
{
    uchar4 v = in[get_global_id(0)];
    atomic_inc(&out[v.x]);
    atomic_inc(&out[v.y]);
    atomic_inc(&out[v.z]);
    atomic_inc(&out[v.w]);
}
