// --global 32,32 -l 16,16 -a buffer:f32:1296=random:1 -a buffer:f32:25=random:2 -a buffer:f32:1024 -a 36 -a 2  out 2
// A square filter whose size is an argument: nested loops, weights the same for all lanes.
kernel void conv2d(global const float *in, constant float *weight, global float *out, int pitch, int radius)
{
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
    float sum = 0;
    for (int dy = 0; dy <= 2 * radius; dy++)
        for (int dx = 0; dx <= 2 * radius; dx++)
            sum += in[(y + dy) * pitch + x + dx] * weight[dy * (2 * radius + 1) + dx];
    out[y * width + x] = sum;
}
