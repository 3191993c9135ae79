//! buffer in float 262144 noise
//! buffer out float 262144 zero
//! buffer coeff float 8 noise
//! launch fdtd 64 64 / 16 4 : in out coeff 64 64 64
// a column of cells per item, radius 4; the values above and below stay in registers
kernel void fdtd(global const float *in, global float *out, constant float *coeff, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), slice = nx * ny;
    if (x < 4 || y < 4 || x >= nx - 4 || y >= ny - 4)
        return;
    int at = y * nx + x;
    float below[4], here, above[4];
    for (int i = 0; i < 4; i++)
        below[i] = in[at + (3 - i) * slice];
    here = in[at + 4 * slice];
    for (int i = 0; i < 4; i++)
        above[i] = in[at + (5 + i) * slice];
    for (int z = 4; z < nz - 4; z++) {
        int c = at + z * slice;
        float v = coeff[0] * here;
        for (int i = 1; i <= 4; i++)
            v += coeff[i] * (below[i - 1] + above[i - 1] + in[c - i] + in[c + i] + in[c - i * nx] + in[c + i * nx]);
        out[c] = v;
        for (int i = 3; i > 0; i--)
            below[i] = below[i - 1];
        below[0] = here;
        here = above[0];
        for (int i = 0; i < 3; i++)
            above[i] = above[i + 1];
        if (z + 5 < nz)
            above[3] = in[c + 5 * slice];
    }
}
