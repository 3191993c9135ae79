//! buffer gx float 65536 noise
//! buffer gy float 65536 noise
//! buffer sines float 256 noise
//! buffer cosines float 256 noise
//! buffer out float 65536 zero
//! launch gicov 256 256 / 64 1 : gx gy sines cosines out 256
// for each pixel, the best ratio of mean and variance over five circles of 32 points
kernel void gicov(global const float *gx, global const float *gy, constant float *sines, constant float *cosines,
                  global float *out, int size)
{
    int x = get_global_id(0), y = get_global_id(1);
    float best = 0;
    if (x >= 12 && y >= 12 && x < size - 12 && y < size - 12) {
        for (int k = 0; k < 5; k++) {
            float sum = 0, mean = 0, var = 0;
            for (int n = 0; n < 32; n++) {
                int px = x + (int)(cosines[n] * (k + 3)), py = y + (int)(sines[n] * (k + 3));
                float p = gx[py * size + px] * cosines[n] + gy[py * size + px] * sines[n];
                sum += p;
                float delta = p - mean;
                mean += delta / (n + 1);
                var += delta * (p - mean);
            }
            float ratio = var > 0 ? sum * sum / var : 0;
            if (ratio > best)
                best = ratio;
        }
    }
    out[y * size + x] = best;
}
