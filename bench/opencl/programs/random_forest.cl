//! buffer features float 131072 positive
//! buffer nodes int 32768 below 32
//! buffer limits float 32768 positive
//! buffer out float 4096 zero
//! launch infer 4096 / 64 : features nodes limits out 32 16
// trees of depth ten, walked by index
kernel void infer(global const float *features, global const int *nodes, global const float *limits, global float *out,
    int width, int trees)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int t = 0; t < trees; t++) {
        int at = 0;
        for (int d = 0; d < 10; d++) {
            int f = nodes[t * 2048 + at];
            at = 2 * at + 1 + (features[i * width + f] > limits[t * 2048 + at]);
        }
        sum += limits[t * 2048 + at];
    }
    out[i] = sum / trees;
}
