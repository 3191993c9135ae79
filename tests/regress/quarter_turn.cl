// atan2pi of two infinities: exactly a quarter of a half turn, or three of them.
//
// data: out float[8] zero
// data: in float[2] list inf,-inf
// run: turns 1/1 out in
// gives: out=ce2c829416225fd8 in=36e6638d82ef7ef5

kernel void turns(global float *out, global const float *in)
{
    float a = in[0], b = in[1];
    out[0] = atan2pi(a, a);
    out[1] = atan2pi(b, a);
    out[2] = atan2pi(a, b);
    out[3] = atan2pi(b, b);
    out[4] = atan2pi(0.0f, 0.0f);
    out[5] = atan2pi(-0.0f, -0.0f);
}
