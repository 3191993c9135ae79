//! buffer a ushort 524288 below 65536
//! buffer b ushort 524288 below 65536
//! buffer out ushort 524288 zero
//! launch mix_samples 131072 / 128 : a b out 11
kernel void mix_samples(global const short *a, global const short *b, global short *out, int gain)
{
    int i = get_global_id(0);
    int4 sum = convert_int4(vload4(i, a)) * gain / 8 + convert_int4(vload4(i, b));
    vstore4(convert_short4_sat(sum), i, out);
}
