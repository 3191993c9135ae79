// async_work_group_copy, prefetch, and copies of structures between address spaces.
//
// data: a int[512] random
// data: out int[512] zero
// run: there_and_back 512/64 a out
// gives: a=356177f7600faca7 out=d2b8ce5f5b528f57
// data: a float[512] random -9 9
// data: out float[512] zero
// run: strided 128/32 a out
// gives: a=13bfa6367a0cbdf2 out=cb35c5f94f2bcd28
// data: a uchar[1024] random
// data: out uchar[1024] zero
// run: vectors 64/64 a out
// gives: a=f5937ff3462aadb7 out=fd7f2d4ea08d9d4f
// data: a int[256] random
// data: out int[256] zero
// run: overlapped 64/32 a out
// gives: a=dccef8978b21416c out=8169212962859413

kernel void there_and_back(global const int *a, global int *out)
{
    local int in[64], back[64];
    int g = get_group_id(0) * 64, i = get_local_id(0);
    event_t e = async_work_group_copy(in, a + g, 64, 0);
    wait_group_events(1, &e);
    back[63 - i] = in[i] ^ i;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + g, back, 64, 0);
    wait_group_events(1, &e);
}

kernel void strided(global const float *a, global float *out)
{
    local float l[32], m[32];
    int g = get_group_id(0) * 128, i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_strided_copy(l, a + g, 32, 4, 0);
    e[1] = async_work_group_strided_copy(m, a + g + 1, 32, 3, 0);
    wait_group_events(2, e);
    float t = l[i] + m[31 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[i] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    e[0] = async_work_group_strided_copy(out + g + 2, l, 32, 2, 0);
    wait_group_events(1, e);
}

kernel void vectors(global const uchar *a, global uchar *out)
{
    local uchar16 l[64];
    global const uchar16 *from = (global const uchar16 *)a;
    prefetch(from, 64);
    event_t e = async_work_group_copy(l, from, 64, 0);
    wait_group_events(1, &e);
    int i = get_local_id(0);
    ((global uchar16 *)out)[i] = l[(i * 7) & 63].sfedcba9876543210;
}

// The next tile is being copied while the last one is processed.
kernel void overlapped(global const int *a, global int *out)
{
    local int tiles[2][32];
    int g = get_group_id(0) * 128, i = get_local_id(0);
    event_t e = async_work_group_copy(tiles[0], a + g, 32, 0);
    for (int t = 0; t < 4; t++) {
        wait_group_events(1, &e);
        if (t < 3)
            e = async_work_group_copy(tiles[(t + 1) & 1], a + g + (t + 1) * 32, 32, 0);
        out[g + t * 32 + i] = tiles[t & 1][(i + t) & 31] * 3;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
