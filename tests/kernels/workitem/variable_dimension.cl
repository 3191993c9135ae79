// The dimension that is asked for is known only when the kernel runs.
//
// data: out uint[384] zero
// run: variable_dimension 8x4x2/4x2x1 out
// gives: out=0fc4fe949b1e24a5

kernel void variable_dimension(global uint *out)
{
    uint item = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    for (uint dim = 0; dim < 3; dim++) {
        out[6 * item] += get_global_id(dim) << 8 * dim;
        out[6 * item + 1] += get_local_id(dim) << 8 * dim;
        out[6 * item + 2] += get_group_id(dim) << 8 * dim;
        out[6 * item + 3] += get_global_size(dim) << 8 * dim;
        out[6 * item + 4] += get_local_size(dim) << 8 * dim;
        out[6 * item + 5] += get_num_groups(dim) << 8 * dim;
    }
}
