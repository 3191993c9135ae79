// Pictures, films, texts, keys.
//
// data: current uchar[1024] random
// data: reference uchar[2304] random
// data: sads ushort[1296] zero
// data: best uint[16] value 0xffffffff
// run: sad 144/48 current reference sads
// run: sad_best 16/16 sads best
// gives: current=f5937ff3462aadb7 reference=fe3bff212be7b003 sads=eeaa1bb93e4d7f12 best=fcb374958e95fc61
// data: image int[1024] random -128 127
// data: out int[1024] zero
// run: wavelet_rows 16x32/16x4 image out
// run: wavelet_columns 32x16/16x4 out image
// gives: image=7d9b1396f53249e8 out=519db5ee48e52c83
// data: pixels uchar[3072] random
// data: planes uchar[3072] zero
// data: out uchar[3072] zero
// run: to_yuv 1024/64 pixels planes
// run: to_rgb 1024/64 planes out
// gives: pixels=767650c8fdf06462 planes=b320914a18eb35b2 out=d4dd18c5363da911
// data: data uint[1024] random
// data: bins uchar[256] zero
// data: full uint[256] zero
// run: saturating_histogram 256/64 data full
// run: saturate 64/64 full bins
// gives: data=48be52f9c873af9f bins=c8b22868d71bf2d9 full=c4960ba3c5180887
// data: input float[512] random 0 1
// data: offsets int[512] zero
// data: counts uint[16] zero
// run: bucket_count 128/64 input offsets counts
// run: bucket_total 16/16 counts
// gives: input=1d7e79b73a08cd83 offsets=e7a09402efbcd841 counts=036a760971d10301
// data: blocks int[1024] random -255 255
// data: out int[1024] zero
// run: dct8 128/32 blocks out
// gives: blocks=ee4a191423e6d442 out=1917ca436f913051
// data: text uchar[1024] random 97 100
// data: pattern uchar[4] list 97,98,97,99
// data: found int[64] zero
// run: text_search 256/64 text pattern found int:1024 int:4
// gives: text=8ac0f2f12cfb90db pattern=fc1ea883ee0d52d6 found=6dd24e8931b96535
// data: messages uint[1024] random
// data: hashes uint[256] zero
// run: md_like 64/32 messages hashes
// gives: messages=48be52f9c873af9f hashes=aadfe60a7cd9f10f
// data: blocks uint[256] random
// data: key uint[4] list 0x01234567,0x89abcdef,0xfedcba98,0x76543210
// run: tea 128/32 blocks key int:0
// run: tea 128/32 blocks key int:1
// run: tea 64/32 blocks key int:0
// gives: blocks=386ed256fa662a32 key=775b6b38382e4425
// data: bytes uchar[1024] random
// data: crcs uint[64] zero
// run: crc32 64/32 bytes crcs
// gives: bytes=f5937ff3462aadb7 crcs=214124b01743b527
// data: image float[1024] random 0 1
// data: sums float[64] zero
// data: out float[1024] zero
// run: tracking_sums 32x32/16x16 image sums out int:32
// near: 1e-4
// gives: image=0.48129572,0.566558838,0.238891602,0.361724854,0.356582642,0.0273895264,0.890090942,0.76361084,0.0718688965 sums=7.70073152,7.29385376,7.47262573,8.96630859,7.74940491,7.08584595,7.6187439,10.6880035,7.64579773 out=0.815970974,0.686512232,-0.919095159,-0.741209924,-0.756183147,-0.974900484,0.973395646,0.948154807,-0.969178617
// data: out uint[1024] zero
// run: mandelbrot 32x32/16x4 out int:64
// gives: out=65e51c5ba63ad038

#pragma OPENCL FP_CONTRACT OFF

// 9 x 9 offsets for each of 16 blocks of 8 x 8 pixels; each work-item has nine of them.
kernel void sad(global const uchar *current, global const uchar *reference, global ushort *sads)
{
    int block = get_global_id(0) / 9, dy = get_global_id(0) % 9, bx = block % 4 * 8, by = block / 4 * 8;
    ushort sums[9] = {0};
    for (int y = 0; y < 8; y++) {
        uchar8 c = vload8(0, current + (by + y) * 32 + bx);
        for (int dx = 0; dx < 9; dx++) {
            uchar8 r = vload8(0, reference + (by + y + dy) * 48 + bx + dx);
            ushort8 d = convert_ushort8(abs_diff(c, r));
            ushort4 q = d.lo + d.hi;
            sums[dx] += q.x + q.y + q.z + q.w;
        }
    }
    for (int dx = 0; dx < 9; dx++)
        sads[(block * 9 + dy) * 9 + dx] = sums[dx];
}

