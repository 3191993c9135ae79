//! buffer read uchar 16384 below 4
//! buffer quality uchar 16384 below 40
//! buffer haplotype uchar 32768 below 4
//! buffer out float 512 zero
//! launch forward 512 / 64 : read quality haplotype out
// rows of three states in private memory
kernel void forward(global const uchar *read, global const uchar *quality, global const uchar *haplotype, global float *out)
{
    int id = get_global_id(0);
    float M[65], X[65], Y[65];
    for (int j = 0; j <= 64; j++)
        M[j] = 0, X[j] = 0, Y[j] = 1.0f / 64;
    for (int i = 0; i < 32; i++) {
        float m = M[0], x = X[0], y = Y[0], e = exp2(-0.33f * (quality[id * 32 + i] + 3));
        uchar r = read[id * 32 + i];
        M[0] = 0, X[0] = 0, Y[0] = 0;
        for (int j = 1; j <= 64; j++) {
            float p = r == haplotype[id * 64 + j - 1] ? 1 - e : e / 3, n = p * (0.9f * m + 0.85f * (x + y));
            m = M[j], x = X[j], y = Y[j];
            X[j] = 0.05f * m + 0.1f * x;
            Y[j] = 0.05f * M[j - 1] + 0.1f * Y[j - 1];
            M[j] = n;
        }
    }
    float sum = 0;
    for (int j = 1; j <= 64; j++)
        sum += M[j] + X[j];
    out[id] = log10(sum + 1e-30f);
}
