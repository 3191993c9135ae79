// Structures and unions by value, nested, in arrays, packed, with vectors and holes inside.
//
// data: in int[640] random -1000 1000
// data: out int[640] zero
// run: nested 64/32 in out
// gives: in=a78ba95f27270154 out=ccadd7ee50ae1f95
// data: in uint[256] random
// data: out uint[256] zero
// run: unions 256/64 in out
// gives: in=dccef8978b21416c out=ae857a8a5cf930b7
// data: in uchar[1600] random
// data: out uchar[1600] zero
// run: packed_records 100/20 in out
// gives: in=b640ef3c972f9f5b out=460b07e1504ad70b
// data: out int[128] zero
// run: by_value 128/32 out int:1,2,3,4,5,6
// gives: out=64c0345d4cf1efa9
// data: out uint[256] zero
// run: layout 32/32 out
// gives: out=87d8798828dd16e5
// data: in int[512] random 0 99
// data: out int[512] zero
// run: sort_records 32/16 in out
// gives: in=8bb85484d568a59a out=fe300a08c34e1d06
// data: out int[64] zero
// run: linked 64/32 out
// gives: out=7d8740872a33fb8b
// data: in float[512] random -5 5
// data: out float[512] zero
// run: particles 64/32 in out
// gives: in=94908b3376c16f08 out=cf7a58f923726229

struct point {
    int x, y;
};
struct box {
    struct point low, high;
    char tag;
    short weights[3];
};
struct shape {
    struct box boxes[2];
    long id;
    struct point centre;
};

struct point middle(struct box b)
{
    struct point p = {(b.low.x + b.high.x) / 2, (b.low.y + b.high.y) / 2};
    return p;
}

struct box grown(struct box b, int by)
{
    b.low.x -= by;
    b.low.y -= by;
    b.high.x += by;
    b.high.y += by;
    b.tag ^= (char)by;
    b.weights[by & 1] += by;
    return b;
}

__attribute__((noinline)) struct shape moved(struct shape s, const struct point *by)
{
    for (int i = 0; i < 2; i++) {
        s.boxes[i].low.x += by->x;
        s.boxes[i].high.y += by->y;
    }
    s.centre = middle(s.boxes[s.id & 1]);
    s.id *= 1000000007;
    return s;
}

kernel void nested(global const int *in, global int *out)
{
    int i = get_global_id(0);
    global const int *p = in + i * 10;
    struct shape s = {{{{p[0], p[1]}, {p[2], p[3]}, 'a', {1, 2, 3}}, {{p[4], p[5]}, {p[6], p[7]}}}, p[8], {p[9], 0}};
    s.boxes[i & 1] = grown(s.boxes[(i >> 1) & 1], i % 7);
    struct shape t = moved(s, &s.boxes[1].low);
    if (i % 3)
        t = moved(t, &s.centre);
    global int *o = out + i * 10;
    o[0] = t.boxes[0].low.x;
    o[1] = t.boxes[0].high.y;
    o[2] = t.boxes[1].low.x;
    o[3] = t.boxes[1].high.y;
    o[4] = t.centre.x;
    o[5] = t.centre.y;
    o[6] = (int)(t.id >> 20);
    o[7] = t.boxes[0].tag + t.boxes[1].tag;
    o[8] = t.boxes[0].weights[0] * 100 + t.boxes[0].weights[1];
    o[9] = t.boxes[1].weights[0] * 100 + t.boxes[1].weights[2];
}

union word {
    uint u;
    int i;
    float f;
    uchar c[4];
    struct {
        ushort low, high;
    };
    uchar4 v;
};

kernel void unions(global const uint *in, global uint *out)
{
    int i = get_global_id(0);
    union word w;
    w.u = in[i];
    w.c[i & 3] ^= 0x80;
    w.low += w.high;
    w.v = w.v.yzwx;
    union word z = w;
    z.i >>= 3;
    w.f = (float)(z.i & 0xffff);
    out[i] = w.u + z.u;
}

