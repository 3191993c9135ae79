//! buffer a float 65536 noise
//! buffer b float 65536 noise
//! buffer c float 65536 noise
//! launch sgemm 16 256 / 16 8 : a b c 256 256 256 1.5 0.5
// register tiling, one row of a per work-item, 16 columns
#define TN 16
kernel void sgemm(global const float *a, global const float *b, global float *c, int lda, int ldb, int ldc, float alpha,
                  float beta)
{
    local float tile[8][TN];
    float sum[TN];
    for (int i = 0; i < TN; i++)
        sum[i] = 0;
    int lx = get_local_id(0), ly = get_local_id(1), m = get_group_id(1) * 128 % 256 + ly * 16 + lx;
    int n = (get_group_id(1) / 2 * TN) % 256;
    for (int i = 0; i < 256; i += 8) {
        tile[ly][lx] = b[n + lx + (i + ly) * ldb];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 8; j++) {
            float v = a[m + (i + j) * lda];
            for (int k = 0; k < TN; k++)
                sum[k] += v * tile[j][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < TN; i++)
        c[m + (i + n) * ldc] = c[m + (i + n) * ldc] * beta + alpha * sum[i];
}
