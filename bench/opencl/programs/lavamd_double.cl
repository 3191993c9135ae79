//! buffer near int 1728 neighbours
//! buffer rv double 25600 positive
//! buffer qv double 6400 positive
//! buffer fv double 25600 zero
//! launch lavamd 6400 / 100 : near rv qv fv 0.5
typedef struct { double v, x, y, z; } four;
kernel void lavamd(global const int *near, global const four *rv, global const double *qv, global four *fv, double a2)
{
    local four ra[100], rb[100];
    local double qb[100];
    int bx = get_group_id(0), tx = get_local_id(0), first = bx * 100;
    ra[tx] = rv[first + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    four f = {0, 0, 0, 0};
    for (int k = 0; k < 9; k++) {
        int other = (k ? near[bx * 26 + k - 1] : bx) * 100;
        rb[tx] = rv[other + tx], qb[tx] = qv[other + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 100; j++) {
            double r2 = ra[tx].v + rb[j].v - (ra[tx].x * rb[j].x + ra[tx].y * rb[j].y + ra[tx].z * rb[j].z);
            double vij = exp(-a2 * r2), fs = 2 * vij, dx = ra[tx].x - rb[j].x, dy = ra[tx].y - rb[j].y, dz = ra[tx].z - rb[j].z;
            f.v += qb[j] * vij, f.x += qb[j] * fs * dx, f.y += qb[j] * fs * dy, f.z += qb[j] * fs * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    fv[first + tx] = f;
}
