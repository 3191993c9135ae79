//! buffer data float 131072 noise
//! launch fft 8192 / 64 : data
// radix 2 in local memory, 512 points per work-group
kernel void fft(global float2 *data)
{
    local float2 s[512];
    int lid = get_local_id(0), base = get_group_id(0) * 512;
    for (int i = lid; i < 512; i += 64) {
        int r = 0;
        for (int k = 0; k < 9; k++)
            r |= (i >> k & 1) << (8 - k);
        s[r] = data[base + i];
    }
    for (int half_size = 1; half_size < 512; half_size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < 256; i += 64) {
            int k = i & (half_size - 1), at = 2 * i - k;
            float angle = -3.14159265f * k / half_size;
            float c = native_cos(angle), sn = native_sin(angle);
            float2 a = s[at], b = s[at + half_size];
            float2 t = (float2)(b.x * c - b.y * sn, b.x * sn + b.y * c);
            s[at] = a + t;
            s[at + half_size] = a - t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < 512; i += 64)
        data[base + i] = s[i];
}
