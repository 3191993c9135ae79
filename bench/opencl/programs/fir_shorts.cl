//! buffer in ushort 131136 below 4000
//! buffer taps ushort 32 below 100
//! buffer out ushort 131072 zero
//! launch fir 131072 / 128 : in taps out
kernel void fir(global const short *in, constant short *taps, global short *out)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 32; k++)
        sum += in[i + k] * taps[k];
    out[i] = (short)(sum >> 8);
}
