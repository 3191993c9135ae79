//! buffer a float 67584 noise
//! buffer out float 67584 zero
//! launch shift 67584 / 33 : a out
kernel void shift(global const float *a, global float *out)
{
    local float t[33];
    int lid = get_local_id(0);
    t[lid] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[(lid + 1) % 33] - t[lid];
}
