/* A 5x5 Gaussian by image reads, at the elements' centres or a quarter off them, where a linear filter reads four. */
#define WEIGHTS {1.0f, 4.0f, 6.0f, 4.0f, 1.0f}
kernel void images(read_only image2d_t image, sampler_t sampler, global float4 *out, float offset)
{
    const float weights[5] = WEIGHTS;
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0.0f;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights[dx] * weights[dy] *
                   read_imagef(image, sampler, (float2)(x + dx - 2 + offset, y + dy - 2 + offset));
    out[y * get_global_size(0) + x] = sum / 256.0f;
}
