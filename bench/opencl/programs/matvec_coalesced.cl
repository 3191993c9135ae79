//! buffer m float 524288 noise
//! buffer v float 1024 noise
//! buffer w float 512 zero
//! launch coalesced 4096 / 256 : m v 1024 512 w l1024
// a work-group per row
kernel void coalesced(global const float *m, global const float *v, uint width, uint height, global float *w, local float *part)
{
    for (uint y = get_group_id(0); y < height; y += get_num_groups(0)) {
        global const float *row = m + y * width;
        float sum = 0;
        for (uint x = get_local_id(0); x < width; x += get_local_size(0))
            sum += row[x] * v[x];
        part[get_local_id(0)] = sum;
        for (uint stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) < stride)
                part[get_local_id(0)] += part[get_local_id(0) + stride];
        }
        if (get_local_id(0) == 0)
            w[y] = part[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
