//! buffer m float 65536 zero
//! buffer a float 65536 diagonal 256
//! buffer b float 256 noise
//! loop 255
//! launch fan1 256 / 256 : m a 256 $
//! launch fan2 256 256 / 16 16 : m a b 256 $
kernel void fan1(global float *m, global float *a, int size, int t)
{
    int i = get_local_id(0) + get_group_id(0) * get_local_size(0);
    if (i < size - 1 - t)
        m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}
kernel void fan2(global float *m, global float *a, global float *b, int size, int t)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < size - 1 - t && y < size - t) {
        a[size * (x + 1 + t) + y + t] -= m[size * (x + 1 + t) + t] * a[size * t + y + t];
        if (y == 0)
            b[x + 1 + t] -= m[size * (x + 1 + t) + t] * b[t];
    }
}
