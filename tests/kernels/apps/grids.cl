// Grids: heat, diffusion, waves, fluids, convolutions.
//
// data: temperature float[576] random 320 340
// data: power float[576] random 0 1
// data: out float[576] zero
// run: hotspot 32x32/16x16 temperature power out int:24 int:24 int:2
// near: 1e-5
// gives: temperature=329.705778,331.331177,339.453735,338.131714,320.626221,322.838135,327.965393,329.480591,333.434143 power=0.499379714,0.591186523,0.52532959,0.671386719,0.0438079834,0.533401489,0.280090332,0.436416626,0.71661377 out=329.306442,330.93631,338.566925,336.459259,321.767822,322.601379,328.061096,329.568512,332.759888
// data: image float[1024] random 1 60
// data: c float[1024] zero
// data: dn float[1024] zero
// data: ds float[1024] zero
// data: dw float[1024] zero
// data: de float[1024] zero
// run: srad_extract 1024/64 image
// run: srad1 1024/64 image c dn ds dw de int:32 int:32 float:0.05
// run: srad2 1024/64 image c dn ds dw de int:32 int:32 float:0.5
// near: 1e-4
// gives: image=1.12465945,1.14510357,1.07687521,1.09536338,1.09488368,1.04120374,1.20690739,1.17769945,1.04347873 c=1,1,1,1,1,1,1,1,1 dn=0.0805343239,0,0,0,0,0,0,0,0 ds=0.0805343239,0.0484565496,0.0207227468,-0.0661308765,0.032456398,0.0963542461,-0.10630846,-0.0186190605,0.0298714638 dw=0.0809995938,0,0.162825465,0.15062654,0.065993309,0.111491203,-0.117372632,-0.139629245,0.0208303928 de=0.0809995938,-0.0439929962,-0.0563999414,-0.0541287661,-0.0615369081,0.0392918587,0.0108562708,-0.00364422798,0.131026626
// data: ex float[1024] random -1 1
// data: ey float[1024] random -1 1
// data: hz float[1024] random -1 1
// run: fdtd_ey 32x32/32x4 ex ey hz int:0
// run: fdtd_ex 32x32/16x8 ex hz
// run: fdtd_hz 32x32/8x8 ex ey hz
// run: fdtd_ey 32x32/32x4 ex ey hz int:1
// run: fdtd_ex 32x32/16x8 ex hz
// run: fdtd_hz 32x32/8x8 ex ey hz
// gives: ex=b42a0adab283ce61 ey=bb4f1d70e606b0aa hz=a6a720ed3e8da745
// data: a float[2048] random -8 8
// data: out float[2048] zero
// run: stencil7 16x16x8/16x4x1 a out int:16 int:16 int:8
// gives: a=d3e887f0c702cc7f out=faee78013c082e0e
// data: a float[900] random -8 8
// data: out float[900] zero
// run: convolve2d 30x30/10x10 a out int:30
// gives: a=fcee840711bf7f76 out=34236308e9d00d00
// data: a float[1728] random -8 8
// data: out float[1728] zero
// run: convolve3d 12x12/12x4 a out int:12
// gives: a=565fe05bffc0dc86 out=689451a9fdb9e01c
// data: cells float[2304] value 0.1
// data: flags uchar[256] random 0 8
// data: next float[2304] zero
// run: lbm 16x16/16x4 cells flags next float:1.85
// run: lbm 16x16/16x4 next flags cells float:1.85
// near: 1e-5
// gives: cells=0.103767408,0.182678878,0.135001123,0.102923162,0.0656361356,0.108764775,0.0819636881,0.0673991144,-0.0387499966 flags=20b4cc28cc336dab next=0.130208412,0.655000091,0.129137516,0.100000016,0.0736375228,0.100000016,-0.0387499966,-0.04534062,0.100000001
// data: cells uchar[1024] random 0 1
// data: out uchar[1024] zero
// run: life 32x32/8x8 cells out
// run: life 32x32/16x4 out cells
// run: life 32x32/32x1 cells out
// gives: cells=94c7db4b71c11404 out=f418c036475d520a
// data: image int[1024] random 0 255
// data: out int[1024] zero
// run: median 32x32/16x16 image out
// gives: image=3c266043c188abcb out=db77ac9043855289
// data: image uchar[1024] random
// data: out int[1024] zero
// run: sobel 32x32/16x16 image out
// gives: image=f5937ff3462aadb7 out=fe2f3254e6c034a9
// data: u float[256] random -1 1
// run: red_black 16x16/16x16 u int:8
// gives: u=d9f5d0cb7b6d14b4

