typedef struct { float mass; int id; } tag;
typedef struct { float4 pos; tag t; short cells[3]; } body;
enum mode { SLOW, FAST = 3 };
float2 helper(float4 v, int k)
{
    float2 r = v.xy * k;
    r.x += v.w;
    return r;
}
int depth2(int n, local int *s)
{
    int twice = 2 * n;
    s[n] = twice;
    return twice + 1;
}
int depth1(int n, local int *s)
{
    int inner = depth2(n + 1, s);
    return inner * 3;
}
kernel void step(global body *b, global float *out, local int *scratch, int n)
{
    local float tile[8];
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    float4 p = b[gid].pos;
    uchar8 small = (uchar8)(1, 2, 3, 4, 5, 6, 7, gid);
    enum mode m = gid & 1 ? FAST : SLOW;
    body copy = b[gid];
    copy.cells[1] = gid * 2;
    tile[lid] = p.x;
    scratch[lid] = gid;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += tile[(lid + i) % 8];
    int d = depth1(lid, scratch);
    float2 h = helper(p, d);
    if (m == FAST)
        sum = -sum;
    out[gid] = sum + h.x + copy.cells[1];
}

kernel void spell(global char *out)
{
    constant char *word = "debug";
    int i = get_global_id(0);
    out[i] = word[i];
}
