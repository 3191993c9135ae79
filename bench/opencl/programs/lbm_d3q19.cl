//! buffer src float 622592 positive
//! buffer dst float 622592 zero
//! buffer solid int 32768 some 20
//! launch advance 32 32 32 / 32 1 1 : src dst solid 32768
// nineteen directions, structure of arrays, scattered to the neighbours
#define AT(q, x, y, z) ((q) * n + (((z) & 31) * 32 + ((y) & 31)) * 32 + ((x) & 31))
constant int ex[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constant int ey[19] = {0, 0, 0, 1, -1, 0, 0, 1, 1, -1, -1, 0, 0, 0, 0, 1, -1, 1, -1};
constant int ez[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1};
kernel void advance(global const float *src, global float *dst, global const int *solid, int n)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float f[19], rho = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
    for (int q = 0; q < 19; q++) {
        f[q] = src[AT(q, x, y, z)];
        rho += f[q], ux += ex[q] * f[q], uy += ey[q] * f[q], uz += ez[q] * f[q];
    }
    ux /= rho, uy /= rho, uz /= rho;
    float usq = 1.5f * (ux * ux + uy * uy + uz * uz);
    if (solid[AT(0, x, y, z)]) {
#pragma unroll
        for (int q = 0; q < 19; q++)
            dst[AT(q == 0 ? 0 : q & 1 ? q + 1 : q - 1, x - ex[q], y - ey[q], z - ez[q])] = f[q];
    } else {
#pragma unroll
        for (int q = 0; q < 19; q++) {
            float w = q == 0 ? 1 / 3.0f : q < 7 ? 1 / 18.0f : 1 / 36.0f, e = ex[q] * ux + ey[q] * uy + ez[q] * uz;
            dst[AT(q, x + ex[q], y + ey[q], z + ez[q])] = f[q] + 1.2f * (w * rho * (1 + e * (3 + 4.5f * e) - usq) - f[q]);
        }
    }
}