struct __attribute__((packed)) record {
    uchar kind;
    int value;
    ushort parts[2];
    long big;
    char end;
};

kernel void packed_records(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    struct record r;
    uchar *bytes = (uchar *)&r;
    for (int j = 0; j < (int)sizeof(r) && j < 16; j++)
        bytes[j] = in[i * 16 + j];
    for (int j = 16; j < (int)sizeof(r); j++)
        bytes[j] = (uchar)j;
    r.value = (int)((uint)r.value * 3u);
    r.big ^= (long)r.kind << 20;
    r.parts[i & 1] += r.end;
    for (int j = 0; j < 16; j++)
        out[i * 16 + j] = bytes[j + 2];
}

struct six {
    int v[6];
};

kernel void by_value(global int *out, struct six s)
{
    int i = get_global_id(0);
    struct six t = s;
    t.v[i % 6] += i;
    out[i] = t.v[(i + 1) % 6] * 100 + t.v[i % 6] - s.v[5];
}

struct holes {
    char a;
    long b;
    char c;
    int3 d;
    short e;
    float2 f;
};

kernel void layout(global uint *out)
{
    int i = get_global_id(0);
    struct holes h[2];
    char *base = (char *)h;
    out[i * 8] = sizeof(struct holes) + 1000 * sizeof(struct shape);
    out[i * 8 + 1] = (char *)&h[1] - base;
    out[i * 8 + 2] = (char *)&h[0].b - base;
    out[i * 8 + 3] = (char *)&h[0].d - base;
    out[i * 8 + 4] = (char *)&h[0].e - base;
    out[i * 8 + 5] = (char *)&h[0].f - base;
    out[i * 8 + 6] = sizeof(struct record) + 100 * sizeof(union word);
    out[i * 8 + 7] = (char *)&h[1].c - (char *)&h[0].c;
}

kernel void sort_records(global const int *in, global int *out)
{
    int g = get_global_id(0) * 16;
    struct {
        short key;
        uchar from;
        int payload;
    } r[8], t;
    for (int j = 0; j < 8; j++) {
        r[j].key = in[g + j];
        r[j].from = j;
        r[j].payload = in[g + 8 + j];
    }
    for (int j = 1; j < 8; j++) {
        t = r[j];
        int k = j;
        for (; k > 0 && r[k - 1].key > t.key; k--)
            r[k] = r[k - 1];
        r[k] = t;
    }
    for (int j = 0; j < 8; j++) {
        out[g + j] = r[j].key * 256 + r[j].from;
        out[g + 8 + j] = r[j].payload;
    }
}

struct node {
    int value;
    struct node *next;
};

// A list in private memory, reversed and summed.
kernel void linked(global int *out)
{
    int i = get_global_id(0), n = i % 7 + 1, sum = 0;
    struct node nodes[8], *head = 0;
    for (int j = 0; j < n; j++) {
        nodes[j].value = i * j + 1;
        nodes[j].next = head;
        head = &nodes[j];
    }
    struct node *reversed = 0;
    while (head) {
        struct node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = next;
    }
    for (struct node *p = reversed; p; p = p->next)
        sum = sum * 3 + p->value;
    out[i] = sum;
}

typedef struct {
    float4 position;
    float3 velocity;
} particle;

kernel void particles(global const particle *in, global particle *out)
{
#pragma OPENCL FP_CONTRACT OFF
    int i = get_global_id(0);
    particle p = in[i];
    p.position.xyz += p.velocity * 0.5f;
    if (p.position.x > 2) {
        p.position.x = 4 - p.position.x;
        p.velocity.x = -p.velocity.x;
    }
    p.position.w = (float)i;
    out[i].position = p.position;
    vstore4((float4)(p.velocity, 1), 0, (global float *)&out[i].velocity);
}
