#!/bin/bash
# single.sh [TARGET]: strips of one work-item, whose values are numbers and whose inner loops LLVM makes vectors of: the interpreter's bits,
# also where what is stored is loaded again a few turns later, and its faults.
set -euo pipefail
march=-march=${1:-ventus}
export CHENGYING_COMPILE_SECONDS=600
cd "$CY_TMP"
fail() { echo "$1"; exit 1; }

cat > single.cl <<'CL'
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
/* The second round finds in the sites what the first one was allowed: it runs without checks. */
#define ROUNDS for (int r = 0; r < 3; r++)
kernel void moved(global float *a, int n, int to) /* to > 0: each turn may load what an earlier one has stored */
{
    ROUNDS for (int i = 8; i < n - 8; i++) a[i + to] = a[i] * 1.25f + a[i - 1] - r;
}
kernel void stencil(global const float *a, global float *b, int n)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}
kernel void doubles(global const double *a, global double *b, int n)
{
    ROUNDS for (int i = 1; i < n - 1; i++) b[i] = a[i] * a[i - 1] - a[i + 1] / 3 + b[i];
}
kernel void longs(global const ulong *a, global ulong *b, int n)
{
    ROUNDS for (int i = 0; i < n; i++) b[i] += a[i] * 0x123456789abcdefUL ^ b[n - 1 - i] >> (a[i] & 63);
}
kernel void bytes(global const uchar *a, global uchar *b, int n)
{
    ROUNDS for (int i = 0; i < n; i++) b[i] = a[i] > 100 ? add_sat(a[i], (uchar)(r * 50)) : b[i] / 2;
}
kernel void some(global const float *a, global float *b, int n) /* stores in some turns only */
{
    ROUNDS for (int i = 0; i < n; i++) if (a[i] > n / 3) b[i] = sqrt(a[i]) + b[i];
}
kernel void sums(global const int *a, global int *b, int n)
{
    int sum = 0, most = INT_MIN, all = -1, any = 0;
    uint least = UINT_MAX;
    ROUNDS for (int i = 0; i < n; i++) {
        sum += a[i] * r;
        most = max(most, a[i]);
        least = min(least, (uint)a[i]);
        all &= a[i] | r;
        any |= a[i];
    }
    b[0] = sum, b[1] = most, b[2] = (int)least, b[3] = all, b[4] = any;
}
kernel void order(global const float *a, global float *b, int n) /* of floating point: it shows */
{
    float sum = 0, most = -INFINITY;
    ROUNDS for (int i = 0; i < n; i++) {
        sum += a[i] * 0.1f;
        most = fmax(most, fabs(a[i] - 100));
    }
    b[0] = sum, b[1] = most;
}
kernel void pairs(global const float2 *a, global float2 *b, int n)
{
    ROUNDS for (int i = 0; i < n / 2; i++) {
        float2 x = a[i];
        b[i] = (float2)(x.x * x.x - x.y * x.y, 2 * x.x * x.y + b[i].x);
    }
}
kernel void nans(global const uint *a, global uint *b, int n) /* of all kinds, through arithmetic, and copied */
{
    ROUNDS for (int i = 0; i < n; i++) {
        float x = as_float(a[i] << 20 | 0x7f800000 | (a[i] & 15));
        b[3 * i] = as_uint(x * 1.0f + r);
        b[3 * i + 1] = as_uint(r ? fmax(x, (float)i) : -x);
        b[3 * i + 2] = as_uint(x);
    }
}
kernel void groups(global const float *a, global float *b, int n) /* as many as rows, each with local and private memory */
{
    local float row[64];
    float own[16];
    const int g = get_group_id(0);
    for (int i = 0; i < 64; i++)
        row[i] = a[(g * 64 + i) % n] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++)
        own[(i * 7) & 15] = row[4 * i] + row[63 - i] + get_local_id(0) + get_num_groups(0);
    ROUNDS for (int i = 0; i < 64; i++) b[g * 64 + i] = row[63 - i] + own[i & 15] + (r ? b[g * 64 + (i ^ 1)] : 0);
}
kernel void mirrored(global const float *a, global float *b, int n)
{
    ROUNDS for (int i = 0; i < n; i++) b[i] = a[n - 1 - i] + b[i] * r;
}
kernel void counters(global const int *a, global int *b, int n) /* atomic operations, and some that wait for nobody else */
{
    local int l;
    l = 1;
    for (int i = 0; i < n; i++) {
        atomic_add(&b[a[i] & 63], i);
        atomic_max(&l, a[i]);
        if (atomic_cmpxchg(&b[64 + (i & 7)], 0, i) == 0)
            atomic_inc(&b[80]);
    }
    b[81] = l + atomic_xchg(&b[82], 5) + sub_group_reduce_add(a[3]) + work_group_scan_inclusive_add(7);
    volatile local int *v = &l;
    *v = *v + 1;
    b[83] = *v;
}
CL
run() { "$CY" run "$march" --host-threads 1 "$@" 2>&1; }
levels="best sse2 avx2"
source=single.cl
same() { # ARGUMENT...: both engines print the same
    run $source --engine interp "$@" | grep -E "^ +[0-9]+:|fault:|at  |where|work-item|source" > interp || true
    for level in $levels; do
        run $source --engine jit --set engine-level=$level "$@" > said || true
        ! grep -q "engine-level" said || continue # not on this processor
        grep -E "^ +[0-9]+:|fault:|at  |where|work-item|source" said > jit || true
        [ -s jit ] || { cat said; fail "nothing was printed"; }
        ! grep interpreter said || fail "not translated: $*"
        cmp interp jit || { diff interp jit | head; fail "$level: $*"; }
    done
}
for n in 333 20; do
    for to in -8 0 1 3 8; do
        same --kernel moved --global 1 --local 1 --arg buffer:f32:400=iota --arg $n --arg=$to --print 0
    done
    for kernel in "doubles f64" "longs u64" "bytes u8" "some f32" "sums i32" "order f32" "pairs f32" "mirrored f32"; do
        set -- $kernel
        same --kernel "$1" --global 1 --local 1 --arg "buffer:$2:400=random:7" --arg "buffer:$2:400=iota" --arg $n --print 1
    done
    levels=best
