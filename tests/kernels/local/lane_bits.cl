// Parts of the numbers of work-items, taken by masks, shifts and divisions, and rows stored by some of the lanes.
//
// data: out int[256] zero
// run: parts 256/64 out
// run: parts 240/48 out
// run: parts 250/50 out
// gives: out=3bcf9ed3c01add90
// data: out int[256] value -1
// run: signed_parts 256/64 out int:3
// run: signed_parts 256/128 out int:-200
// gives: out=866c2279e7e012e5
// data: bytes uchar[256] zero
// data: halves ushort[256] zero
// data: words int[256] zero
// run: some 256/64 bytes halves words int:5 int:27
// run: some 256/128 bytes halves words int:30 int:34
// run: some 240/40 bytes halves words int:0 int:1
// gives: bytes=d4bc0043f4350a37 halves=5cb119137188010d words=b164cd45c1f3d3bc
// data: val float[4096] random -8 8
// data: rows int[65] steps 0 60
// data: out float[64] zero
// run: rows_by_warps 512/128 val rows out int:13
// gives: val=331ee0ec7107f193 rows=a7e8ef1a882ad8ea out=00ec24adce4ff1dd

kernel void parts(global int *out)
{
    int t = get_local_id(0);
    uint u = get_local_id(0);
    int mix = (t & 15) + (t & 31) * 3 + (t & 48) * 5 + (t >> 5) * 7 + (int)(u >> 4) * 11 + (t & 8) * 13 + (t & 3) * 17;
    out[get_global_id(0)] += mix + t / 32 * 19 + t % 32 * 23 + (int)(u / 16) * 29 + (int)(u % 16) * 31 + (t & 0x7ff0) * 37;
}

kernel void signed_parts(global int *out, int first)
{
    int t = (int)get_local_id(0) * 4 + first;
    out[get_global_id(0)] = t / 32 + t % 32 * 3 + (t & 60) * 5 + (t >> 5) * 7 + ((t & 28) << 8);
}

kernel void some(global uchar *bytes, global ushort *halves, global int *words, int from, int to)
{
    int t = get_local_id(0), i = get_global_id(0);
    if (t >= from && t < to) {
        bytes[i] = t + 1;
        halves[i] = t * 3;
        words[i] = t * 5;
    }
    if ((t * t + from) % 7 < 3)
        words[i] += 1000;
    if (t & 4)
        halves[i] ^= 0x5555;
    if (t % 32 < 16)
        bytes[i] += 7;
}

kernel void rows_by_warps(global const float *val, global const int *rows, global float *out, int n)
{
    local float part[128];
    int t = get_local_id(0), id = t & 31, row = get_group_id(0) * 4 + t / 32;
    float sum = 0;
    for (int j = rows[row] + id; j < rows[row + 1]; j += 32)
        sum += val[j];
    part[t] = sum;
    for (int step = 16; step; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < step)
            part[t] += part[t + step];
    }
    if (id == 0)
        out[row] = part[t];
}
