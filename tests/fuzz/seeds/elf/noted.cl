kernel __attribute__((reqd_work_group_size(4, 2, 1))) void scale(global int *out, int factor, local float4 *tile)
{
    out[get_global_id(0)] *= factor;
}
