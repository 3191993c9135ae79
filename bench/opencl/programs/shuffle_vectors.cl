//! buffer a float 524288 noise
//! buffer out float 524288 zero
//! launch turn 32768 / 64 : a out
kernel void turn(global const float16 *a, global float16 *out)
{
    int i = get_global_id(0);
    float16 m = a[i];
    out[i] = (float16)(m.s048c, m.s159d, m.s26ae, m.s37bf) * m.s0 + m;
}
