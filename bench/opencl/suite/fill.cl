// Words, one per item.
kernel void fill(global uint *out, uint value)
{
    out[get_global_id(0)] = value;
}
