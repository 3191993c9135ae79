//! buffer rnd float 4096 positive
//! buffer out float 4096 zero
//! launch option 65280 / 255 : 254 rnd out l4080 l4080
kernel void option(int steps, global const float4 *rnd, global float4 *out, local float4 *a, local float4 *b)
{
    uint tid = get_local_id(0), bid = get_group_id(0);
    float4 in = rnd[bid];
    float4 s = (1 - in) * 5 + in * 30, x = (1 - in) + in * 100, years = (1 - in) * 0.25f + in * 10;
    float4 dt = years / steps, vsdt = 0.3f * sqrt(dt), rdt = 0.02f * dt, r = exp(rdt), rinv = 1 / r, u = exp(vsdt), d = 1 / u;
    float4 pu = (r - d) / (u - d), pd = 1 - pu, pur = pu * rinv, pdr = pd * rinv;
    float4 profit = s * exp(vsdt * (2.0f * tid - (float)steps)) - x;
    a[tid] = max(profit, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = steps; j > 0; j -= 2) {
        if (tid < j)
            b[tid] = pur * a[tid] + pdr * a[tid + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid < j - 1)
            a[tid] = pur * b[tid] + pdr * b[tid + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        out[bid] = a[0];
}
