/* The Mandelbrot set as text: one work-item per character, a line break at the end of each row. */
__constant char shades[] = " .,:;=+*#%@";

__kernel void mandelbrot(__global char *text, int iterations)
{
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    float cr = -2.2f + 3.2f * x / (width - 1), ci = -1.2f + 2.4f * y / (height - 1);
    float zr = 0.0f, zi = 0.0f;
    int n = 0;
    while (n < iterations && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    char c = n == iterations ? '@' : shades[n * 10 / iterations];
    text[y * width + x] = x == width - 1 ? '\n' : c;
}
