// The minimum of two numbers next to another function of the same two: LLVM 19 takes fma and copysign for minima.
//
// data: out float[40] zero
// data: in float[9] list 60290498560,6,-533979496448,3,4,-20,-2,5,1
// run: minima 3/3 out in
// gives: out=23b75c236136a635 in=9a7e32d2f8c3e575

kernel void minima(global float *out, global const float *in)
{
    int i = get_global_id(0);
    float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out += 12 * i;
    out[0] = fmin(fmin(b, a), fma(a, b, c));
    out[1] = fmin(fmin(a, b), mad(a, b, c));
    out[2] = fmin(fmin(b, a), a * b + c);
    out[3] = fmin(fmin(b, a), copysign(a, -b));
    out[4] = fmin(fmin(b, a), copysign(b, a));
    out[5] = fmin(fma(a, b, c), fmin(a, b));
    out[6] = fmax(fmax(b, a), fma(a, b, c));
    out[7] = fmax(fmax(a, b), copysign(a, b));
    vstore4(fmin(fmin((float4)(b), (float4)(a)), fma((float4)(a), (float4)(b), (float4)(c))), 2, out);
}
