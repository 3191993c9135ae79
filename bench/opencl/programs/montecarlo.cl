//! buffer sums float 128 zero
//! launch paths 8192 / 64 : sums 64
kernel void paths(global float *sums, int turns)
{
    local float part[64];
    uint s = get_global_id(0) * 747796405u + 1;
    int l = get_local_id(0);
    float inside = 0;
    for (int k = 0; k < turns; k++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float x = (s & 65535) / 65536.0f, y = (s >> 16) / 65536.0f;
        if (x * x + y * y < 1)
            inside += 1;
    }
    part[l] = inside;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 32; d > 0; d >>= 1) {
        if (l < d)
            part[l] += part[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        sums[get_group_id(0)] = part[0];
}
