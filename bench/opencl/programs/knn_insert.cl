//! buffer points float 8192 noise
//! buffer queries float 4096 noise
//! buffer dist float 8192 zero
//! buffer index int 8192 zero
//! launch nearest 1024 / 64 : points queries dist index 2048
// the eight nearest, kept sorted in private memory
kernel void nearest(global const float4 *points, global const float4 *queries, global float *dist, global int *index, int n)
{
    int i = get_global_id(0);
    float4 q = queries[i];
    float d[8];
    int at[8];
    for (int k = 0; k < 8; k++)
        d[k] = INFINITY, at[k] = -1;
    for (int j = 0; j < n; j++) {
        float4 t = points[j] - q;
        float r = dot(t, t);
        if (r < d[7]) {
            int k = 7;
            while (k > 0 && d[k - 1] > r) {
                d[k] = d[k - 1], at[k] = at[k - 1];
                k--;
            }
            d[k] = r, at[k] = j;
        }
    }
    for (int k = 0; k < 8; k++)
        dist[i * 8 + k] = d[k], index[i * 8 + k] = at[k];
}
