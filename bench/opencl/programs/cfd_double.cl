//! buffer var double 20480 positive
//! buffer near int 16384 below 4096
//! buffer normal double 49152 noise
//! buffer flux double 20480 zero
//! buffer old double 20480 positive
//! buffer area double 4096 positive
//! buffer step double 4096 zero
//! launch factor 4224 / 192 : var area step 4096
//! launch fluxes 4096 / 64 : near normal var flux 4096
//! launch turn 4096 / 64 : old var step flux 2 4096
void speed(double d, double mx, double my, double mz, double e, double *v2, double *p, double *c)
{
    double x = mx / d, y = my / d, z = mz / d;
    *v2 = x * x + y * y + z * z;
    *p = 0.4 * (e + 3.0 - 0.5 * d * *v2);
    *c = sqrt(fabs(1.4 * *p / d) + 0.1);
}
kernel void factor(global const double *var, global const double *area, global double *step, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    double v2, p, c, d = var[i] + 1.0;
    speed(d, var[i + n], var[i + 2 * n], var[i + 3 * n], var[i + 4 * n], &v2, &p, &c);
    step[i] = 0.5 / (sqrt(area[i] + 0.1) * (sqrt(v2) + c));
}
kernel void fluxes(global const int *near, global const double *normal, global const double *var, global double *flux, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    double d = var[i] + 1.0, mx = var[i + n], my = var[i + 2 * n], mz = var[i + 3 * n], e = var[i + 4 * n], v2, p, c;
    double fd = 0, fx = 0, fy = 0, fz = 0, fe = 0;
    speed(d, mx, my, mz, e, &v2, &p, &c);
    for (int j = 0; j < 4; j++) {
        int k = near[i + j * n];
        double nx = normal[i + j * n], ny = normal[i + (j + 4) * n], nz = normal[i + (j + 8) * n],
               len = sqrt(nx * nx + ny * ny + nz * nz);
        if (k >= 0) {
            double dk = var[k] + 1.0, xk = var[k + n], yk = var[k + 2 * n], zk = var[k + 3 * n], ek = var[k + 4 * n], vk, pk,
                   ck;
            speed(dk, xk, yk, zk, ek, &vk, &pk, &ck);
            double f = -len * 0.2 * 0.5 * (v2 + sqrt(vk) + c + ck);
            fd += f * (d - dk), fe += f * (e - ek), fx += f * (mx - xk), fy += f * (my - yk), fz += f * (mz - zk);
            f = 0.5 * nx, fd += f * (xk + mx), fx += f * (pk + p), fe += f * (ek + e);
            f = 0.5 * ny, fd += f * (yk + my), fy += f * (pk + p), fe += f * (ek + e);
            f = 0.5 * nz, fd += f * (zk + mz), fz += f * (pk + p), fe += f * (ek + e);
        } else if (k == -1) {
            fx += nx * p, fy += ny * p, fz += nz * p;
        }
    }
    flux[i] = fd, flux[i + n] = fx, flux[i + 2 * n] = fy, flux[i + 3 * n] = fz, flux[i + 4 * n] = fe;
}
kernel void turn(global const double *old, global double *var, global const double *step, global const double *flux, int j,
                 int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    double f = step[i] / (4 - j);
    for (int k = 0; k < 5; k++)
        var[i + k * n] = old[i + k * n] + f * flux[i + k * n];
}
