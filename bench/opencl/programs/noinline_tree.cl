//! buffer a float 65536 noise
//! buffer out float 65536 zero
//! launch tree 65536 / 256 : a out
__attribute__((noinline)) float leaf(float x, float y) { return x * y - x / (fabs(y) + 1); }
__attribute__((noinline)) float branch(float x, int k) { return k & 1 ? leaf(x, k) : leaf(k, x) + 1; }
kernel void tree(global const float *a, global float *out)
{
    int i = get_global_id(0);
    float s = a[i];
    for (int k = 0; k < 8; k++)
        s += branch(s, i + k) * 0.1f;
    out[i] = s;
}
