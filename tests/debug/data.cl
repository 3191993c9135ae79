typedef struct {
    int id;
    float weight;
    char tag[4];
    uint low : 3, high : 5;
} record;

enum shade { DARK = 1, LIGHT = 5 };

__constant float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__global int counter = 42;

float scaled(float4 v, record *r)
{
    r->weight = v.x + v.w;
    return r->weight * 2.0f;
}

__kernel void kinds(__global float *out, float4 base, int n)
{
    int gid = get_global_id(0);
    record r;
    r.id = gid;
    r.tag[0] = 'a' + (char)gid;
    r.tag[1] = 0;
    r.low = 5;
    r.high = gid & 31;
    long big = (long)gid << 33;
    short small = (short)(-gid);
    uchar byte = (uchar)(200 + gid);
    bool odd = gid & 1;
    enum shade shade = odd ? LIGHT : DARK;
    int list[4];
    for (int i = 0; i < 4; i++)
        list[i] = i * gid;
    __global float *where = out + gid;
    int *inside = &list[2];
    float4 v = base + (float)gid;
    float result = scaled(v, &r);
    {
        int gid = 1000;
        result += gid;
    }
    *where = result + table[gid & 3] + counter + *inside + n + small + byte + (int)(big >> 33) + (int)shade;
}
