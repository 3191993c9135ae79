//! buffer a float 65536 noise
//! buffer out float 16 zero
//! launch chain 1 / 1 : a out 65536
kernel void chain(global const float *a, global float *out, int n)
{
    float s = 0, t = 1;
    for (int k = 0; k < n; k++) {
        s = s * 0.5f + a[k] * t;
        if (s > 1)
            s -= 1, t = -t;
    }
    out[0] = s;
}
