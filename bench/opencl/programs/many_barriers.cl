//! buffer in int 65536 below 1000000
//! buffer out int 65536 zero
//! launch sort 65536 / 256 : in out
// a bitonic sort written out: 36 steps, two barriers each
#define STEP(k, j)                                                                                                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                                                    \
    a = s[l], b = s[l ^ j];                                                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                                                    \
    s[l] = ((l & k) == 0) == ((l & j) == 0) ? min(a, b) : max(a, b);
kernel void sort(global const int *in, global int *out)
{
    local int s[256];
    int l = get_local_id(0), a, b;
    s[l] = in[get_global_id(0)];
    STEP(2, 1)
    STEP(4, 2) STEP(4, 1)
    STEP(8, 4) STEP(8, 2) STEP(8, 1)
    STEP(16, 8) STEP(16, 4) STEP(16, 2) STEP(16, 1)
    STEP(32, 16) STEP(32, 8) STEP(32, 4) STEP(32, 2) STEP(32, 1)
    STEP(64, 32) STEP(64, 16) STEP(64, 8) STEP(64, 4) STEP(64, 2) STEP(64, 1)
    STEP(128, 64) STEP(128, 32) STEP(128, 16) STEP(128, 8) STEP(128, 4) STEP(128, 2) STEP(128, 1)
    STEP(256, 128) STEP(256, 64) STEP(256, 32) STEP(256, 16) STEP(256, 8) STEP(256, 4) STEP(256, 2) STEP(256, 1)
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[l];
}
