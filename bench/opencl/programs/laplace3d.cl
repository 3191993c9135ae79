//! buffer u1 float 262144 noise
//! buffer u2 float 262144 zero
//! loop 4
//! launch laplace 64 64 / 32 4 : 64 64 64 4096 u1 u2
//! launch laplace 64 64 / 32 4 : 64 64 64 4096 u2 u1
// planes go through local memory
kernel void laplace(int nx, int ny, int nz, int pitch, global const float *u1, global float *u2)
{
    local float t[3][6 * 34];
    int lx = get_local_id(0), ly = get_local_id(1), i = get_global_id(0), j = get_global_id(1);
    int at = i + j * nx, ind = (lx + 1) + (ly + 1) * 34, k = lx + ly * 32;
    bool halo = k < 76;
    int hx = k < 68 ? k % 34 : (k - 68) % 2 * 33, hy = k < 68 ? k / 34 * 5 : (k - 68) / 2 + 1;
    int gx = clamp((int)get_group_id(0) * 32 + hx - 1, 0, nx - 1), gy = clamp((int)get_group_id(1) * 4 + hy - 1, 0, ny - 1);
    t[1][ind] = u1[at];
    if (halo)
        t[1][hx + hy * 34] = u1[gx + gy * nx];
    for (int z = 0; z < nz; z++) {
        t[0][ind] = t[1][ind];
        barrier(CLK_LOCAL_MEM_FENCE);
        float up = z + 1 < nz ? u1[at + (z + 1) * pitch] : 0, down = z ? u1[at + (z - 1) * pitch] : 0, v;
        v = (i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || z == 0 || z == nz - 1)
                ? t[1][ind]
                : (t[1][ind - 1] + t[1][ind + 1] + t[1][ind - 34] + t[1][ind + 34] + up + down) / 6.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        u2[at + z * pitch] = v;
        t[1][ind] = up;
        if (halo && z + 1 < nz)
            t[1][hx + hy * 34] = u1[gx + gy * nx + (z + 1) * pitch];
    }
}
