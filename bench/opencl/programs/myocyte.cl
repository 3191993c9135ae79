//! buffer y float 1024 positive
//! buffer p float 1024 positive
//! buffer out float 1024 zero
//! loop 20
//! launch cell 4 / 4 : y p out 91
// few work-items with much scalar work
kernel void cell(global float *y, global float *p, global float *out, int n)
{
    int i = get_global_id(0);
    float v = y[i * n], m = y[i * n + 1], h = y[i * n + 2], j = y[i * n + 3], ca = y[i * n + 4];
    for (int k = 0; k < 40; k++) {
        float am = fabs(v + 47.13f) > 0.001f ? 0.32f * (v + 47.13f) / (1.0f - exp(-0.1f * (v + 47.13f))) : 3.2f;
        float bm = 0.08f * exp(-v / 11.0f);
        float ah = v >= -40.0f ? 0.0f : 0.135f * exp((80.0f + v) / -6.8f);
        float bh = v >= -40.0f ? 1.0f / (0.13f * (1.0f + exp(-(v + 10.66f) / 11.1f)))
                               : 3.56f * exp(0.079f * v) + 310000.0f * exp(0.35f * v);
        float aj = 0.1f * exp(-0.0000002535f * v), bj = aj / (1.0f + exp(-0.1f * (v + 32.0f)));
        m += 0.01f * (am * (1.0f - m) - bm * m);
        h += 0.01f * (ah * (1.0f - h) - bh * h);
        j += 0.01f * (aj * (1.0f - j) - bj * j);
        float gna = 16.0f * m * m * m * h * j;
        float eca = log(1.8f / ca), ica = 0.1f * pow(m, 1.3f) * (v - eca);
        ca += 0.0001f * (0.07f - ca) - 0.00001f * ica;
        v += 0.01f * p[i * n + k] - 0.001f * gna * v;
    }
    out[i * n] = v, out[i * n + 1] = m, out[i * n + 2] = h, out[i * n + 3] = j, out[i * n + 4] = ca;
}
