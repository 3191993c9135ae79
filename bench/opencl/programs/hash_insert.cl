//! buffer keys int 16384 below 1000000
//! buffer table int 65536 zero
//! launch insert 16384 / 128 : keys table 65535
kernel void insert(global const int *keys, volatile global int *table, int mask)
{
    int key = keys[get_global_id(0)] + 1;
    uint at = (uint)key * 2654435761u & (uint)mask;
    for (;; at = (at + 1) & (uint)mask) {
        int old = atomic_cmpxchg(&table[at], 0, key);
        if (old == 0 || old == key)
            break;
    }
}
