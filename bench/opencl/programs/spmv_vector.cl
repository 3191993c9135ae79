//! buffer rows int 4097 ragged 40
//! buffer cols int 163840 below 4096
//! buffer vals float 163840 noise
//! buffer x float 4096 noise
//! buffer y float 4096 zero
//! launch spmv 131072 / 128 : vals x cols rows y 4096
// 32 items per row, added up in local memory
kernel void spmv(global const float *vals, global const float *x, global const int *cols, global const int *rows, global float *y, int n)
{
    local volatile float part[128];
    int lid = get_local_id(0), lane = lid & 31, row = get_group_id(0) * 4 + lid / 32;
    if (row < n) {
        float sum = 0;
        for (int j = rows[row] + lane; j < rows[row + 1]; j += 32)
            sum += vals[j] * x[cols[j]];
        part[lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 16)
            part[lid] += part[lid + 16];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 8)
            part[lid] += part[lid + 8];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 4)
            part[lid] += part[lid + 4];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 2)
            part[lid] += part[lid + 2];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < 1)
            y[row] = part[lid] + part[lid + 1];
    }
}
