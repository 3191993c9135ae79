//! buffer f0 double 16384 positive
//! buffer f1234 double 65536 positive
//! buffer f5678 double 65536 positive
//! buffer g0 double 16384 zero
//! buffer g1234 double 65536 zero
//! buffer g5678 double 65536 zero
//! launch lbm 128 128 / 16 16 : f0 f1234 f5678 g0 g1234 g5678 1.2
kernel void lbm(global double *f0, global double4 *f1234, global double4 *f5678, global double *g0, global double4 *g1234,
                global double4 *g5678, double omega)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), p = x + w * y;
    double a = f0[p];
    double4 b = f1234[p], c = f5678[p];
    double rho = a + b.x + b.y + b.z + b.w + c.x + c.y + c.z + c.w + 1.0;
    double ux = (b.x - b.z + c.x - c.y - c.z + c.w) / rho, uy = (b.y - b.w + c.x + c.y - c.z - c.w) / rho,
           u2 = 1.5 * (ux * ux + uy * uy);
    double e0 = 4.0 / 9 * rho * (1 - u2);
    double4 e1 =
        1.0 / 9 * rho * (1 + 3 * (double4)(ux, uy, -ux, -uy) + 4.5 * (double4)(ux * ux, uy * uy, ux * ux, uy * uy) - u2);
    double s = ux + uy, d = uy - ux;
    double4 e2 = 1.0 / 36 * rho * (1 + 3 * (double4)(s, d, -s, -d) + 4.5 * (double4)(s * s, d * d, s * s, d * d) - u2);
    g0[p] = a + omega * (e0 - a);
    g1234[p] = b + omega * (e1 - b);
    g5678[p] = c + omega * (e2 - c);
}
