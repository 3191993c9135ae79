// Barriers in loops and branches that the whole workgroup takes, with divergence in between.
//
// data: out int[128] zero
// run: in_loop 128/64 out int:6
// gives: out=5b2bbfd6303d3371
// data: out int[160] zero
// run: in_branch 160/40 out int:3
// gives: out=e1732ce668c8ac25
// data: out int[96] zero
// run: early_lanes 96/48 out
// gives: out=fe1f50ac40e9efd9
// data: out int[192] zero
// run: nested_loops 192/64 out int:3 int:4
// gives: out=94cad0cef130f491
// data: out int[128] zero
// data: flags int[4] list 1,0,1,0
// run: loaded_condition 128/32 out flags
// gives: out=a165d3c096abff65 flags=581cd0fa58d99645
// data: out int[256] zero
// run: odd_even_sort 256/64 out
// gives: out=3040f0588b774987
// data: out int[128] zero
// data: numbers int[128] iota
// run: never 128/64 out numbers
// gives: out=af81dedaf8827525 numbers=709f2462c272f725

kernel void in_loop(global int *out, int n)
{
    local int l[64];
    int i = get_local_id(0);
    l[i] = get_global_id(0);
    for (int j = 0; j < n; j++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l[(i + j + 1) % 64];
        if (v & 1)
            v = v * 3 + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        l[i] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l[63 - i];
}

kernel void in_branch(global int *out, int n)
{
    local int l[40];
    int i = get_local_id(0), r = 0;
    if (n > 2) {
        l[i] = i * n;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = l[39 - i];
    }
    if (get_group_id(0) % 2 == 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < 7)
            l[i] = -i;
        barrier(CLK_LOCAL_MEM_FENCE);
        r += l[(i * 3) % 40];
    } else {
        r *= 2;
    }
    out[get_global_id(0)] = r;
}

// Some lanes have long work between two barriers, others none.
kernel void early_lanes(global int *out)
{
    local int l[48];
    int i = get_local_id(0), x = i;
    for (int j = 0; j < (i % 5) * 7; j++)
        x = x * 3 ^ j;
    l[i] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i % 2) {
        int sum = 0;
        for (int j = 0; j < 48; j++) {
            if (l[j] < 0)
                break;
            sum += l[j];
        }
        x = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x + l[(i + 1) % 48];
}

kernel void nested_loops(global int *out, int n, int m)
{
    local int l[64];
    int i = get_local_id(0);
    l[i] = i;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < m; k++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int v = l[(i * 5 + k) % 64] + l[i ^ 1];
            barrier(CLK_LOCAL_MEM_FENCE);
            l[i] = v & 0xffff;
            if (k == 2)
                continue;
        }
        if (i & 4)
            l[i] += j;
    }
    out[get_global_id(0)] = l[i];
}

kernel void loaded_condition(global int *out, global const int *flags)
{
    local int l[32];
    int i = get_local_id(0), g = get_group_id(0), r = i;
    while (flags[g]) {
        l[i] = r + g;
        barrier(CLK_LOCAL_MEM_FENCE);
        r = l[(i + 9) & 31];
        barrier(CLK_LOCAL_MEM_FENCE);
        g++;
    }
    out[get_global_id(0)] = r;
}

kernel void odd_even_sort(global int *out)
{
    local uint l[64];
    int i = get_local_id(0);
    l[i] = (uint)(get_global_id(0) * 2654435761u) >> 20;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < 64; round++) {
        if ((i & 1) == (round & 1) && i < 63 && l[i] > l[i + 1]) {
            uint t = l[i];
            l[i] = l[i + 1];
            l[i + 1] = t;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = l[i];
}

// A way that is never taken leads nowhere, not to the end behind the barrier.
kernel void never(global int *out, global const int *numbers)
{
    local int l[64];
    int i = get_local_id(0), r = i;
    for (int j = 0; j < (numbers[i] & 7); j++)
        if (numbers[i + j] & 1) {
            if (numbers[j] > 1000)
                __builtin_unreachable();
            r += j;
        }
    l[i] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l[63 - i];
}
