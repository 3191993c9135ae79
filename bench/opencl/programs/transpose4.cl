//! buffer in float 262144 noise
//! buffer out float 262144 zero
//! launch transpose 128 128 / 16 16 : in out l16384
kernel void transpose(global const float4 *in, global float4 *out, local float4 *tile)
{
    int x = get_local_id(0), y = get_local_id(1), pitch = get_global_size(0);
    int from = (get_group_id(1) * 64 + y * 4) * pitch + get_group_id(0) * 16 + x;
    for (int k = 0; k < 4; k++)
        tile[(y * 4 + k) * 16 + x] = in[from + k * pitch];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 a = tile[x * 64 + y], b = tile[x * 64 + 16 + y], c = tile[x * 64 + 32 + y], d = tile[x * 64 + 48 + y];
    int to = (get_group_id(0) * 64 + y * 4) * pitch + get_group_id(1) * 16 + x;
    out[to] = (float4)(a.x, b.x, c.x, d.x);
    out[to + pitch] = (float4)(a.y, b.y, c.y, d.y);
    out[to + 2 * pitch] = (float4)(a.z, b.z, c.z, d.z);
    out[to + 3 * pitch] = (float4)(a.w, b.w, c.w, d.w);
}
