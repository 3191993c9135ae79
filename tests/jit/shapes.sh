#!/bin/bash
# shapes.sh: work-groups of any shape give the interpreter's bits, translated: rows that fill strips, that are shorter, that
# have an odd length, and strips whose lanes are of two warps; and so do grids whose columns several threads divide among them.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
cd "$CY_TMP"

cat > shapes.cl <<'CL'
kernel void mix(global int *out, global const int *in, local int *tile, int width)
{
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    int lx = get_local_size(0), ly = get_local_size(1), lz = get_local_size(2), n = lx * ly * lz;
    int own = (z * ly + y) * lx + x;
    int at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    int stack[5];
    for (int i = 0; i < 5; i++)
        stack[i] = in[(at + i * width) & 1023] + i;
    tile[own] = in[at & 1023] * 3 + x - 7 * y;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = tile[n - 1 - own], sum = other;
    if ((own + other) & 1)
        for (int i = 0; i < (own & 7); i++)
            sum += stack[(i + x) % 5] * (i + y);
    else if (x & 2)
        sum -= tile[(own + 3) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[own] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < n; k *= 2) {
        int there = own + k < n ? tile[own + k] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[own] += there;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[at] = tile[own] + z;
    atomic_add(&out[4095], x == 0);
}
kernel void plain(global uchar *out, global const double *in, global const int *from, int width, int height)
{
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0), y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    int i = y * width + x, row = i * height;
    double sum = in[i & 255] * in[(x * 3) & 255];
    for (int k = 0; k < 3; k++)
        sum += in[(from[(row + k) & 1023] + k) & 255];
    if (x > 0 && y < height)
        out[i] = (uchar)((long)sum + from[i & 1023]);
}
typedef struct { int a, b, c; } three;
typedef struct { int a, b, c, d; } four;
kernel void records(global int *out, global const three *threes, global const four *fours, global const int *in, local four *tile)
{
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    four f = fours[i];
    three t = threes[i];
    tile[l] = f;
    barrier(CLK_LOCAL_MEM_FENCE);
    four g = tile[n - 1 - l], back = fours[255 - i];
    barrier(CLK_LOCAL_MEM_FENCE);
    global four *to = (global four *)out + i;
    t.a += g.d - t.c * in[i], t.b ^= g.a + back.c, t.c -= f.b + g.b * back.a;
    to->a = t.a, to->b = t.b, to->c = t.c, to->d = g.c + back.b;
    if (in[i] % 3) {
        global three *second = (global three *)(out + 1024) + i;
        second->a = f.a + t.b, second->b = t.a, second->c = back.d;
        tile[l] = g;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    f = tile[l];
    out[2000 + i] = f.a + 2 * f.b + 3 * f.c + 4 * f.d;
}
kernel void visits(global int *out, global const int *in, int turns)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), sum = get_group_id(0) + 100 * get_group_id(1);
    for (int i = 0; i < turns; i++)
        sum = sum * 5 + in[(x + i * y) & 1023];
    out[(z * get_global_size(1) + y) * get_global_size(0) + x] += sum + 1; // and not twice
}
CL
run() { "$CY" run shapes.cl "$@" 2>&1; }
both() { # ARGUMENT...
    run --engine interp "$@" > interp
    run --engine jit "$@" > jit
    cmp interp jit || { echo "differ: $*"; exit 1; }
}
mix() { # GLOBAL:LOCAL...
    for shape in "$@"; do
        both --kernel mix --global "${shape%:*}" --local "${shape#*:}" --arg buffer:i32:4096 --arg buffer:i32:1024=iota \
            --arg local:4096 --arg 37 --print 0
    done
}
plain() { # GLOBAL:LOCAL...
    for shape in "$@"; do
        both --kernel plain --global "${shape%:*}" --local "${shape#*:}" --arg buffer:u8:4096 --arg buffer:f64:256=iota \
            --arg buffer:i32:1024=iota --arg 48 --arg 9 --print 0
    done
}
records() { # GLOBAL:LOCAL...
    for shape in "$@"; do
        both --kernel records --global "${shape%:*}" --local "${shape#*:}" --arg buffer:i32:2256 --arg buffer:i32:768=iota \
            --arg buffer:i32:1024=iota --arg buffer:i32:256=iota --arg local:4096 --print 0
    done
}
visits() { # GLOBAL:LOCAL...
    for shape in "$@"; do
        both --kernel visits --global "${shape%:*}" --local "${shape#*:}" --arg buffer:i32:16384 --arg buffer:i32:1024=iota \
            --arg 50 --print 0
    done
}
export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$CY_TMP/cache # the kernels are compiled once
mix 16,16:8,8 30,20:10,10 28,6:14,3 4,40:1,20 12,9,6:3,3,3 200:100 77:11 34,2:17,2 40:5
plain 18,10:6,5 36,4:12,4 26,4:13,1 33,3:11,3
# rows that strips do not divide, nor the ranges in the second half
mix 34,30:17,15 57,8:19,4 73,4:73,2 1,38,6:1,19,3 34,6,5:17,2,5 50,4:25,4
plain 34,15:17,15 34,4:34,2 25,6:25,3 42,3:21,3
mix 40,30:17,15 50,7:19,4 100,3:73,2 1,30,5:1,19,3 30,5,8:17,3,3 40,7:25,4
plain 40,20:17,15 45,5:34,2 48,10:25,4
visits 51,45:17,15 60,61:19,4 146,9:73,2 1,100,40:1,19,3
# ranges that the work-groups do not divide
mix 35,13:10,4 99:12 61,5:32,4 40,21:16,8 16,7,5:8,4,3
plain 48,7:14,3 # the rows that it writes have 48 bytes
records 256:64 255:15 252:12 250:100 256:4
for threads in 2 3; do
    export CHENGYING_MACHINE="sms=$threads host-threads=$threads"
    visits 128,128:8,8 130,64:5,4 200,50:8,1 99,61:4,4 40,20,12:2,2,3 33,7,11:2,3,2 64,1,90:4,1,1
done
