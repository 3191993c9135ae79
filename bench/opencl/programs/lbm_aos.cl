//! buffer src float 655360 positive
//! buffer dst float 655360 zero
//! launch advance 32 32 32 / 32 1 1 : src dst
// twenty floats per cell, one after the other
#define CELL(x, y, z) (20 * ((((z) & 31) * 32 + ((y) & 31)) * 32 + ((x) & 31)))
kernel void advance(global const float *src, global float *dst)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), at = CELL(x, y, z);
    float c = src[at], n = src[at + 1], s = src[at + 2], e = src[at + 3], w = src[at + 4], t = src[at + 5], b = src[at + 6];
    float ne = src[at + 7], nw = src[at + 8], se = src[at + 9], sw = src[at + 10], nt = src[at + 11], nb = src[at + 12];
    float st = src[at + 13], sb = src[at + 14], et = src[at + 15], eb = src[at + 16], wt = src[at + 17], wb = src[at + 18];
    float rho = c + n + s + e + w + t + b + ne + nw + se + sw + nt + nb + st + sb + et + eb + wt + wb;
    float ux = (e - w + ne - nw + se - sw + et + eb - wt - wb) / rho, uy = (n - s + ne + nw - se - sw + nt + nb - st - sb) / rho;
    float uz = (t - b + nt - nb + st - sb + et - eb + wt - wb) / rho;
    float u2 = 1.5f * (ux * ux + uy * uy + uz * uz) - 1, o = 1.95f, k0 = o / 3 * rho, k1 = o / 18 * rho, k2 = o / 36 * rho;
    dst[at] = (1 - o) * c - k0 * u2;
    dst[CELL(x, y + 1, z) + 1] = (1 - o) * n + k1 * (uy * (4.5f * uy + 3) - u2);
    dst[CELL(x, y - 1, z) + 2] = (1 - o) * s + k1 * (uy * (4.5f * uy - 3) - u2);
    dst[CELL(x + 1, y, z) + 3] = (1 - o) * e + k1 * (ux * (4.5f * ux + 3) - u2);
    dst[CELL(x - 1, y, z) + 4] = (1 - o) * w + k1 * (ux * (4.5f * ux - 3) - u2);
    dst[CELL(x, y, z + 1) + 5] = (1 - o) * t + k1 * (uz * (4.5f * uz + 3) - u2);
    dst[CELL(x, y, z - 1) + 6] = (1 - o) * b + k1 * (uz * (4.5f * uz - 3) - u2);
    dst[CELL(x + 1, y + 1, z) + 7] = (1 - o) * ne + k2 * ((ux + uy) * (4.5f * (ux + uy) + 3) - u2);
    dst[CELL(x - 1, y + 1, z) + 8] = (1 - o) * nw + k2 * ((uy - ux) * (4.5f * (uy - ux) + 3) - u2);
    dst[CELL(x + 1, y - 1, z) + 9] = (1 - o) * se + k2 * ((ux - uy) * (4.5f * (ux - uy) + 3) - u2);
    dst[CELL(x - 1, y - 1, z) + 10] = (1 - o) * sw + k2 * ((ux + uy) * (4.5f * (ux + uy) - 3) - u2);
    dst[CELL(x, y + 1, z + 1) + 11] = (1 - o) * nt + k2 * ((uy + uz) * (4.5f * (uy + uz) + 3) - u2);
    dst[CELL(x, y + 1, z - 1) + 12] = (1 - o) * nb + k2 * ((uy - uz) * (4.5f * (uy - uz) + 3) - u2);
    dst[CELL(x, y - 1, z + 1) + 13] = (1 - o) * st + k2 * ((uz - uy) * (4.5f * (uz - uy) + 3) - u2);
    dst[CELL(x, y - 1, z - 1) + 14] = (1 - o) * sb + k2 * ((uy + uz) * (4.5f * (uy + uz) - 3) - u2);
    dst[CELL(x + 1, y, z + 1) + 15] = (1 - o) * et + k2 * ((ux + uz) * (4.5f * (ux + uz) + 3) - u2);
    dst[CELL(x + 1, y, z - 1) + 16] = (1 - o) * eb + k2 * ((ux - uz) * (4.5f * (ux - uz) + 3) - u2);
    dst[CELL(x - 1, y, z + 1) + 17] = (1 - o) * wt + k2 * ((uz - ux) * (4.5f * (uz - ux) + 3) - u2);
    dst[CELL(x - 1, y, z - 1) + 18] = (1 - o) * wb + k2 * ((ux + uz) * (4.5f * (ux + uz) - 3) - u2);
}
