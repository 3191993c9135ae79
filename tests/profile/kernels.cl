/* What the profile must say of each line is known: see forms.py. */
kernel void patterns(global int *out, global const int *in, local int *tile)
{
    int i = get_global_id(0), l = get_local_id(0);
    int near = in[i];
    int far = in[i * 32];
    tile[l * 32] = near;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = far + tile[(l ^ 1) * 32];
    if (l & 1)
        sum = sum * 3 + 7;
    out[i] = sum;
}
