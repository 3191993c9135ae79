// Constants at program scope, strings, private arrays of all sizes, local variables of several kernels.
//
// data: in int[256] random 0 100000
// data: out int[256] zero
// data: bytes uchar[1024] random 0 255
// run: constants 256/64 in out
// run: strings 256/64 in out
// run: arrays 64/32 in out
// run: filled 64/32 in out
// run: moved 64/32 in out bytes
// run: locals 256/64 in out
// run: more_locals 256/64 in out
// run: unaligned 64/32 out bytes
// run: halves 64/32 out bytes
// run: addresses 64/32 out
// gives: in=c21ddf5fc9e3f87f out=435c53e6c4709e1b bytes=3cb23435224681f7

constant int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
constant short odd[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8}};
constant float4 colours[2] = {(float4)(1, 2, 3, 4), (float4)(0.5f)};
constant char3 small[2] = {(char3)(1, 2, 3), (char3)(4, 5, 6)};
constant long big = 0x123456789abcdefl;
constant int *constant rows[] = {primes, primes + 8, &primes[3]};
constant struct { constant char *name; int (*none); constant short *row; } named[2] = {{"alpha", 0, odd[1]}, {"be", 0, &odd[2][1]}};

kernel void constants(global const int *in, global int *out)
{
    int i = get_global_id(0), n = in[i];
    constant int *row = rows[n % 3];
    out[i] += primes[n & 15] + odd[n % 3][i % 3] + (int)colours[n & 1].y + small[i & 1].z + (int)(big >> (n & 31)) +
              row[i & 7] + named[n & 1].row[1] + named[i & 1].name[n & 1] + (named[0].none == 0);
}

constant char message[] = "a message";
int hash(constant char *s)
{
    int h = 17;
    while (*s)
        h = h * 31 + *s++;
    return h;
}

kernel void strings(global const int *in, global int *out)
{
    int i = get_global_id(0);
    constant char *s = in[i] & 1 ? "odd" : in[i] & 2 ? message : "twice\0even";
    char copy[] = "private";
    copy[in[i] % 7] = '!';
    out[i] += hash(s) + hash(message + in[i] % 5) + copy[i % 7] + "digits"[in[i] % 6] + (int)sizeof("four");
}

kernel void arrays(global const int *in, global int *out)
{
    int i = get_global_id(0), a[8], b[3][5][2], sum = 0;
    const int table[6] = {10, 20, 30, 40, 50, 60};
    short s[16] = {1, 2, 3};
    long l[4] = {in[i], -1};
    for (int k = 0; k < 8; k++)
        a[k] = in[(i * 7 + k) & 255];
    for (int k = 0; k < 30; k++)
        b[k / 10][k / 2 % 5][k & 1] = a[k & 7] * k;
    for (int k = 1; k < 8; k++) /* insertion sort */
        for (int m = k; m > 0 && a[m - 1] > a[m]; m--) {
            int t = a[m];
            a[m] = a[m - 1];
            a[m - 1] = t;
        }
    s[in[i] & 15] += (short)a[3];
    l[in[i] & 3] += (long)a[7] << 20;
    for (int k = 0; k < 16; k++)
        sum += s[k] * k;
    out[i] += sum + a[in[i] & 7] + b[in[i] % 3][i % 5][1] + table[in[i] % 6] + (int)(l[i & 3] >> 16);
}

kernel void filled(global const int *in, global int *out)
{
    int i = get_global_id(0), sum = 0;
    int zeros[400] = {0}, some[100] = {1, 2, 3};
    char text[777] = "text";
    zeros[in[i] % 400] = 5;
    text[in[i] % 777] ^= 7;
    for (int k = 0; k < 400; k++)
        sum += zeros[k] * k;
    for (int k = 0; k < 777; k++)
        sum = sum * 3 + text[k];
    out[i] += sum + some[in[i] % 100];
}

