// Structures as arguments of kernels: read in place, indexed, changed, passed on, many at once; small scalars next to them.
// (The reference lets the work-items of a group share an argument that they change, so there is one in a group.)
//
// data: in int[64] random 0 1000
// data: out int[64] zero
// run: read 64/32 in out int:1,2,3,4,5,6,7,8
// run: indexed 64/32 in out int:10,20,30,40,50,60,70,80
// run: changed 64/1 in out int:10,20,30,40,50,60,70,80
// run: passed_on 64/32 in out int:3,1,4,1,5,9,2,6
// run: copied 64/32 in out int:3,1,4,1,5,9,2,6
// run: many 64/32 char:5 in int:1,2,3,4,5,6,7,8 short:-3 float:1.5,2.5,3.5,4.5 uchar:200 out long:-77 uchar:1,2,3,4
// run: events 64/32 in out local:128 local:128
// gives: in=2e2ab11780554584 out=8a38270ebf472adc

struct eight { int first; struct { int b[5]; } middle; int last[2]; };

kernel void read(global const int *in, global int *out, struct eight s)
{
    int i = get_global_id(0);
    out[i] += s.first * 3 + s.middle.b[2] + s.last[1] + in[i];
}

kernel void indexed(global const int *in, global int *out, struct eight s)
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 5; k++)
        sum = sum * 3 + s.middle.b[(k + in[i]) % 5];
    out[i] += sum + s.last[in[i] & 1];
}

kernel void changed(global const int *in, global int *out, struct eight s)
{
    int i = get_global_id(0);
    s.middle.b[in[i] % 5] += i;
    s.first = in[i];
    int *p = &s.last[in[i] & 1];
    *p *= 2;
    out[i] += s.middle.b[i % 5] + s.first + s.last[0] * 3 + s.last[1];
}

__attribute__((noinline)) int weigh(struct eight s, int n)
{
    s.middle.b[n % 5] ^= 77;
    return s.middle.b[(n + 1) % 5] + s.middle.b[n % 5] * 3 + s.first;
}
__attribute__((noinline)) int look(const struct eight *s, int n) { return s->middle.b[n % 5] + s->last[n & 1]; }

kernel void passed_on(global const int *in, global int *out, struct eight s)
{
    int i = get_global_id(0);
    out[i] += weigh(s, in[i]) + weigh(s, i) * 5 + look(&s, in[i]);
}

kernel void copied(global const int *in, global int *out, struct eight s)
{
    local struct eight shared;
    int i = get_global_id(0);
    struct eight mine[2] = {s, s};
    mine[in[i] & 1].middle.b[3] = i;
    if (get_local_id(0) == 0)
        shared = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[0].first += shared.last[in[i] & 1];
    out[i] += mine[0].first + mine[1].middle.b[3] + mine[0].middle.b[3] * 3 + shared.middle.b[in[i] % 5];
}

kernel void many(char c, global const int *in, struct eight s, short h, float4 f, uchar u, global int *out, long l, uchar4 v)
{
    int i = get_global_id(0);
    out[i] += c + in[i] + s.last[1] + h + (int)(f.x + f.w * 2) + u + (int)(l >> 1) + v.y * v.w;
}

kernel void events(global const int *in, global int *out, local int *a, local int *b)
{
    event_t e[2];
    int g = get_group_id(0) * 32, l = get_local_id(0);
    e[0] = async_work_group_copy(a, in + g, 32, 0);
    e[1] = async_work_group_strided_copy(b, in, 32, 2, 0);
    wait_group_events(2, e);
    out[g + l] += a[31 - l] * 3 + b[l];
}
