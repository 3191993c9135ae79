//! buffer code uint 1024 below 8
//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch run 65536 / 256 : code in out 32
// a small interpreter: the same code for all items
kernel void run(constant uint *code, global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    float a = in[i], b = 1, c = 0.5f;
    for (int k = 0; k < n; k++)
        switch (code[k]) {
        case 0: a += b; break;
        case 1: b = a * c; break;
        case 2: c = fabs(a) - b; break;
        case 3: a = fma(a, b, c); break;
        case 4: b -= c * 0.5f; break;
        case 5: c = fmin(a, b); break;
        case 6: a = a * 0.25f + 1; break;
        default: { float t = a; a = b; b = c; c = t; }
        }
    out[i] = a + b + c;
}
