//! buffer box int 5824 neighbours
//! buffer rv float 25600 noise
//! buffer qv float 6400 noise
//! buffer fv float 25600 zero
//! launch lavamd 8192 / 128 : box rv qv fv 0.5 64
#define PER 100
typedef struct { float v, x, y, z; } four;
// 64 boxes of 100 particles, each with 26 neighbours
kernel void lavamd(global int *box, global four *rv, global float *qv, global four *fv, float alpha, int boxes)
{
    local four ra[PER], rb[PER];
    local float qb[PER];
    int bx = get_group_id(0), tx = get_local_id(0);
    float a2 = 2.0f * alpha * alpha;
    int first = bx * PER;
    for (int i = tx; i < PER; i += 128)
        ra[i] = rv[first + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 27; k++) {
        int at = (k == 0 ? bx : box[bx * 26 + k - 1]) * PER;
        for (int i = tx; i < PER; i += 128) {
            rb[i] = rv[at + i];
            qb[i] = qv[at + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = tx; i < PER; i += 128)
            for (int j = 0; j < PER; j++) {
                float r2 = ra[i].v + rb[j].v - (ra[i].x * rb[j].x + ra[i].y * rb[j].y + ra[i].z * rb[j].z);
                float vij = exp(-a2 * r2), fs = 2 * vij;
                float dx = ra[i].x - rb[j].x, dy = ra[i].y - rb[j].y, dz = ra[i].z - rb[j].z;
                fv[first + i].v += qb[j] * vij;
                fv[first + i].x += qb[j] * (fs * dx);
                fv[first + i].y += qb[j] * (fs * dy);
                fv[first + i].z += qb[j] * (fs * dz);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
