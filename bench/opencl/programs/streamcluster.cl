//! buffer weight float 16384 noise
//! buffer cost float 16384 noise
//! buffer assign int 16384 below 16384
//! buffer coord float 524288 noise
//! buffer work float 180224 zero
//! buffer centre int 16384 below 10
//! buffer switched uchar 16384 zero
//! launch pgain 16384 / 256 : weight cost assign coord work centre switched l128 16384 32 77 10
kernel void pgain(global float *weight, global float *cost, global int *assign, global float *coord, global float *work,
                  global int *centre, global uchar *switched, local float *mine, int num, int dim, long x, int k)
{
    int id = get_global_id(0), lid = get_local_id(0);
    if (lid == 0)
        for (int i = 0; i < dim; i++)
            mine[i] = coord[i * num + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= num)
        return;
    float sum = 0;
    for (int i = 0; i < dim; i++) {
        float d = coord[i * num + id] - mine[i];
        sum += d * d;
    }
    sum *= weight[id];
    float now = cost[id];
    global float *lower = &work[id * (k + 1)];
    if (sum < now) {
        switched[id] = 1;
        lower[k] += sum - now;
    } else {
        lower[centre[assign[id]]] += now - sum;
    }
}
