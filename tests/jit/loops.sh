#!/bin/bash
# loops.sh [TARGET]: loops whose addresses are checked once, before them, and lanes that go through loops one by one: the interpreter's
# bits and faults, whatever the counter does.
set -euo pipefail
march=-march=${1:-ventus}
export CHENGYING_COMPILE_SECONDS=600
cd "$CY_TMP"
fail() { echo "$1"; exit 1; }

cat > loops.cl <<'CL'
/* from[i] to to[i]: rows of any length, in each direction, in steps, and with numbers near the ends of their types */
#define ROWS(name, type, start, stays, step, at)                                                                      \
    kernel void name(global const int *in, global int *out, global const int *from, global const int *to, int n)      \
    {                                                                                                                  \
        int i = get_global_id(0), sum = i;                                                                             \
        type end = to[i];                                                                                              \
        for (type k = start; stays; step)                                                                              \
            sum = sum * 3 + in[at] * in[(at & 31) ^ (sum & 15)];                                                       \
        out[i] = sum;                                                                                                  \
    }
ROWS(up, int, from[i], k < end, k++, k)
ROWS(by_three, int, from[i], k <= end, k += 3, k)
ROWS(down, int, end - 1, k >= from[i], k--, k)
ROWS(without_sign, uint, from[i], k < end, k += 2, k)
ROWS(until, int, from[i], k != end, k++, k)
ROWS(columns, int, 0, k < end - from[i], k++, k *n)
kernel void filter(global const short *in, constant short *taps, global short *out) /* rows, of all strips and in all turns */
{
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < 32; k++)
        sum += in[i + k] * taps[k];
    out[i] = (short)(sum >> 8);
}
kernel void moved(global int *out, global const int *from, global const int *to, int n)
{
    int i = get_global_id(0);
    for (int k = from[i]; k < to[i]; k++)
        if (out[k * n + 64] != 5)
            out[64 * i + k + 512] = out[k * n + 64] + i;
}
kernel void tiles(global const uchar4 *in, global uchar4 *out, int n) /* loops of which the lanes of only one may part */
{
    local uchar4 tile[18][18];
    int x = get_local_id(0), y = get_local_id(1), bx = get_group_id(0) * 16 - 1, by = get_group_id(1) * 16 - 1;
    for (int j = y; j < 18; j += 16)
        for (int i = x; i < 18; i += 16)
            tile[j][i] = in[clamp(by + j, 0, n - 1) * n + clamp(bx + i, 0, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * n + get_global_id(0)] = tile[y][x] + tile[y + 2][x + 2];
}
kernel void exps(global const float *in, global float *out) /* of negated values: a modifier of generation 2 */
{
    int i = get_global_id(0);
    out[i] = 1 / (1 + exp(-in[i] / 8)) + exp(-fabs(in[i] - 30));
}
kernel void quotients(global const int *in, global int *out, int by) /* by one number, which is only known when it runs */
{
    int i = get_global_id(0), x = in[i];
    uint u = (uint)x, v = (uint)by;
    out[i] = x / by;
    out[256 + i] = x % by;
    out[512 + i] = u / v;
    out[768 + i] = u % v;
}
typedef struct { char a; uchar b; short c; ushort d; char e[5]; } mixed; /* 12 bytes */
kernel void parts(global const char4 *in, global const mixed *more, global int *out, int n) /* bytes and halves of words */
{
    int i = get_global_id(0);
    char4 p = in[i], q = in[(i * 37 + p.x) & 255];
    uchar3 r = vload3((i * 5 + p.y) & 127, (global const uchar *)in);
    mixed m = more[i & 63], k = more[(i * 11 + p.z) & 63];
    int sum = p.x * q.y + p.z * q.w + r.x - 3 * r.y + r.z * q.x;
    sum += m.a * k.b - m.c * k.d + m.e[0] * k.e[4] + m.e[2] - k.c * m.d;
    if (q.z > n)
        sum ^= more[q.w & 63].e[1] + more[q.w & 63].e[3] * 7 + more[q.w & 63].a;
    out[i] = sum;
}
kernel void butterfly(global int *data, uint step) /* consecutive or not: only the numbers show it */
{
    uint i = get_global_id(0), at = 2 * step * (i / step) + i % step;
    int x = data[at], y = data[at + step];
    data[at] = x + y;
    data[at + step] = x - y;
}
kernel void twos(global int2 *data, uint step) /* the same of elements of two words; forms.cl has more */
{
    uint i = get_global_id(0), at = 2 * step * (i / step) + i % step;
    data[at] += data[at + step].yx;
}
kernel void far_end(global int *in, global int *out, int first, int last) /* counts up to the end of its type */
{
    int i = get_global_id(0), sum = 0;
    for (int k = first; k <= last; k += 7) {
        sum += in[(k - first) & 63];
        if (k > 0x7ffffff8)
            break;
    }
    out[i] = sum + in[i];
}
/* indices before and after the array's start, of words, pairs, elements of 16 bytes and bytes: from lanes together and alone */
kernel void anywhere(global const int *in, global int *out, global const int *at, int turns)
{
    int i = get_global_id(0), k = at[i & 63], sum = 0;
    global const int *middle = in + 1024;
    for (int turn = 0; turn < turns; turn++) {
        sum += middle[k] * 3 + ((global const long *)middle)[k >> 1] + ((global const int4 *)middle)[k >> 2].z;
        sum ^= ((global const uchar *)middle)[k * 2] + in[(sum & 255) * 2] + in[1024 + (((global const uchar *)in)[k & 1023])];
        k = at[(k + turn) & 63];
    }
    for (int turn = 0; turn < (k & 3); turn++) /* lanes part */
        for (int j = at[turn]; j < at[turn + 1]; j++)
            if (middle[j] & 1)
                sum += middle[at[j & 3]] + turn;
    out[i] = sum;
}
kernel void lines(global const int *in, global int *out, int start, int step) /* a row for each work-item, and a column */
{
    int i = get_global_id(0), at = start + i * step, sum = 0;
    for (int k = 0; k < 9; k++)
        sum += in[at + k] * (k + 1);
    out[at] = sum;
    vstore4(vload4(0, in + at) + sum, 1, out + at);
}
CL
run() { "$CY" run $march --host-threads 1 "$@" 2>&1; } # of faults in two workgroups the first one counts
same() { # ARGUMENT...: both engines print the same
    run loops.cl --engine interp "$@" | grep -E "^ +[0-9]+:|fault:|at  |where|work-item|source" > interp || true
    run loops.cl --engine jit "$@" | grep -E "^ +[0-9]+:|fault:|at  |where|work-item|source" > jit || true
    [ -s jit ] || fail "nothing was printed"
    cmp interp jit || { head interp jit; fail "$*"; }
}
for i in {0..63}; do
    echo $((i * 7 % 40)) >> from.txt
    echo $((i * 7 % 40 + i * 11 % 9)) >> to.txt
done
buffers=(--arg buffer:i32:4096=iota --arg buffer:i32:64 --arg buffer:i32=@from.txt --arg buffer:i32=@to.txt)
for kernel in up by_three down without_sign until columns; do
    same --kernel $kernel --global 64 --local 64 "${buffers[@]}" --arg 17 --print 1
done
same --kernel moved --global 64 --local 64 --arg buffer:i32:8192=iota "${buffers[@]:4}" --arg 3 --print 0
for by in 0 1 -1 2 3 -3 7 49 -49 10 641 65535 65536 65537 16777217 1431655765 2147483647 -2147483648 -2147483647 -2; do
    for k in {0..63}; do # near multiples of the divisor, and at both ends
        echo $(((by * (k - 8) + k % 3 - 1) << 32 >> 32))
        echo $(((2147483647 - k) << 32 >> 32))
        echo $(((2147483648 + k * k) << 32 >> 32))
        echo $(((by * 2654435761 * k + k) << 32 >> 32))
    done > dividends.txt
    same --kernel quotients --global 256 --local 64 --arg buffer:i32=@dividends.txt --arg buffer:i32:1024 --arg "$by" --print 1
done
for local in 64 24; do
    same --kernel parts --global 192 --local $local --arg buffer:u8:1024=random:5 --arg buffer:u8:768=random:6 --arg buffer:i32:192 --arg 9 --print 2
done
same --kernel exps --global 64 --local 64 --arg buffer:f32:64=iota --arg buffer:f32:64 --print 1
same --kernel tiles --global 32,32 --local 16,16 --arg buffer:u8:4096=iota --arg buffer:u8:4096 --arg 32 --print 1
run loops.cl --engine jit --kernel tiles --global 32,32 --local 16,16 --arg buffer:u8:4096 --arg buffer:u8:4096 --arg 32 > said
! grep interpreter said || fail "tiles was not translated"
for step in 1 2 5 8 16 24 32 48 64 96; do
    same --kernel butterfly --global 192 --local 96 --arg buffer:i32:384=iota --arg $step --print 0
done
for step in 1000 4096 1000000; do
    same --kernel butterfly --set guards=yes --global 192 --local 96 --arg buffer:i32:320=iota --arg $step
    grep -q "fault" jit || fail "no fault of butterfly"
done
for step in 1000 4096 1000000; do
    same --kernel twos --set guards=yes --global 192 --local 96 --arg buffer:i32:640=iota --arg $step
    grep -q "fault" jit || fail "no fault of twos"
done
for line in "7 60" "4000 -60" "0 9" "17 16" "50 0" "0 1073741824" "100 -1073741808"; do # the last two wrap around
    read -r start step <<< "$line"
    same --kernel lines --global 64 --local 64 --arg buffer:i32:4096=iota --arg buffer:i32:4096 --arg $start --arg $step --print 1
    same --kernel lines --global 60 --local 20 --arg buffer:i32:4096=iota --arg buffer:i32:4096 --arg $start --arg $step --print 1
done
for line in "7 100" "3000 -60" "4090 0"; do
    read -r start step <<< "$line"
    same --kernel lines --set guards=yes --global 64 --local 64 --arg buffer:i32:4096=iota --arg buffer:i32:4096 --arg $start --arg $step
    grep -q "fault" jit || fail "no fault of lines from $start by $step"
done
for i in {0..63}; do echo $((i * 37 % 64 * 15 - 500)); done > at.txt
sed "30s/.*/1023/; 7s/.*/-1000/" at.txt > at-ends.txt
[ $march = -march=ventus-gen2 ] || sed -i '64s/.*/2147483647/' at-ends.txt # wraps around
for local in 64 8 20; do
    for at in at.txt at-ends.txt; do
        same --kernel anywhere --global $((local * 3)) --local $local --arg buffer:i32:2060=random:3 --arg buffer:i32:192 --arg buffer:i32=@$at --arg 5 --print 1
    done
done
for line in 9:5000 9:-1100 33:99999999 33:-99999999 33:536870912; do # beyond either end
    sed "${line/:/s/.*/}/" at.txt > at-far.txt
    same --kernel anywhere --set guards=yes --global 64 --local 64 --arg buffer:i32:2060=random:3 --arg buffer:i32:64 --arg buffer:i32=@at-far.txt --arg 5
    grep -q "fault" jit || fail "no fault at $line"
done
same --kernel filter --global 1024 --local 128 --arg buffer:i16:1056=random:4 --arg buffer:i16:32=random:5 --arg buffer:i16:1024 --print 2
for last in 2147483640 2147483647; do
    same --kernel far_end --global 64 --local 64 --arg buffer:i32:64=iota --arg buffer:i32:64 --arg $((last - 700)) --arg $last --print 1
done

# one row that leaves the buffer: upwards, downwards, in columns
sed '41s/.*/50/' from.txt > far-from.txt
sed '41s/.*/99999/' to.txt > far-to.txt
sed '41s/.*/-7/' from.txt > below.txt
far=(--set guards=yes --global 64 --local 64 --arg buffer:i32:2048=iota --arg buffer:i32:64)
for kernel in up by_three without_sign until; do
    same --kernel $kernel "${far[@]}" --arg buffer:i32=@far-from.txt --arg buffer:i32=@far-to.txt --arg 1
    grep -q "fault" jit || fail "no fault of $kernel"
done
same --kernel down "${far[@]}" --arg buffer:i32=@below.txt --arg buffer:i32=@to.txt --arg 1
grep -q "fault" jit || fail "no fault downwards"
same --kernel columns "${far[@]}" --arg buffer:i32=@from.txt --arg buffer:i32=@to.txt --arg 100000000
grep -q "fault" jit || fail "no fault of columns"