done
same --kernel stencil --global 1 --local 1 --arg buffer:f32:1600=random:3 --arg buffer:f32:1600 --arg 40 --print 1
same --kernel nans --global 1 --local 1 --arg buffer:u32:100=random:5 --arg buffer:u32:300 --arg 100 --print 1
same --kernel groups --global 30 --local 1 --arg buffer:f32:400=random:9 --arg buffer:f32:1920 --arg 400 --print 1
same --kernel counters --global 3 --local 1 --arg buffer:i32:400=random:9 --arg buffer:i32:100 --arg 400 --print 1
source=$CY_SOURCE/bench/opencl/programs/vm_bytecode.cl
"$CY_PYTHON" -c 'import random, sys; random.seed(4); sys.stdout.buffer.write(bytes(random.choices(range(16), k=4096)))' > code
for items in "192 64" "100 64" "77 77" "45 8"; do # strips of one of several work-items, some of which do not exist
    set -- $items
    same --global "$1" --local "$2" --arg buffer:u8=@code --arg buffer:i32:192 --arg 50 --print 1
done
source=single.cl
for kernel in moved some stencil mirrored; do # beyond the buffer, in the middle of a row
    case $kernel in
    moved) set -- --arg buffer:f32:4000=iota --arg 400000 --arg=3 ;;
    some) set -- --arg buffer:f32:400000=iota --arg buffer:f32:4000 --arg 4100 ;;
    stencil) set -- --arg buffer:f32:16000=iota --arg buffer:f32:4000 --arg 90 ;;
    mirrored) set -- --arg buffer:f32:4000=iota --arg buffer:f32:8000 --arg 4100 ;;
    esac
    same --set guards=yes --kernel $kernel --global 1 --local 1 "$@"
    grep -q "fault" jit || fail "no fault of $kernel"
done
