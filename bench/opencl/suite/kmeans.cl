// k-means: the nearest of 8 centres in 16 dimensions; features are stored by dimension.
kernel void kmeans(global const float *features, global const float *centres, global int *nearest, int n)
{
    int i = get_global_id(0), best = 0;
    if (i >= n)
        return;
    float least = FLT_MAX;
    for (int c = 0; c < 8; c++) {
        float distance = 0;
        for (int d = 0; d < 16; d++) {
            float x = features[d * n + i] - centres[c * 16 + d];
            distance += x * x;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}
