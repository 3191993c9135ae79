//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch scan 65536 / 128 : in out
// a scan in a loop of barriers, with a fence besides
kernel void scan(global const float *in, global float *out)
{
    local float a[2][128];
    int lid = get_local_id(0), which = 0;
    a[0][lid] = in[get_global_id(0)];
    for (int d = 1; d < 128; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a[!which][lid] = a[which][lid] + (lid >= d ? a[which][lid - d] : 0);
        mem_fence(CLK_LOCAL_MEM_FENCE);
        which = !which;
    }
    out[get_global_id(0)] = a[which][lid];
}
