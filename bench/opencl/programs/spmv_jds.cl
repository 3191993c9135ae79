//! buffer data float 131072 noise
//! buffer index int 131072 below 4096
//! buffer start int 32 steps 4096
//! buffer lengths int 128 below 31
//! buffer x float 4096 noise
//! buffer out float 4096 zero
//! launch jds 4096 / 32 : out data index x start lengths 4096
kernel void jds(global float *out, global float *data, global int *index, global float *x, constant int *start, constant int *lengths,
                int dim)
{
    int i = get_global_id(0), warp = i / 32;
    if (i < dim) {
        float sum = 0;
        int bound = lengths[warp];
        for (int k = 0; k < bound; k++) {
            int j = start[k] + i;
            sum += data[j] * x[index[j]];
        }
        out[i] = sum;
    }
}
