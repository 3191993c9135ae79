//! buffer a float 65536 noise
//! launch butterfly 32768 / 256 : a 1
//! launch butterfly 32768 / 256 : a 2
//! launch butterfly 32768 / 256 : a 4
//! launch butterfly 32768 / 256 : a 64
//! launch butterfly 32768 / 256 : a 4096
kernel void butterfly(global float *a, int distance)
{
    uint i = get_global_id(0), low = 2 * distance * (i / distance) + i % distance;
    float x = a[low], y = a[low + distance];
    a[low] = x + y;
    a[low + distance] = x - y;
}
