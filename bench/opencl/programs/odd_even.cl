//! buffer a uint 65536 below 1000000
//! loop 20
//! launch swap_pairs 32767 / : a $
kernel void swap_pairs(global uint *a, int turn)
{
    int i = 2 * get_global_id(0) + (turn & 1);
    uint x = a[i], y = a[i + 1];
    if (x > y)
        a[i] = y, a[i + 1] = x;
}
