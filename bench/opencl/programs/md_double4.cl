//! buffer pos double 16384 noise
//! buffer force double 16384 zero
//! buffer near int 131072 below 4096
//! launch md 4096 / 128 : force pos 32 near 0.3 4096
kernel void md(global double4 *force, global const double4 *pos, int n, global const int *near, double cut, int count)
{
    int i = get_global_id(0);
    double4 p = pos[i], f = 0;
    for (int j = 0; j < n; j++) {
        double4 q = pos[near[j * count + i]];
        double dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut) {
            r2 = 1.0 / (r2 + 0.1);
            double r6 = r2 * r2 * r2, k = r2 * r6 * (1.5 * r6 - 2.0);
            f.x += dx * k, f.y += dy * k, f.z += dz * k;
        }
    }
    force[i] = f;
}
