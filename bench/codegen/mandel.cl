// --global 64,64 -l 16,16 -a buffer:i32:4096 -a 64 -a 64 -a 256  out 0
// Iterations of the Mandelbrot set: a loop that lanes leave at different times.
kernel void mandel(global int *out, int width, int height, int limit)
{
    int x = get_global_id(0), y = get_global_id(1), count = 0;
    float cr = -2.0f + 3.0f * (float)x / (float)width, ci = -1.5f + 3.0f * (float)y / (float)height;
    float zr = 0, zi = 0;
    while (count < limit) {
        float rr = zr * zr, ii = zi * zi;
        if (rr + ii > 4.0f)
            break;
        zi = 2.0f * zr * zi + ci;
        zr = rr - ii + cr;
        count++;
    }
    out[y * width + x] = count;
}