kernel void moved(global const int *in, global int *out, global uchar *bytes)
{
    int i = get_global_id(0), sum = 0, n = in[i] % 300, at = in[i] % 50;
    uchar from[600], to[600];
    for (int k = 0; k < 600; k++)
        from[k] = bytes[(i + k) & 1023], to[k] = (uchar)k;
    for (int k = 0; k < n; k++) /* a memcpy of unknown size */
        to[k] = from[k];
    for (int k = 0; k < 200; k++) /* a memmove */
        from[k + 0] = from[k + 3];
    for (int k = 0; k < n; k++) /* a memset */
        to[at + k] = 9;
    for (int k = 0; k < 600; k++)
        sum = sum * 5 + to[k] + from[k] * 2;
    out[i] += sum;
}

kernel void locals(global const int *in, global int *out)
{
    local int a[64], b[4][16];
    local float f;
    local struct { char c; long l[2]; } s[2];
    int i = get_global_id(0), l = get_local_id(0);
    a[l] = in[i];
    b[l & 3][l >> 2] = l * 3;
    if (l == 0)
        f = 2.5f, s[0].c = 'c', s[1].l[1] = 1l << 40;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += a[63 - l] + b[l >> 4][l & 15] + (int)(f * 2) + s[0].c + (int)(s[1].l[1] >> 35);
}

void prefix(local int *a, int l)
{
    for (int d = 1; d < 64; d *= 2) {
        int x = l >= d ? a[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] += x;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void more_locals(global const int *in, global int *out)
{
    local int sums[64], other[64];
    int i = get_global_id(0), l = get_local_id(0);
    sums[l] = in[i];
    other[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    prefix(sums, l);
    prefix(other, l);
    local int *chosen = in[i] & 1 ? sums : other;
    out[i] += chosen[l] + *(in[i] & 2 ? &sums[63] : &other[1]);
}

kernel void unaligned(global int *out, global uchar *bytes)
{
    int i = get_global_id(0);
    int3 a = vload3(i, (global int *)bytes);
    short4 s = vload4(i, (global short *)(bytes + 2));
    char3 c = vload3(i, (global char *)bytes + 1);
    uchar p[40];
    for (int k = 0; k < 40; k++)
        p[k] = bytes[i + k];
    vstore4(s, 1, (short *)(p + 6));
    vstore3(c, 5, (char *)p + 1);
    int2 b = vload2(2, (int *)(p + 4));
    out[i] += a.x + a.z + s.y + c.z + b.x + b.y + p[16] + p[20];
}

kernel void halves(global int *out, global uchar *bytes)
{
    int i = get_global_id(0);
    global half *h = (global half *)bytes;
    float a = vload_half(i, h);
    float4 b = vload_half4(i & 31, h), c = vloada_half4(i & 31, h);
    ushort room[8];
    half *private_copy = (half *)room;
    vstore_half(a, 3, private_copy);
    vstore_half4_rtz(b * 1.001f, 1, private_copy);
    float d = vload_half(3, private_copy), e = vload_half(5, private_copy);
    d = isnan(d) ? 1.0f : d;
    e = isnan(e) ? 2.0f : e;
    out[i] += as_int(d) ^ as_int(e) + (isnan(b.x) ? 1 : as_int(b.x)) + (isnan(c.w) ? 3 : as_int(c.w));
}

kernel void addresses(global int *out)
{
    local int a[4], b[4];
    a[get_local_id(0) & 3] = b[get_local_id(0) & 3] = 0;
    size_t p = (size_t)primes;
    out[get_global_id(0)] += ((size_t)&primes[3] - (size_t)&primes[1] == 8) + ((p & 3) == 0) * 2 +
                             ((uchar)p == (uchar)((size_t)(primes + 1) - 4)) * 4 + ((ulong)p + 1 == (ulong)(p + 1)) * 8 +
                             ((size_t)a != (size_t)b) * 32 +
                             (((short)p ^ 5) == ((short)(p ^ 5))) * 64;
}
