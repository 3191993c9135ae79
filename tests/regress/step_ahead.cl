// LLVM adds 1 before the branch that ends the inner loop: a debugger must not show the next turn's `child` after it.
// data: keys int[73] iota 0 3
// data: wanted int[64] iota 0 4
// data: found int[64] zero
// run: descend 64/32 keys wanted found
// gives: keys=d9603060e402b305 wanted=ffa17ff8c8383725 found=bd56104acf3f476e
kernel void descend(global const int *keys, global const int *wanted, global int *found)
{
    int i = get_global_id(0), at = 0, start = 0, size = 1;
    for (int row = 0; row < 2; row++) {
        int child = at * 8;
        start += size;
        size *= 8;
        while (keys[start + child] < wanted[i] && child < at * 8 + 7)
            child++;
        at = child;
    }
    found[i] = at;
}
