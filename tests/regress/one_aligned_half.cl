// vloada_half and vstorea_half for one half were in the library, but nothing declared them.
//
// data: bits ushort[1024] random
// data: x float[1024] random -70000 70000
// data: loaded float[4096] zero
// data: stored ushort[5120] zero
// run: loads 1024/64 bits bits loaded
// run: stores 1024/64 x stored
// gives: bits=b89d839794868cbc x=cef8e8e7ed55ffcd loaded=341d460f8b061ee5 stored=a3d3093875b50c81

#ifdef POCL_DEVICE_ADDRESS_BITS // lacks them: the forms without alignment do the same for one half
#define vloada_half vload_half
#define vstorea_half vstore_half
#define vstorea_half_rte vstore_half_rte
#define vstorea_half_rtz vstore_half_rtz
#define vstorea_half_rtp vstore_half_rtp
#define vstorea_half_rtn vstore_half_rtn
#endif

float number(float f)
{
    return isnan(f) ? 1.0f : f;
}

kernel void loads(global const ushort *bits, constant ushort *same, global float *loaded)
{
    int i = get_global_id(0), l = get_local_id(0);
    local ushort near[64];
    ushort mine[2] = {bits[i], bits[i]};
    near[l] = bits[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    loaded[4 * i] = number(vloada_half(i, (global const half *)bits));
    loaded[4 * i + 1] = number(vloada_half(i, (constant half *)same));
    loaded[4 * i + 2] = number(vloada_half(l ^ 1, (local half *)near));
    loaded[4 * i + 3] = number(vloada_half(i & 1, (half *)mine));
}

kernel void stores(global const float *x, global ushort *stored)
{
    int i = get_global_id(0), l = get_local_id(0);
    local ushort near[64];
    ushort mine[2];
    vstorea_half(x[i], 5 * i, (global half *)stored);
    vstorea_half_rte(x[i], 5 * i + 1, (global half *)stored);
    vstorea_half_rtz(x[i], 5 * i + 2, (global half *)stored);
    vstorea_half_rtp(x[i], l, (local half *)near);
    vstorea_half_rtn(x[i], 1, (half *)mine);
    stored[5 * i + 3] = near[l];
    stored[5 * i + 4] = mine[1];
}
