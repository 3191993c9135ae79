// Loops in which each work-item goes through consecutive memory of its own, of all lengths; also where a store of one turn is what
// the next one loads, which only the buffers show.
//
// data: a float[4096] random -8 8
// data: out float[64] zero
// run: update 64/64 a int:61 float:0.5
// run: sums 64/32 a out int:61
// gives: a=6a5ab29e80a6b577 out=4371fe1ae08ab5d0
// data: a float[4096] random -8 8
// data: b float[4096] zero
// run: differences 64/64 a b int:64
// run: differences 60/20 b a int:7
// run: differences 64/64 a b int:1
// run: differences 64/64 a b int:0
// gives: a=a2bc8da233ffdd55 b=81f527fb32b5d56f
// data: a float[4096] random -1 1
// run: differences 32/32 a a int:64
// gives: a=2f8fc84648240a5a
// data: a float[4096] random -1 1
// run: shifted 32/32 a int:0 int:1 int:67
// run: shifted 32/32 a int:1 int:0 int:67
// run: shifted 32/32 a int:3 int:0 int:67
// gives: a=a745379fef126e12
// data: in int[4096] random
// data: out int[4096] value 1
// run: from_below 61/61 in out int:61 int:66
// run: every_third 61/61 out in int:61 int:66
// gives: in=89535d4a239c813f out=7753ecebcab73e95
// data: words int[4096] random
// data: out int[64] zero
// run: int_sums 64/64 words out int:63
// run: upwards 48/16 words int:65
// gives: words=d4bacfe19c07cfd7 out=daa29eb81a11b824
// data: bytes uchar[8192] random
// data: out int[64] zero
// run: byte_sums 64/64 bytes out int:127
// gives: bytes=f44801f90b9f5f38 out=d4827425d4826c57
// data: a float[4096] random -8 8
// data: out float[512] zero
// run: local_rows 64/32 a out int:61
// gives: a=331ee0ec7107f193 out=891762ccf27aeadf

#pragma OPENCL FP_CONTRACT OFF
kernel void update(global float *a, int n, float f)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++)
        a[i * n + k] = a[i * n + k] * f + 1.0f;
}

// The order of the additions shows.
kernel void sums(global const float *a, global float *out, int n)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];
    out[i] = sum;
}

kernel void differences(global const float *a, global float *b, int n)
{
    int i = get_global_id(0);
    for (int k = 1; k < n; k++)
        b[i * n + k] = a[i * n + k] - a[i * n + k - 1];
}

kernel void shifted(global float *a, int from, int to, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n - 4; k++)
        a[i * n + k + to] = a[i * n + k + from] * 1.5f;
}

kernel void int_sums(global const int *a, global int *out, int n)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + a[i * n + k];
    out[i] = sum;
}

kernel void upwards(global int *a, int n)
{
    int i = get_global_id(0);
    for (int k = n - 2; k >= 0; k--)
        a[i * n + k + 1] = a[i * n + k] ^ i;
}

kernel void byte_sums(global const uchar *a, global int *out, int n)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];
    out[i] = sum;
}

kernel void local_rows(global const float *a, global float *out, int n)
{
    local float rows[32 * 64];
    int i = get_global_id(0), own = get_local_id(0);
    for (int k = 0; k < n; k++)
        rows[own * n + k] = a[i * n + k] + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum = rows[(own ^ 1) * n + k] - sum;
    out[i] = sum;
}

// Rows from the last to the first: the step of the address is a product with a constant that is in the loop.
kernel void from_below(global const int *in, global int *out, int width, int height)
{
    int x = get_global_id(0);
    for (int y = height - 1; y >= 0; y--)
        out[x + y * width] = in[x + y * width] + out[x + y * width];
}

kernel void every_third(global const int *in, global int *out, int width, int height)
{
    int x = get_global_id(0);
    for (int y = 0; y < height; y += 3)
        out[x + y * width] ^= in[x + y * width] * 5;
}
