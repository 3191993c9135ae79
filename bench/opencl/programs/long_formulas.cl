//! buffer y float 24 positive
//! buffer out float 24 zero
//! launch cell 1 / 1 : y out 50
// one work-item, thousands of instructions in a row
#define GATE(a, b, c) \
    v[a] += 0.01f * ((1 - v[a]) / (1 + exp(-(v[b] + 0.3f) / 0.7f)) - v[a] * exp(-v[c] * 0.8f)); \
    v[b] = 0.9f * v[b] + 0.1f * log(1 + fabs(v[a] * v[c])); \
    v[c] += 0.02f * (pow(fabs(v[a]) + 0.1f, 1.3f) - v[b] / (1 + fabs(v[c])));
#define GATES(k) GATE(k, k + 1, k + 2) GATE(k + 3, k, k + 4) GATE(k + 5, k + 2, k + 1) GATE(k + 4, k + 3, k + 5)
kernel void cell(global const float *y, global float *out, int steps)
{
    float v[24];
    for (int k = 0; k < 24; k++)
        v[k] = y[k];
    for (int t = 0; t < steps; t++) {
        GATES(0) GATES(6) GATES(12) GATES(18)
        GATES(3) GATES(9) GATES(15) GATES(1) GATES(7) GATES(13)
    }
    for (int k = 0; k < 24; k++)
        out[k] = v[k];
}
