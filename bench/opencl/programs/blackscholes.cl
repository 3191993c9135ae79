//! buffer s float 65536 positive
//! buffer x float 65536 positive
//! buffer t float 65536 positive
//! buffer call float 65536 zero
//! buffer put float 65536 zero
//! launch price 65536 / 128 : s x t call put 0.02 0.3
float cnd(float d)
{
    float k = 1 / (1 + 0.2316419f * fabs(d));
    float c = 0.39894228f * exp(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - c : c;
}
kernel void price(global const float *s, global const float *x, global const float *t, global float *call,
                  global float *put, float r, float v)
{
    int i = get_global_id(0);
    float spot = s[i] + 0.1f, strike = x[i] + 0.1f, time = t[i] + 0.1f, root = sqrt(time);
    float d1 = (log(spot / strike) + (r + 0.5f * v * v) * time) / (v * root), d2 = d1 - v * root;
    float now = strike * exp(-r * time), a = cnd(d1), b = cnd(d2);
    call[i] = spot * a - now * b;
    put[i] = now * (1 - b) - spot * (1 - a);
}
