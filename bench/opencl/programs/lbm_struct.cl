//! buffer src float 655360 positive
//! buffer dst float 655360 zero
//! launch turn 32 1024 / 32 1 : src dst
// D3Q19, cells are structures of 20 floats, on a torus
#define N 32
kernel void turn(global const float *src, global float *dst)
{
    int x = get_global_id(0), y = get_global_id(1) % N, z = get_global_id(1) / N, at = 20 * (x + N * (y + N * z));
    const int dx[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1};
    const int dy[19] = {0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
    const int dz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1};
    float f[19], rho = 0.1f, ux = 0, uy = 0, uz = 0;
#pragma unroll
    for (int i = 0; i < 19; i++) {
        f[i] = src[at + i];
        rho += f[i], ux += f[i] * dx[i], uy += f[i] * dy[i], uz += f[i] * dz[i];
    }
    ux /= rho, uy /= rho, uz /= rho;
    float u2 = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int i = 0; i < 19; i++) {
        float e = dx[i] * ux + dy[i] * uy + dz[i] * uz, w = i ? i < 7 ? 1.0f / 18 : 1.0f / 36 : 1.0f / 3;
        int to = 20 * (((x + dx[i]) & (N - 1)) + N * (((y + dy[i]) & (N - 1)) + N * ((z + dz[i]) & (N - 1))));
        dst[to + i] = f[i] + 1.95f * (w * rho * (1 + e * (4.5f * e + 3) - u2) - f[i]);
    }
}
