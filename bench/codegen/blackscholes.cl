// --global 1024 -l 256 -a buffer:f32:1024=random:1 -a buffer:f32:1024=random:2 -a buffer:f32:1024=random:3 -a buffer:f32:1024 -a buffer:f32:1024 -a 0.02 -a 0.3  out 3 4
// Prices of options: logarithm, exponential, square root, a polynomial.
float cumulative(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float p = 0.39894228f * exp(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - p : p;
}
kernel void blackscholes(global const float *price, global const float *strike, global const float *years,
                         global float *call, global float *put, float rate, float volatility)
{
    size_t i = get_global_id(0);
    float s = 10 + 90 * price[i], x = 10 + 90 * strike[i], t = 0.25f + 9 * years[i], root = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root, n1 = cumulative(d1), n2 = cumulative(d2), discounted = x * exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
