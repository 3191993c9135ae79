//! buffer points uint 24576 below 1000
//! buffer coord float 131072 noise
//! buffer lower float 8192 zero
//! buffer centre int 4096 below 16
//! buffer member uchar 4096 some 4
//! launch pgain 4096 / 256 : points coord lower centre member 4096 32 7
// stream cluster: structures of a float, a long and a float
typedef struct {
    float weight;
    long assign;
    float cost;
} point;
kernel void pgain(global const point *p, global const float *coord, global float *lower, global const int *centre,
                  global uchar *member, int n, int dim, long x)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float cost = 0;
    for (int k = 0; k < dim; k++) {
        float d = coord[k * n + i] - coord[k * n + (int)x];
        cost += d * d;
    }
    cost *= (p[i].assign & 7) + 0.5f;
    float now = (p[i].assign % 16) * 4.0f;
    if (cost < now)
        member[i] = 1, lower[n + i] = cost - now;
    else
        lower[i] = now - cost;
}
