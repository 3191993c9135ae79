// Sorting: one step of a bitonic network.
kernel void bitonic(global const uint *in, global uint *out, int distance, int size)
{
    int i = get_global_id(0), other = i ^ distance;
    uint a = in[i], b = in[other];
    bool keeps_least = ((i & distance) == 0) == ((i & size) == 0);
    out[i] = keeps_least ? min(a, b) : max(a, b);
}