#pragma OPENCL FP_CONTRACT OFF

// A tile that shrinks with each step of the time it computes by itself.
kernel void hotspot(global const float *temperature, global const float *power, global float *out, int columns,
                    int rows, int steps)
{
    local float now[16][16], own_power[16][16], next[16][16];
    int tx = get_local_id(0), ty = get_local_id(1), size = 16 - 2 * steps;
    int x = size * (int)get_group_id(0) - steps + tx, y = size * (int)get_group_id(1) - steps + ty;
    bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
    if (inside) {
        now[ty][tx] = temperature[y * columns + x];
        own_power[ty][tx] = power[y * columns + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int n = y > 0 ? ty - 1 : ty, s = y < rows - 1 ? ty + 1 : ty, w = x > 0 ? tx - 1 : tx, e = x < columns - 1 ? tx + 1 : tx;
    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = tx > i && tx < 15 - i && ty > i && ty < 15 - i && inside;
        if (computed)
            next[ty][tx] = now[ty][tx] + 0.1f * (own_power[ty][tx] + (now[s][tx] + now[n][tx] - 2 * now[ty][tx]) * 0.2f +
                                                 (now[ty][e] + now[ty][w] - 2 * now[ty][tx]) * 0.3f +
                                                 (80 - now[ty][tx]) * 0.01f);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == steps - 1)
            break;
        if (computed)
            now[ty][tx] = next[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        out[y * columns + x] = next[ty][tx];
}

kernel void srad_extract(global float *image)
{
    int i = get_global_id(0);
    image[i] = exp(image[i] / 255);
}

kernel void srad1(global const float *image, global float *c, global float *dn, global float *ds, global float *dw,
                  global float *de, int rows, int columns, float q0)
{
    int i = get_global_id(0), row = i % rows, column = i / rows;
    float j = image[i];
    float n = image[max(row - 1, 0) + rows * column] - j, s = image[min(row + 1, rows - 1) + rows * column] - j;
    float w = image[row + rows * max(column - 1, 0)] - j, e = image[row + rows * min(column + 1, columns - 1)] - j;
    float g = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
    float q = (0.5f * g - l * l / 16) / ((1 + 0.25f * l) * (1 + 0.25f * l));
    float value = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    c[i] = clamp(value, 0.0f, 1.0f);
    dn[i] = n;
    ds[i] = s;
    dw[i] = w;
    de[i] = e;
}

kernel void srad2(global float *image, global const float *c, global const float *dn, global const float *ds,
                  global const float *dw, global const float *de, int rows, int columns, float lambda)
{
    int i = get_global_id(0), row = i % rows, column = i / rows;
    float south = c[min(row + 1, rows - 1) + rows * column], east = c[row + rows * min(column + 1, columns - 1)];
    float divergence = c[i] * dn[i] + south * ds[i] + c[i] * dw[i] + east * de[i];
    image[i] += 0.25f * lambda * divergence;
}

kernel void fdtd_ey(global const float *ex, global float *ey, global const float *hz, int t)
{
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    if (y == 0)
        ey[x] = (float)t;
    else
        ey[y * n + x] -= 0.5f * (hz[y * n + x] - hz[(y - 1) * n + x]);
}

kernel void fdtd_ex(global float *ex, global const float *hz)
{
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    if (x > 0)
        ex[y * n + x] -= 0.5f * (hz[y * n + x] - hz[y * n + x - 1]);
}

kernel void fdtd_hz(global const float *ex, global const float *ey, global float *hz)
{
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    if (x < n - 1 && y < n - 1)
        hz[y * n + x] -= 0.7f * (ex[y * n + x + 1] - ex[y * n + x] + ey[(y + 1) * n + x] - ey[y * n + x]);
}

kernel void stencil7(global const float *a, global float *out, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * ny + y) * nx + x;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[i] = a[i];
        return;
    }
    float around = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny];
    out[i] = around * 0.125f - a[i] * 0.25f;
}