kernel void sad_best(global const ushort *sads, global uint *best)
{
    int block = get_global_id(0);
    for (int i = 0; i < 81; i++)
        best[block] = min(best[block], (uint)sads[block * 81 + i] << 8 | i);
}

// The integer 5/3 transform, in place and reversible.
kernel void wavelet_rows(global const int *image, global int *out)
{
    int i = get_global_id(0), y = get_global_id(1);
    global const int *row = image + y * 32;
    int left = row[2 * i], right = row[i < 15 ? 2 * i + 2 : 2 * i], high = row[2 * i + 1] - ((left + right) >> 1);
    int before = i > 0 ? row[2 * i - 1] - ((row[2 * i - 2] + left) >> 1) : high;
    out[y * 32 + i] = left + ((before + high + 2) >> 2);
    out[y * 32 + 16 + i] = high;
}

kernel void wavelet_columns(global const int *image, global int *out)
{
    int x = get_global_id(0), i = get_global_id(1);
#define AT(y) image[(y) * 32 + x]
    int top = AT(2 * i), bottom = AT(min(2 * i + 2, 30)), high = AT(2 * i + 1) - ((top + bottom) >> 1);
    int before = i > 0 ? AT(2 * i - 1) - ((AT(2 * i - 2) + top) >> 1) : high;
    out[i * 32 + x] = top + ((before + high + 2) >> 2);
    out[(i + 16) * 32 + x] = high;
}

kernel void to_yuv(global const uchar *pixels, global uchar *planes)
{
    int i = get_global_id(0), n = get_global_size(0);
    int3 p = convert_int3(vload3(i, pixels));
    planes[i] = (66 * p.x + 129 * p.y + 25 * p.z + 128 >> 8) + 16;
    planes[n + i] = (-38 * p.x - 74 * p.y + 112 * p.z + 128 >> 8) + 128;
    planes[2 * n + i] = (112 * p.x - 94 * p.y - 18 * p.z + 128 >> 8) + 128;
}

kernel void to_rgb(global const uchar *planes, global uchar *pixels)
{
    int i = get_global_id(0), n = get_global_size(0);
    int c = 298 * (planes[i] - 16), d = planes[n + i] - 128, e = planes[2 * n + i] - 128;
    int3 p = (int3)(c + 409 * e + 128, c - 100 * d - 208 * e + 128, c + 516 * d + 128) >> 8;
    vstore3(convert_uchar3_sat(p), i, pixels);
}

kernel void saturating_histogram(global const uint *data, global uint *full)
{
    local uint packed[64]; // four counters of eight bits in a word, emptied before they overflow
    int t = get_local_id(0);
    packed[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        uint bin = data[get_global_id(0) * 4 + k] & 255;
        atomic_add(&packed[bin >> 2], 1u << (bin & 3) * 8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++)
        atomic_add(&full[t * 4 + k], packed[t] >> k * 8 & 255);
}

kernel void saturate(global const uint *full, global uchar *bins)
{
    int t = get_global_id(0);
    vstore4(convert_uchar4_sat(vload4(t, full) * 40), t, bins);
}

kernel void bucket_count(global const float *input, global int *offsets, global uint *counts)
{
    local uint own[16];
    int t = get_local_id(0), i = get_global_id(0);
    if (t < 16)
        own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = vload4(i, input);
    int4 bucket = convert_int4(v * 16);
    atomic_inc(&own[bucket.x]);
    atomic_inc(&own[bucket.y]);
    atomic_inc(&own[bucket.z]);
    atomic_inc(&own[bucket.w]);
    vstore4(bucket, i, offsets);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 16)
        atomic_add(&counts[t], own[t]);
}

