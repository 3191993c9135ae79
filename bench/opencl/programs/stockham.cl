//! buffer a float 131072 noise
//! buffer b float 131072 zero
//! buffer w float 65536 noise
//! launch pass 32768 / 128 : a b w 1
//! launch pass 32768 / 128 : b a w 2
//! launch pass 32768 / 128 : a b w 4
//! launch pass 32768 / 128 : b a w 64
//! launch pass 32768 / 128 : a b w 1024
kernel void pass(global const float2 *in, global float2 *out, global const float2 *w, int s)
{
    int i = get_global_id(0), k = i & (s - 1), j = ((i - k) << 1) + k;
    float2 a = in[i], b = in[i + 32768], t = w[k * (16384 / s)];
    b = (float2)(b.x * t.x - b.y * t.y, b.x * t.y + b.y * t.x);
    out[j] = a + b;
    out[j + s] = a - b;
}