constant float weights[9] = {0.25f, -0.375f, 0.5f, 0.75f, -1.5f, 0.125f, -0.25f, 0.875f, 1};

kernel void convolve2d(global const float *a, global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        float sum = 0;
        for (int k = 0; k < 9; k++)
            sum += weights[k] * a[(y + k / 3 - 1) * n + x + k % 3 - 1];
        out[y * n + x] = sum;
    }
}

kernel void convolve3d(global const float *a, global float *out, int n)
{
    int k = get_global_id(0), j = get_global_id(1);
    for (int i = 1; i < n - 1; i++) {
        if (j > 0 && k > 0 && j < n - 1 && k < n - 1) {
            float sum = 0;
            for (int di = -1; di <= 1; di++)
                for (int dk = -1; dk <= 1; dk++)
                    sum += weights[(di + 1) * 3 + dk + 1] * a[((i + di) * n + j + di * dk) * n + k + dk];
            out[(i * n + j) * n + k] = sum;
        }
    }
}

// Nine directions; walls throw back what comes.
constant int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constant float share[9] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

kernel void lbm(global const float *cells, global const uchar *flags, global float *next, float omega)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * 16 + x;
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        f[k] = cells[k * 256 + ((y - dy[k]) & 15) * 16 + ((x - dx[k]) & 15)];
        rho += f[k];
        ux += f[k] * dx[k];
        uy += f[k] * dy[k];
    }
    if (flags[i] == 0) {
        for (int k = 0; k < 9; k++)
            next[k * 256 + i] = f[opposite[k]];
        return;
    }
    ux = ux / rho + (flags[i] > 6 ? 0.05f : 0);
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        float along = 3 * (dx[k] * ux + dy[k] * uy);
        next[k * 256 + i] = (1 - omega) * f[k] + omega * share[k] * rho * (1 + along + 0.5f * along * along - square);
    }
}

kernel void life(global const uchar *cells, global uchar *out)
{
    int x = get_global_id(0), y = get_global_id(1), count = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j)
                count += cells[((y + j) & 31) * 32 + ((x + i) & 31)];
    uchar alive = cells[y * 32 + x];
    out[y * 32 + x] = count == 3 || (alive && count == 2);
}

kernel void median(global const int *image, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1), v[9], n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            v[n++] = image[clamp(y + j, 0, 31) * 32 + clamp(x + i, 0, 31)];
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) {
                int t = v[i];
                v[i] = v[j];
                v[j] = t;
            }
    out[y * 32 + x] = v[4];
}

kernel void sobel(global const uchar *image, global int *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x == 31 || y == 31)
        return;
    global const uchar *p = image + y * 32 + x;
    int gx = p[-31] + 2 * p[1] + p[33] - p[-33] - 2 * p[-1] - p[31];
    int gy = p[31] + 2 * p[32] + p[33] - p[-33] - 2 * p[-32] - p[-31];
    out[y * 32 + x] = (gx * gx + gy * gy > 20000 ? 1000 : 0) + (abs(gx) > abs(gy) ? 1 : 2);
}

// One workgroup, in place: black after red, again and again.
kernel void red_black(global float *u, int turns)
{
    int x = get_local_id(0), y = get_local_id(1), i = y * 16 + x;
    for (int t = 0; t < turns * 2; t++) {
        if (((x + y + t) & 1) && x > 0 && y > 0 && x < 15 && y < 15)
            u[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - 16] + u[i + 16]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
