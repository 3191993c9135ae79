// <ventus.h>, next to the same in C.
//
// data: a uint[64] random 0 1000
// data: out uint[640] zero
// run: every 64/64 a out
// gives: a=2e2ab11780554584 out=78c949bfcee22a27

#ifdef __VENTUS__
#include <ventus.h>
#endif

kernel void every(global uint *a, global uint *out)
{
    int i = get_global_id(0), x = a[i];
    int added, subtracted, masked, shared, csrs = 0, private_word, hinted;
    uint4 wide;
    float power, tensor = 0.5f;
#ifdef __VENTUS__
    added = ventus_vadd12(x, -2000);
    subtracted = ventus_vsub12(x, 2047);
    masked = ventus_vi(vand.vi, x, 1000);
    shared = ventus_uniform(i & 32) + ventus_uniform(7u) + (int)ventus_uniform(2.0f);
    ventus_barrier(VENTUS_FENCE_LOCAL | VENTUS_FENCE_GLOBAL);
    ventus_barriersub(VENTUS_SCOPE_WORK_GROUP);
    csrs = ventus_warps() * 100 + ventus_threads() + (ventus_warp() * ventus_threads() == ventus_first_thread()) +
           (ventus_csr(CSR_GIDX) == ventus_group_x()) + (ventus_local_base() >= 0x70000000u) + (ventus_private_base() != 0) +
           (ventus_metadata() != 0) + ventus_group_y() + ventus_group_z();
    ventus_csr_write(CSR_RPC, 0);
    volatile uint here[4] = {11, 22, 33, 44};
    uint address = (uint)(size_t)&here[2];
    ventus_store_private(address + 4, ventus_load_private(address) + x);
    private_word = here[3];
    hinted = ventus_load_hint(&a[i], 3);
    ventus_store_hint(&out[i], hinted + 1, 15);
#if __VENTUS__ == 2
    wide = ventus_load_128((const global uint4 *)&a[i & ~3]);
    ventus_store_128((global uint4 *)&out[64 + 4 * i], wide + 1);
#else
    wide = *(global uint4 *)&a[i & ~3];
    *(global uint4 *)&out[64 + 4 * i] = wide + 1;
#endif
    power = ventus_vfexp(0.0f) + (i & 1 ? ventus_vfexp(-INFINITY) : 1.0f);
    tensor = ventus_vftta(tensor, (float)(i & 31), 1.0f);
#else
    added = x - 2000, subtracted = x - 2047, masked = x & 1000, shared = (i & 32) + 9, csrs = 237, private_word = 33 + x;
    wide = *(global uint4 *)&a[i & ~3];
    out[i] = x + 1;
    *(global uint4 *)&out[64 + 4 * i] = wide + 1;
    power = i & 1 ? 1.0f : 2.0f;
    for (int k = 0; (i & 31) < 16 && k < 8; k++)
        tensor += (i & 31) / 4 * 8 + k;
#endif
    out[320 + i] = added + subtracted * 3, out[384 + i] = masked + shared, out[448 + i] = csrs;
    out[512 + i] = private_word + as_int(power), out[576 + i] = as_int(tensor);
}
