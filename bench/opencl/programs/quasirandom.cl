//! buffer table uint 93 below 2000000000
//! buffer out float 98304 zero
//! launch quasi 128 3 / 128 1 : out table 7 32768
kernel void quasi(global float *out, constant uint *table, uint seed, uint n)
{
    uint tid = get_global_id(0), many = get_global_size(0), dim = get_group_id(1);
    for (uint pos = tid; pos < n; pos += many) {
        uint result = 0, data = seed + pos;
        for (int bit = 0; bit < 31; bit++, data >>= 1)
            if (data & 1)
                result ^= table[bit + dim * 31];
        out[dim * n + pos] = (float)(result + 1) * (1.0f / 2147483648.0f);
    }
}
