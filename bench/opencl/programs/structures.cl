//! buffer a float 196608 noise
//! buffer c float 196608 zero
//! launch add 65536 / 256 : a c
typedef struct { float x, y, z; } p;
kernel void add(global const p *a, global p *c)
{
    int i = get_global_id(0);
    p v = a[i];
    v.x += v.y * v.z;
    v.y = v.x - v.z;
    c[i] = v;
}
