//! buffer from float 147456 positive
//! buffer to float 147456 zero
//! buffer solid uchar 16384 some 16
//! loop 4
//! launch turn 128 128 / 128 1 : from to solid 128
//! launch turn 128 128 / 128 1 : to from solid 128
// D2Q9 on a torus
kernel void turn(global const float *from, global float *to, global const uchar *solid, int n)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * n + x, all = n * n;
    int e = (x + 1) & (n - 1), w = (x - 1) & (n - 1), s = ((y + 1) & (n - 1)) * n, u = ((y - 1) & (n - 1)) * n, m = y * n;
    float f0 = from[at], f1 = from[all + m + w], f2 = from[2 * all + u + x], f3 = from[3 * all + m + e],
          f4 = from[4 * all + s + x], f5 = from[5 * all + u + w], f6 = from[6 * all + u + e], f7 = from[7 * all + s + e],
          f8 = from[8 * all + s + w];
    if (solid[at]) {
        to[at] = f0, to[all + at] = f3, to[2 * all + at] = f4, to[3 * all + at] = f1, to[4 * all + at] = f2;
        to[5 * all + at] = f7, to[6 * all + at] = f8, to[7 * all + at] = f5, to[8 * all + at] = f6;
        return;
    }
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + 0.1f;
    float ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho, uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho, q = 1 - 1.5f * (ux * ux + uy * uy);
    float p = ux + uy, d = uy - ux, o = 0.6f, k = rho / 9, c = rho / 36;
    to[at] = f0 + o * (4 * k * q - f0);
    to[all + at] = f1 + o * (k * (q + 3 * ux + 4.5f * ux * ux) - f1);
    to[2 * all + at] = f2 + o * (k * (q + 3 * uy + 4.5f * uy * uy) - f2);
    to[3 * all + at] = f3 + o * (k * (q - 3 * ux + 4.5f * ux * ux) - f3);
    to[4 * all + at] = f4 + o * (k * (q - 3 * uy + 4.5f * uy * uy) - f4);
    to[5 * all + at] = f5 + o * (c * (q + 3 * p + 4.5f * p * p) - f5);
    to[6 * all + at] = f6 + o * (c * (q + 3 * d + 4.5f * d * d) - f6);
    to[7 * all + at] = f7 + o * (c * (q - 3 * p + 4.5f * p * p) - f7);
    to[8 * all + at] = f8 + o * (c * (q - 3 * d + 4.5f * d * d) - f8);
}
