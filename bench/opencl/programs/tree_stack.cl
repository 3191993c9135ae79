//! buffer bounds float 16384 noise
//! buffer rays float 8192 noise
//! buffer out int 4096 zero
//! launch traverse 4096 / 64 : bounds rays out
// a binary tree of 2047 nodes, walked with a stack in private memory
kernel void traverse(global const float4 *bounds, global const float *rays, global int *out)
{
    int i = get_global_id(0), stack[16], top = 0, node = 0, hits = 0;
    float x = rays[2 * i], y = rays[2 * i + 1];
    for (int turn = 0; turn < 64; turn++) {
        float4 b = bounds[node];
        bool in = x > b.x - 0.6f && y > b.y - 0.6f;
        if (in && node < 1023) {
            stack[top++] = 2 * node + 2;
            node = 2 * node + 1;
            continue;
        }
        hits += in;
        if (top == 0)
            break;
        node = stack[--top];
    }
    out[i] = hits;
}
