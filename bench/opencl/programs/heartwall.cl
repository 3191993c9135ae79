//! buffer frame float 65536 noise
//! buffer tmpl float 1681 noise
//! buffer out float 40000 zero
//! launch convolve 13056 / 256 : frame tmpl out 256 200
// convolution by a large window, one work-group per few results
kernel void convolve(global const float *frame, global const float *tmpl, global float *out, int width, int size)
{
    int i = get_global_id(0), n = 10;
    if (i < 51 * 256) {
        int x = i % size, y = i / size;
        float sum = 0;
        for (int v = 0; v < n; v++)
            for (int u = 0; u < n; u++) {
                int px = x - u, py = y - v;
                if (px >= 0 && py >= 0)
                    sum += frame[py * width + px] * tmpl[v * 41 + u];
            }
        out[i] = sum;
    }
}
