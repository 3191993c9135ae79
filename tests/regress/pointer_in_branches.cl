// An integer that becomes a pointer in several branches: each needs its own pair of words on generation 2.
// data: a int[64] iota
// data: out int[64] zero
// run: pick 64/32 a out
// gives: a=f5f45328a8ebdb25 out=2404d997868f6a2d
kernel void pick(global const int *a, global int *out)
{
    size_t i = get_global_id(0), address = (size_t)a + 4 * i;
    int r;
    switch (a[63 - i] % 3) {
    case 0: r = *(global const int *)address; break;
    case 1: r = *(global const uchar *)address + 100; break;
    default: r = *(global const short *)address + 1000; break;
    }
    out[i] = r + *(global const int *)address;
}
