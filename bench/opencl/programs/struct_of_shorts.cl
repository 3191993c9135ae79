//! buffer in ushort 786432 below 65536
//! buffer out ushort 786432 zero
//! launch move_all 131072 / 128 : in out
// particles of three positions, two speeds and a byte or two
typedef struct {
    short x, y, z, dx, dy;
    uchar kind, age;
} particle;
kernel void move_all(global const particle *in, global particle *out)
{
    int i = get_global_id(0);
    particle p = in[i];
    p.x += p.dx >> 4;
    p.y += p.dy >> 4;
    p.z = p.kind & 1 ? p.z - 9 : p.z;
    p.age++;
    out[i] = p;
}
