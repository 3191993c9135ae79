//! buffer code uint 65536 below 8
//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch run 65536 / 256 : code in out 8
// each item goes another way
kernel void run(global const uint *code, global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    float a = in[i], b = 1, c = 0.5f;
    for (int k = 0; k < n; k++)
        switch (code[(i + k * 77) & 65535]) {
        case 0: a += b; break;
        case 1: b = a * c; break;
        case 2: c = fabs(a) - b; break;
        case 3: a = fma(a, b, c); break;
        case 4: b -= c * 0.5f; break;
        case 5: c = sqrt(fabs(a * b)); break;
        case 6: a = a * 0.25f + 1; break;
        default: { float t = a; a = b; b = c; c = t; }
        }
    out[i] = a + b + c;
}
