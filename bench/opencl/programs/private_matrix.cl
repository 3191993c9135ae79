//! buffer a float 262144 noise
//! buffer out float 65536 zero
//! launch lu 1024 / 64 : a out 12
// a matrix of 16x16 per item in private memory, indices known only at run time
kernel void lu(global const float *a, global float *out, int n)
{
    int i = get_global_id(0);
    float m[16][16];
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            m[y][x] = a[(i * 16 + y) * 16 + x] + (x == y ? 8 : 0);
    for (int p = 0; p < n; p++)
        for (int y = p + 1; y < n; y++) {
            float f = m[y][p] / m[p][p];
            for (int x = p; x < n; x++)
                m[y][x] -= f * m[p][x];
        }
    float d = 1;
    for (int p = 0; p < n; p++)
        d *= m[p][p] * 0.1f;
    out[i] = d;
}