kernel void bucket_total(global uint *counts)
{
    local uint l[16];
    int t = get_local_id(0);
    l[t] = counts[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (int i = 0; i < t; i++)
        before += l[i];
    counts[t] = before;
}

// A fixed-point transform of eight numbers, one row a work-item.
kernel void dct8(global const int *blocks, global int *out)
{
    int i = get_global_id(0);
    int8 v = vload8(i, blocks);
    int4 sum = v.lo + v.hi.wzyx, difference = v.lo - v.hi.wzyx;
    int2 even = sum.lo + sum.hi.yx, odd = sum.lo - sum.hi.yx;
    int8 r;
    r.s0 = (even.x + even.y) * 181 >> 8;
    r.s4 = (even.x - even.y) * 181 >> 8;
    r.s2 = (odd.x * 237 + odd.y * 98) >> 8;
    r.s6 = (odd.x * 98 - odd.y * 237) >> 8;
    r.s1 = (difference.x * 251 + difference.y * 213 + difference.z * 142 + difference.w * 50) >> 8;
    r.s3 = (difference.x * 213 - difference.y * 50 - difference.z * 251 - difference.w * 142) >> 8;
    r.s5 = (difference.x * 142 - difference.y * 251 + difference.z * 50 + difference.w * 213) >> 8;
    r.s7 = (difference.x * 50 - difference.y * 142 + difference.z * 213 - difference.w * 251) >> 8;
    vstore8(r, i, out);
}

kernel void text_search(global const uchar *text, constant uchar *pattern, global int *found, int n, int m)
{
    int i = get_global_id(0), count = 0;
    for (int at = i * 4; at < i * 4 + 4 && at + m <= n; at++) {
        int k = 0;
        while (k < m && text[at + k] == pattern[k])
            k++;
        if (k == m)
            count++;
    }
    atomic_add(&found[i / 4], count);
}

#define STEP(f, a, b, c, d, x, k, s) a = b + rotate(a + f(b, c, d) + x + k, (uint)s)
#define F(x, y, z) bitselect(z, y, x)
#define G(x, y, z) bitselect(y, x, z)
#define H(x, y, z) (x ^ y ^ z)

kernel void md_like(global const uint *messages, global uint *hashes)
{
    int i = get_global_id(0);
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, w[16];
    for (int j = 0; j < 16; j++)
        w[j] = messages[i * 16 + j];
    for (int j = 0; j < 16; j += 4) {
        STEP(F, a, b, c, d, w[j], 0xd76aa478, 7);
        STEP(F, d, a, b, c, w[j + 1], 0xe8c7b756, 12);
        STEP(F, c, d, a, b, w[j + 2], 0x242070db, 17);
        STEP(F, b, c, d, a, w[j + 3], 0xc1bdceee, 22);
    }
    for (int j = 0; j < 16; j += 4) {
        STEP(G, a, b, c, d, w[(j * 5 + 1) & 15], 0xf61e2562, 5);
        STEP(G, d, a, b, c, w[(j * 5 + 6) & 15], 0xc040b340, 9);
        STEP(H, c, d, a, b, w[(j * 3 + 11) & 15], 0x265e5a51, 14);
        STEP(H, b, c, d, a, w[j], 0xe9b6c7aa, 20);
    }
    vstore4((uint4)(a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476), i, hashes);
}

kernel void tea(global uint2 *blocks, constant uint *key, int decrypt)
{
    int i = get_global_id(0);
    uint2 v = blocks[i];
    uint sum = decrypt ? 0xc6ef3720 : 0;
    for (int round = 0; round < 32; round++) {
        if (decrypt) {
            v.y -= (v.x << 4 ^ v.x >> 5) + v.x ^ sum + key[sum >> 11 & 3];
            sum -= 0x9e3779b9;
            v.x -= (v.y << 4 ^ v.y >> 5) + v.y ^ sum + key[sum & 3];
        } else {
            v.x += (v.y << 4 ^ v.y >> 5) + v.y ^ sum + key[sum & 3];
            sum += 0x9e3779b9;
            v.y += (v.x << 4 ^ v.x >> 5) + v.x ^ sum + key[sum >> 11 & 3];
        }
    }
    blocks[i] = v;
}

kernel void crc32(global const uchar *bytes, global uint *crcs)
{
    local uint table[256];
    for (int k = get_local_id(0); k < 256; k += get_local_size(0)) {
        uint c = k;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        table[k] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = get_global_id(0);
    uint crc = ~0u;
    for (int k = 0; k < 16; k++)
        crc = table[(crc ^ bytes[i * 16 + k]) & 255] ^ crc >> 8;
    crcs[i] = ~crc;
}

// Sums over columns, then normalised: the shape of template matching.
kernel void tracking_sums(global const float *image, global float *sums, global float *out, int n)
{
    local float column[16][16], mean;
    int tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    column[ty][tx] = image[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ty == 0) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += column[k][tx];
        column[0][tx] = sum;
        sums[(get_group_id(1) * 2 + get_group_id(0)) * 16 + tx] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx == 0 && ty == 0) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += column[0][k];
        mean = sum / 256;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float d = image[y * n + x] - mean;
    out[y * n + x] = d / sqrt(0.01f + d * d);
}

kernel void mandelbrot(global uint *out, int limit)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    float cx = x * 0.09375f - 2, cy = y * 0.0625f - 1, zx = 0, zy = 0;
    while (n < limit && zx * zx + zy * zy < 4) {
        float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        n++;
    }
    out[y * 32 + x] = n;
}
