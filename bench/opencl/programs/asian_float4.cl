//! buffer rand uint 65536 below 2000000000
//! buffer sum float 65536 zero
//! buffer vega float 65536 zero
//! launch asian 128 128 / 16 16 : 8 128 rand sum vega
kernel void asian(uint steps, uint width, global const uint4 *rand, global float4 *sum, global float4 *vega)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    uint4 s = rand[y * width + x];
    float4 t = 100.0f, acc = 100.0f, d1 = 0.0f, d2 = 0.0f;
    for (uint i = 1; i < steps; i++) {
        s = s * 1664525u + 1013904223u;
        float4 u = (convert_float4(s >> 8) + 1.0f) * (1.0f / 16777217.0f);
        s = s * 1664525u + 1013904223u;
        float4 v = convert_float4(s >> 8) * (6.2831853f / 16777216.0f);
        float4 g = sqrt(-2.0f * log(u)) * cos(v);
        t = t * exp(0.0002f + 0.03f * g);
        acc += t, d1 += t * (log(t / 100.0f) - 0.002f * i), d2 += t;
    }
    float4 mean = acc / (float)steps - 100.0f;
    sum[y * width + x] = fmax(mean, 0.0f);
    vega[y * width + x] = mean > 0.0f ? d1 / (float)steps : 0.0f;
}
