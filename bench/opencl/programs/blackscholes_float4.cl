//! buffer rand float 32768 positive
//! buffer call float 32768 zero
//! buffer put float 32768 zero
//! launch bs 128 64 / 64 1 : rand 128 call put
float4 phi(float4 x)
{
    float4 a = fabs(x), t = 1.0f / (1.0f + 0.2316419f * a);
    float4 y = 1.0f - 0.39894228f * exp(-a * a * 0.5f) * t *
                          (0.319381530f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    return (x < 0.0f) ? 1.0f - y : y;
}
kernel void bs(global const float4 *rand, int width, global float4 *call, global float4 *put)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    float4 in = rand[y * width + x] * 0.5f, s = 10.0f * in + 100.0f * (1.0f - in), k = 10.0f * in + 100.0f * (1.0f - in);
    float4 t = 1.0f * in + 10.0f * (1.0f - in), r = 0.01f * in + 0.05f * (1.0f - in), sigma = 0.01f * in + 0.10f * (1.0f - in);
    float4 sst = sigma * sqrt(t), d1 = (log(s / k) + (r + sigma * sigma / 2.0f) * t) / sst, d2 = d1 - sst, kexp = k * exp(-r * t);
    call[y * width + x] = s * phi(d1) - kexp * phi(d2);
    put[y * width + x] = kexp * phi(-d2) - s * phi(-d1);
}
