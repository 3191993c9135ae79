//! buffer keys uint 65536 below 65536
//! buffer counts uint 1024 zero
//! buffer sorted uint 65536 zero
//! loop 4
//! launch count 16384 / 256 : keys counts $*4
//! launch scan 64 / 64 : counts 1024
//! launch scatter 64 / 1 : keys counts sorted $*4
// 4 bits at a time; 64 blocks of 1024 keys
kernel void count(global const uint *keys, global uint *counts, int shift)
{
    local uint bins[16];
    int l = get_local_id(0), g = get_group_id(0);
    if (l < 16)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 1024; i += 256)
        atomic_inc(&bins[keys[g * 1024 + i] >> shift & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        counts[l * 64 + g] = bins[l];
}
kernel void scan(global uint *counts, int n)
{
    local uint sums[64];
    int l = get_local_id(0), each = n / 64;
    uint sum = 0;
    for (int i = 0; i < each; i++)
        sum += counts[l * each + i];
    sums[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 64; step *= 2) {
        uint other = l >= step ? sums[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint at = sums[l] - sum;
    for (int i = 0; i < each; i++) {
        uint here = counts[l * each + i];
        counts[l * each + i] = at;
        at += here;
    }
}
kernel void scatter(global const uint *keys, global const uint *counts, global uint *sorted, int shift)
{
    int g = get_group_id(0);
    uint at[16];
    for (int i = 0; i < 16; i++)
        at[i] = counts[i * 64 + g];
    for (int i = 0; i < 1024; i++) {
        uint key = keys[g * 1024 + i];
        sorted[at[key >> shift & 15]++] = key;
    }
}
