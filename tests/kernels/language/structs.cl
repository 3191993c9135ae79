// Structures and unions: by value, in arrays, in every address space, copied whole.
//
// data: in int[256] random -100000 100000
// data: out int[256] zero
// run: nested 256/64 in out
// run: by_value 256/64 in out
// run: unions 256/32 in out
// run: packed 256/32 in out
// run: tables 256/32 in out
// run: large 64/32 in out
// run: in_local 256/64 in out
// run: rounds 256/64 in out
// gives: in=d4898d0b2c8efb6d out=8bd26323d0fdc672

struct point { short x, y; };
struct shape { char kind; struct point corners[3]; long area; float4 colour; uchar3 tag; };

int weigh(const struct shape *s)
{
    int sum = s->kind + (int)s->area + (int)s->colour.z + s->tag.y;
    for (int i = 0; i < 3; i++)
        sum = sum * 31 + s->corners[i].x - s->corners[i].y;
    return sum;
}

kernel void nested(global const int *in, global int *out)
{
    int i = get_global_id(0);
    struct shape s[4];
    for (int k = 0; k < 4; k++) {
        s[k].kind = (char)(in[i] + k);
        for (int c = 0; c < 3; c++)
            s[k].corners[c] = (struct point){(short)(in[i] >> c), (short)(k * c)};
        s[k].area = (long)in[i] * in[(i + k) & 255];
        s[k].colour = (float4)(k, i, in[i] & 1023, 1);
        s[k].tag = (uchar3)(i, k, i ^ k);
    }
    struct shape chosen = s[in[i] & 3];
    s[0] = s[3];
    chosen.corners[1] = s[0].corners[2];
    out[i] += weigh(&chosen) ^ weigh(&s[0]);
}

struct pair { int a; struct { uint b; char c; } d; };
struct pair swap(struct pair p) { return (struct pair){(int)p.d.b, {(uint)p.a, (char)(p.d.c + 1)}}; }
struct shape grown(struct shape s, int by)
{
    s.area += by;
    s.corners[by & 1].x++;
    return s;
}

kernel void by_value(global const int *in, global int *out)
{
    int i = get_global_id(0);
    struct pair p = {in[i], {(uint)i, 7}};
    for (int k = in[i] & 7; k >= 0; k--)
        p = swap(p);
    struct shape s = {.kind = 3, .area = p.a, .colour = (float4)(2.0f)};
    s = grown(grown(s, p.d.c), in[i]);
    out[i] += p.a * 3 + (int)p.d.b + p.d.c + (int)s.area + s.corners[1].x;
}

union word { int i; float f; uchar4 c; ushort s[2]; struct { uchar low; short high; } parts; };

kernel void unions(global const int *in, global int *out)
{
    int i = get_global_id(0);
    union word w = {.f = (float)in[i]}, v;
    v.i = in[i];
    v.s[i & 1] ^= 0x5a5a;
    v.c.z += w.c.y;
    v.parts.high += i;
    w.parts.low = w.parts.low * 3 + 1;
    out[i] += v.i ^ w.i;
}

struct __attribute__((packed)) tight { char a; int b; short c; long d; float e; };
struct __attribute__((aligned(64))) wide { int a; };

kernel void packed(global const int *in, global int *out)
{
    int i = get_global_id(0);
    struct tight t[5];
    struct wide w[2] = {{i}, {in[i]}};
    for (int k = 0; k < 5; k++)
        t[k] = (struct tight){(char)k, in[i] * k, (short)in[i], (long)in[i] << k, k * 0.5f};
    t[in[i] & 3].d += t[4].b;
    out[i] += (int)t[1].d + t[2].b + t[3].c + (int)(t[i & 3].e * 2) + w[i & 1].a + (int)sizeof(struct tight) +
              (int)sizeof(struct wide);
}

constant struct entry { int key; char name[6]; struct point at; } entries[] = {
    {5, "five", {1, -1}}, {-7, "seven", {2, 3}}, {1 << 20, "", {-30000, 30000}}, {.name = "x"}};

kernel void tables(global const int *in, global int *out)
{
    int i = get_global_id(0);
    struct entry e = entries[in[i] & 3];
    int sum = e.key;
    for (int k = 0; e.name[k]; k++)
        sum = sum * 7 + e.name[k];
    out[i] += sum + entries[i & 3].at.x - e.at.y;
}

struct big { int v[300]; char c; };

kernel void large(global const int *in, global int *out)
{
    int i = get_global_id(0), sum = 0;
    struct big a = {{0}}, b;
    for (int k = 0; k < 300; k++)
        a.v[k] = in[(i + k) & 255] ^ k;
    a.c = (char)i;
    b = a;
    b.v[i] = 5;
    a = i & 1 ? b : a;
    for (int k = 0; k < 300; k++)
        sum = sum * 3 + a.v[k] - b.v[299 - k];
    out[i] += sum + a.c + b.c;
}

kernel void in_local(global const int *in, global int *out)
{
    local struct shape shared[64];
    local union word words[64];
    int i = get_global_id(0), l = get_local_id(0);
    struct shape s = {.kind = (char)l, .area = in[i], .corners = {{1, 2}, {3, (short)l}}, .tag = (uchar3)(l)};
    shared[l] = s;
    words[l].f = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    struct shape t = shared[63 - l];
    words[l].c.x ^= words[l].c.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += weigh(&t) + words[(l * 5) & 63].i;
}

typedef struct { int x; struct { int y[2]; } in; } deep;
kernel void rounds(global const int *in, global int *out)
{
    int i = get_global_id(0);
    deep d[2][3];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++)
            d[a][b] = (deep){in[(i + a * b) & 255], {{a, b}}};
    deep *p = &d[in[i] & 1][0];
    p[i % 3].in.y[in[i] & 1] += 1000;
    deep copy[3];
    for (int b = 0; b < 3; b++)
        copy[b] = *p++;
    out[i] += copy[0].x + copy[i % 3].in.y[0] * 3 + copy[i % 3].in.y[1] * 5 + (int)(p - &d[0][0]);
}
