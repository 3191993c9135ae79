// --global 512 -l 128 -a buffer:u64:512=random:1 -a buffer:u64:512 -a 16  out 1
// 64-bit integers: a linear congruential generator, shifts, a division.
kernel void wide(global const ulong *seed, global ulong *out, int rounds)
{
    size_t i = get_global_id(0);
    ulong x = seed[i], sum = 0;
    for (int k = 0; k < rounds; k++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        sum += (x >> 33) ^ x << 13;
        if (x < sum)
            sum -= x >> 7;
    }
    out[i] = sum % 1000003ul + sum / (x >> 20 | 1);
}
