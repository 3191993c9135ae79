//! buffer in int 65536 below 1024
//! buffer locks int 1024 zero
//! buffer sums int 2048 zero
//! launch locked 65536 / 256 : in locks sums
// a lock around two sums, taken in a loop that all work-items leave one by one
kernel void locked(global const int *in, volatile global int *locks, volatile global int *sums)
{
    int i = get_global_id(0), k = in[i], done = 0;
    while (!done) {
        if (atomic_cmpxchg(&locks[k], 0, 1) == 0) {
            sums[2 * k] += 1;
            sums[2 * k + 1] += i;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(&locks[k], 0);
            done = 1;
        }
    }
}
