//! buffer counter int 16 zero
//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch work 256 / 64 : counter in out 65536
// each work-group takes the next piece
kernel void work(global int *counter, global const float *in, global float *out, int n)
{
    local int next;
    int lid = get_local_id(0);
    for (;;) {
        if (lid == 0)
            next = atomic_add(counter, 64);
        barrier(CLK_LOCAL_MEM_FENCE);
        int at = next;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at >= n)
            break;
        float x = in[at + lid];
        for (int k = 0; k < 16; k++)
            x = x * x * 0.5f - 0.3f;
        out[at + lid] = x;
    }
}
