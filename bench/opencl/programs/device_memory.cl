//! buffer data float 262144 noise
//! buffer out float 65536 zero
//! launch coalesced 4096 / 256 : data out 65536
//! launch unit 4096 / 256 : data out 65536
//! launch local_memory 4096 / 256 : data out 65536
kernel void coalesced(global float *data, global float *out, int size)
{
    int gid = get_global_id(0), s = gid;
    float sum = 0;
    for (int j = 0; j < 16; j++) {
        float a0 = data[(s) & (size - 1)], a1 = data[(s + 4096) & (size - 1)], a2 = data[(s + 8192) & (size - 1)],
              a3 = data[(s + 12288) & (size - 1)];
        sum += a0 + a1 + a2 + a3;
        s = (s + 16384) & (size - 1);
    }
    out[gid] = sum;
}
kernel void unit(global float *data, global float *out, int size)
{
    int gid = get_global_id(0), s = gid * 64;
    float sum = 0;
    for (int j = 0; j < 16; j++) {
        float a0 = data[(s) & (size - 1)], a1 = data[(s + 1) & (size - 1)], a2 = data[(s + 2) & (size - 1)],
              a3 = data[(s + 3) & (size - 1)];
        sum += a0 + a1 + a2 + a3;
        s = (s + 4) & (size - 1);
    }
    out[gid] = sum;
}
kernel void local_memory(global const float *data, global float *out, int size)
{
    local float t[2048];
    int gid = get_global_id(0), tid = get_local_id(0), s = tid;
    float sum = 0;
    for (int i = tid; i < 2048; i += 256)
        t[i] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; j++) {
        sum += t[s] + t[(s + 1) & 2047] + t[(s + 2) & 2047] + t[(s + 3) & 2047];
        s = (s + 16) & 2047;
    }
    out[gid] = sum;
}
