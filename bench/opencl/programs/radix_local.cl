//! buffer keys uint 65536 below 2000000000
//! buffer out uint 65536 zero
//! buffer counts uint 4096 zero
//! launch split 16384 / 256 : keys out 0
//! launch offsets 16384 / 256 : out counts 0
// four keys per item sorted by four bits in local memory
uint scan_group(uint v, local uint *s)
{
    uint lid = get_local_id(0), n = get_local_size(0);
    s[lid] = 0, s[lid + n] = v;
    for (uint d = 1; d < n; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint t = s[lid + n] + s[lid + n - d];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[lid + n] = t;
    }
    return s[lid + n] - v;
}
kernel void split(global const uint4 *keys, global uint4 *out, uint start)
{
    local uint s[512], m[1024];
    local uint total;
    uint lid = get_local_id(0), n = get_local_size(0);
    uint4 k = keys[get_global_id(0)];
    for (uint shift = start; shift < start + 4; shift++) {
        uint4 p = 1 - ((k >> shift) & 1u);
        uint a = p.x, b = a + p.y, c = b + p.z, sum = c + p.w;
        uint before = scan_group(sum, s);
        if (lid == n - 1)
            total = before + sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint4 rank = (uint4)(before, before + a, before + b, before + c),
              idx = (uint4)(lid * 4, lid * 4 + 1, lid * 4 + 2, lid * 4 + 3);
        rank = p == 1u ? rank : idx - rank + total;
        m[(rank.x & 3) * n + (rank.x >> 2)] = k.x;
        m[(rank.y & 3) * n + (rank.y >> 2)] = k.y;
        m[(rank.z & 3) * n + (rank.z >> 2)] = k.z;
        m[(rank.w & 3) * n + (rank.w >> 2)] = k.w;
        barrier(CLK_LOCAL_MEM_FENCE);
        k = (uint4)(m[lid], m[lid + n], m[lid + 2 * n], m[lid + 3 * n]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = k;
}
kernel void offsets(global const uint4 *keys, global uint *counts, uint start)
{
    local uint r[1024], ptr[16], end[16];
    uint lid = get_local_id(0), group = get_group_id(0);
    uint4 k = (keys[get_global_id(0)] >> start) & 15u;
    r[lid * 4] = k.x, r[lid * 4 + 1] = k.y, r[lid * 4 + 2] = k.z, r[lid * 4 + 3] = k.w;
    if (lid < 16)
        ptr[lid] = 0, end[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < 1024; i += 256) {
        if (i > 0 && r[i] != r[i - 1])
            ptr[r[i]] = i;
        if (i < 1023 && r[i] != r[i + 1])
            end[r[i]] = i + 1;
        if (i == 1023)
            end[r[i]] = 1024;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16)
        counts[lid * 64 + group] = end[lid] - ptr[lid];
}
