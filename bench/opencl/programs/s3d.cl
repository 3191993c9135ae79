//! buffer t float 16384 positive
//! buffer p float 16384 positive
//! buffer y float 131072 positive
//! buffer rate float 131072 zero
//! launch rates 16384 / 128 : t p y rate 16384
kernel void rates(global const float *t, global const float *p, global const float *y, global float *rate, int n)
{
    int i = get_global_id(0);
    float temp = 300 + 1500 * t[i], lt = log(temp), rt = 1 / (8.314f * temp), c[8], k[12];
    for (int s = 0; s < 8; s++)
        c[s] = p[i] * y[s * n + i] * rt;
    for (int r = 0; r < 12; r++)
        k[r] = exp(2.0f + 0.3f * r * lt - (1000.0f + 800 * r) * rt);
    rate[0 * n + i] = k[0] * c[0] * c[1] - k[1] * c[2] * c[3] + k[8];
    rate[1 * n + i] = k[2] * c[1] * c[2] - k[3] * c[4] + k[9] * c[0];
    rate[2 * n + i] = k[4] * c[3] * c[5] - k[5] * c[6] * c[1] * 0.5f;
    rate[3 * n + i] = k[6] * c[7] * c[7] - k[7] * c[0] / (1 + c[3]);
    rate[4 * n + i] = k[10] * c[2] * c[5] - k[11] * c[7] * sqrt(c[6]);
    rate[5 * n + i] = k[0] * c[4] + k[3] * c[1] - k[5] * c[2];
    rate[6 * n + i] = k[7] * c[6] - k[2] * c[5] * c[5] * c[0];
    rate[7 * n + i] = (k[1] + k[4] + k[9]) * c[7] / (c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[6] + 1);
}
