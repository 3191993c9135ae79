//! buffer val float 262144 noise
//! buffer cols int 262144 below 4096
//! buffer rows int 4097 ragged 64
//! buffer vec float 4096 noise
//! buffer out float 4096 zero
//! launch csr 131072 / 128 : val vec cols rows 4096 out
kernel void csr(global const float *val, global const float *vec, global const int *cols, global const int *rows,
                int dim, global float *out)
{
    local volatile float part[128];
    int t = get_local_id(0);
    int id = t & 31;
    int row = get_group_id(0) * 4 + t / 32;
    float sum = 0;
    if (row < dim) {
        int end = rows[row + 1];
        for (int j = rows[row] + id; j < end; j += 32)
            sum += val[j] * vec[cols[j]];
        part[t] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < 16)
            part[t] += part[t + 16];
        if (id < 8)
            part[t] += part[t + 8];
        if (id < 4)
            part[t] += part[t + 4];
        if (id < 2)
            part[t] += part[t + 2];
        if (id < 1)
            part[t] += part[t + 1];
        if (id == 0)
            out[row] = part[t];
    }
}
