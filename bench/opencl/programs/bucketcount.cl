//! buffer in float 65536 rising
//! buffer pivots float 1024 rising
//! buffer out int 65536 zero
//! launch bucket 65536 / 128 : in pivots out 65536
kernel void bucket(global const float *in, global const float *pivots, global int *out, int n)
{
    for (int tid = get_global_id(0); tid < n; tid += get_global_size(0)) {
        float e = in[tid];
        int idx = 511, jump = 256;
        float pivot = pivots[idx];
        while (jump >= 1) {
            idx = e < pivot ? idx - jump : idx + jump;
            pivot = pivots[idx];
            jump /= 2;
        }
        out[tid] = e < pivot ? idx : idx + 1;
    }
}
