#!/bin/bash
# exchanges.sh [MARCH]: compare-exchanges, 64-bit atomic operations and what programs without them do are translated, and give the interpreter's results and faults.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
march=-march=${1:-ventus}
cd "$CY_TMP"
fail() { echo "exchanges.sh: $*"; exit 1; }
cat > exchanges.cl <<'CL'
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void sums(global const int *in, global uint *out) /* floats: small integers, whose sum has no order */
{
    uint i = get_global_id(0), old;
    volatile global uint *p = out + i % 3;
    do
        old = *p;
    while (atomic_cmpxchg(p, old, as_uint(as_float(old) + (float)(in[i] & 63))) != old);
}
kernel void sums_volatile(global const int *in, global uint *out) /* the words are volatile, and nobody exchanges values by them */
{
    local float part[4];
    uint i = get_global_id(0), l = get_local_id(0);
    volatile local float *p = &part[i & 3];
    union { uint bits; float value; } old, new;
    for (uint k = l; k < 4; k += get_local_size(0))
        part[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        old.value = *p;
        new.value = old.value + (in[i] & 63);
    } while (atomic_cmpxchg((volatile local uint *)p, old.bits, new.bits) != old.bits);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < 4; k += get_local_size(0))
        atomic_add(&out[k], (uint)part[k]);
}
kernel void sums_local(global const int *in, global uint *out)
{
    local uint part[4];
    uint i = get_global_id(0), l = get_local_id(0), old, seen;
    for (uint k = l; k < 4; k += get_local_size(0))
        part[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (old = part[i & 3]; (seen = atomic_cmpxchg(&part[i & 3], old, old + (in[i] & 1023))) != old; old = seen)
        ;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < 4; k += get_local_size(0))
        atomic_add(&out[k], part[k]);
}
kernel void each(global const int *in, global uint *out) /* some succeed */
{
    uint i = get_global_id(0);
    out[1024 + i] = atomic_cmpxchg(&out[i], in[i] & 1, i + 7);
    if (in[i] & 2)
        out[2048 + i] = atomic_cmpxchg(&out[i], i + 7, 5);
    out[3072 + i] = atomic_cmpxchg(&out[i], i + 7, 5);
}
kernel void weak(global const int *in, global uint *out)
{
    global atomic_int *p = (global atomic_int *)out + get_global_id(0) % 5;
    int seen = atomic_load(p), i = get_global_id(0);
    while (!atomic_compare_exchange_weak(p, &seen, seen + (in[i] & 255)))
        ;
    int own = 3;
    out[512 + i] = atomic_compare_exchange_strong((global atomic_int *)out + 1024 + i, &own, 9) + 2 * own;
}
kernel void some_add(global const int *in, global uint *out) /* few of those below a bound go on to a loop */
{
    uint i = get_global_id(0), old;
    if (i < 187) {
        out[64 + i] = i;
        if ((in[i] & 7) == 3)
            for (uint k = 0; k < i % 5; k++) {
                volatile global uint *p = out + (in[i + k] & 31);
                do
                    old = *p;
                while (atomic_cmpxchg(p, old, as_uint(as_float(old) + k)) != old);
            }
    }
}
kernel void insert(global const int *in, global uint *out) /* into a hash table, in which every key has a place of its own */
{
    uint key = in[get_global_id(0)] & 0xff | 1, at = key * 5;
    for (;; at = (at + 1) & 1023) {
        uint old = atomic_cmpxchg(&out[at & 1023], 0, key);
        if (old == 0 || old == key)
            break;
    }
}
kernel void most(global const int *in, global int *out) /* ends by what was read, too */
{
    uint i = get_global_id(0);
    volatile global int *p = out + i % 3;
    for (int old = *p, seen; old < (in[i] & 0xffff); old = seen)
        if ((seen = atomic_cmpxchg(p, old, in[i] & 0xffff)) == old)
            break;
}
kernel void most_do(global const int *in, global int *out) /* LLVM merges the ways out of it */
{
    uint i = get_global_id(0);
    volatile global int *p = out + i % 5;
    int old = *p, assumed;
    do {
        assumed = old;
        if (assumed >= (in[i] & 0xffff))
            break;
        old = atomic_cmpxchg(p, assumed, in[i] & 0xffff);
    } while (assumed != old);
    p[16] = 1; /* no lock is released here */
}
int raise(volatile global int *p, float x)
{
    int old = *p;
    for (;;) {
        if (as_float(old) >= x)
            return 0;
        int seen = atomic_cmpxchg(p, old, as_int(x));
        if (seen == old)
            return 1;
        old = seen;
    }
}
kernel void most_float(global const int *in, global int *out)
{
    raise(out + get_global_id(0) % 7, (float)(in[get_global_id(0)] & 255));
}
kernel void longs_most(global const int *in, global long *out)
{
    uint i = get_global_id(0);
    long x = in[i] * 12345678901l, old = out[i % 3], seen;
    for (; old < x; old = seen)
        if ((seen = atom_cmpxchg(&out[i % 3], old, x)) == old)
            break;
}
kernel void flag(global const int *in, global int *out) /* waits: for the word to be zero */
{
    volatile global int *p = out;
    int old;
    do
        old = *p;
    while (old != 0 || atomic_cmpxchg(p, old, 1) != old);
    *p = 0;
}
kernel void stale(global const int *in, global int *out) /* waits: for what it has once seen; a lock where that is known */
{
    volatile global int *p = out;
    int old = in[0] & 0, seen;
    for (seen = 1; old < 5; seen++)
        if (atomic_cmpxchg(p, old, 1) == old)
            break;
    *p = 0;
}
kernel void states(global const int *in, global int *out) /* waits: its state is a variable, */
{
    int state = 0;
    while (state != 2)
        if (atomic_xchg(&out[state], 1) == 0 && ++state == 2) {
            atomic_xchg(&out[1], 0);
            atomic_xchg(&out[0], 0);
        }
}
kernel void flags(global const int *in, global int *out) /* or a word of its own; a lock where that is seen */
{
    uint i = 8 + get_global_id(0) % 32;
    out[i] = 0;
    while (!out[i])
        if (atomic_xchg(out, 1) == 0) {
            atomic_xchg(out, 0);
            out[i] = 1;
        }
}
kernel void insert_local(global const int *in, global uint *out) /* the table's size is a number */
{
    local uint table[64];
    for (uint k = get_local_id(0); k < 64; k += get_local_size(0))
        table[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint key = in[get_global_id(0)] & 31 | 1, at = key;
    for (uint old; (old = atomic_cmpxchg(&table[at], 0, key)) != 0 && old != key;)
        at = (at + 1) & 63;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_id(0); k < 64; k += get_local_size(0))
        atomic_add(&out[k & 15], table[k] != 0);
}
kernel void append(global const int *in, global int *out, global const uint *ends) /* what it stores is not where the list ends */
{
    local int count, found[512];
    uint i = get_global_id(0);
    count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = i; k < ends[i & 7]; k++)
        if (atomic_cmpxchg(&out[in[k] & 255], 0, 1) == 0)
            found[atomic_inc(&count) & 511] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(&out[256], count);
}
kernel void longs(global const int *in, global long *out)
{
    uint i = get_global_id(0);
    long x = in[i] * 12345678901l, seen, old = out[i % 3];
    while ((seen = atom_cmpxchg(&out[i % 3], old, old + x)) != old)
        old = seen;
}
kernel void longs_each(global const int *in, global long *out)
{
    uint i = get_global_id(0);
    long x = in[i] * 12345678901l;
    out[512 + i] = atom_cmpxchg(&out[1024 + i], (long)(in[i] & 1) << 40, x);
    out[1536 + i] = atom_cmpxchg(&out[1024 + i], x, 4l);
}
kernel void longs_local(global const int *in, global long *out)
{
    local long part[256];
    uint i = get_global_id(0), l = get_local_id(0);
    part[l] = in[i] & 3;
    out[i] = atom_cmpxchg(&part[l], 2l, 1l << 35 | i);
    atom_add(&part[l], -7l);
    out[512 + i] = part[l];
}
kernel void operations(global const int *in, global long *out)
{
    uint i = get_global_id(0);
    long x = (long)in[i] << 13 ^ in[i] * 5;
    atom_add(&out[0], x);
    atom_sub(&out[1], x);
    atom_min(&out[2 + i % 2], x);
    atom_max(&out[4 + i % 2], x);
    atom_and(&out[6 + i % 3], x);
    atom_or(&out[9], x);
    atom_xor(&out[10 + i % 2], x);
    out[512 + i] = atom_xchg(&out[1024 + i], x) + atom_inc(&out[1536 + i]) + atom_dec(&out[1536 + i]);
    atom_min((global ulong *)&out[12 + i % 2], (ulong)x);
    if (in[i] & 1)
        atom_max((global ulong *)&out[14 + i % 2], (ulong)x);
}
kernel void null(global const int *in, global uint *out, uint distance) { atomic_cmpxchg(out + get_global_id(0) * distance, 0, 1); }
kernel void odd(global const int *in, global char *out, uint distance) /* is it aligned? */
{
    atomic_cmpxchg((global uint *)(out + get_global_id(0) * distance), 0, 1);
}
kernel void last_steps(global const int *in, global int *out) /* lanes of a warp exchange values without a barrier */
{
    local volatile int s[64];
    int t = get_local_id(0), sum = 0;
    s[t] = in[get_global_id(0)] & 1023;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    for (int i = 0; i < 64; i++)
        sum += in[get_group_id(0) * 64 + i] & 1023;
    if (t == 0)
        out[get_group_id(0)] = s[0] - sum;
}
kernel void warp_rows(global const int *in, global int *out)
{
    local int part[64];
    volatile local int *mine = part;
    int t = get_local_id(0), id = t & 31, row = get_global_id(0) / 32, sum = 0;
    mine[t] = in[get_global_id(0)] & 1023;
    for (int step = 16; step; step /= 2)
        if (id < step)
            mine[t] += mine[t + step];
    for (int i = 0; i < 32; i++)
        sum += in[row * 32 + i] & 1023;
    if (id == 0)
        out[row] = mine[t] - sum;
}
kernel void counts(global const int *in, global uint *out) /* each stores its number until it finds it there */
{
    local uint bins[2][8];
    uint t = get_local_id(0), tag = t << 27, x = in[get_global_id(0)], n;
    volatile local uint *mine = bins[t >> 5];
    if (t < 16)
        bins[t / 8][t % 8] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        n = tag | ((mine[x & 7] & 0x7ffffff) + 1);
        mine[x & 7] = n;
    } while (mine[x & 7] != n);
    out[256 + get_global_id(0)] = n;
    do {
        n = tag | ((mine[x >> 3 & 7] & 0x7ffffff) + 1);
        mine[x >> 3 & 7] = n;
    } while (mine[x >> 3 & 7] != n);
    out[512 + get_global_id(0)] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 16)
        out[get_group_id(0) * 16 + t] = bins[t / 8][t % 8];
}
kernel void clashes(global const int *in, global uint *out) /* a count may reach the tag, of some lanes; two lanes have the same tag */
{
    local uint bins[2][4];
    uint t = get_local_id(0), tag = t << 2, pair = t >> 1 << 8, x = in[get_global_id(0)], n;
    volatile local uint *mine = bins[t >> 5];
    if (t < 8)
        bins[t / 4][t % 4] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        n = tag | ((mine[x & 3] & 3) + 1);
        mine[x & 3] = n;
    } while (mine[x & 3] != n);
    out[256 + get_global_id(0)] = n;
    if (x & 16) {
        do {
            n = (tag << 3) | ((mine[x >> 2 & 3] & 7) + 3);
            mine[x >> 2 & 3] = n;
        } while (mine[x >> 2 & 3] != n);
        out[512 + get_global_id(0)] = n;
    }
    do {
        n = pair | ((mine[x >> 5 & 3] & 255) + 1);
        mine[x >> 5 & 3] = n;
    } while (mine[x >> 5 & 3] != n);
    out[768 + get_global_id(0)] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 8)
        out[get_group_id(0) * 8 + t] = bins[t / 4][t % 4];
}
kernel void one_stores(global const int *in, global int *out) /* waits: for a value that another work-item stores */
{
    volatile global int *p = out;
    do
        if (get_global_id(0) == 63)
            *p = 1;
    while (*p != 1);
}
constant int fixed[] = {1, 2, 3, 4};
kernel void readable(global const int *in, global int *out, int expected) /* but not writable */
{
    uint i = get_global_id(0);
    out[i] = atomic_cmpxchg((volatile global int *)(size_t)&fixed[i & 3], expected, 5);
}
CL
"$CY" cc $march -cl-std=CL3.0 exchanges.cl -o exchanges.elf
launch() { # ENGINE KERNEL LOCAL RESULT [ARGUMENT]...
    local engine=$1 kernel=$2 size=$3 result=$4
    shift 4
    "$CY" run exchanges.elf --engine "$engine" --kernel "$kernel" --global 192 --local "$size" --set sms=1 \
        --arg buffer:i32:192=random:9 --arg "buffer:$result:4096" --out "1=$engine.raw" "$@" > "$engine.said" 2> "$engine.notes"
}
for kernel in sums some_add sums_volatile sums_local each weak insert insert_local most most_do most_float longs longs_most longs_each longs_local operations counts clashes; do
    result=u32
    [[ $kernel != longs* && $kernel != operations ]] || result=i64
    for local in 64 48 30; do
        launch interp $kernel $local $result || { cat interp.notes; exit 1; }
        launch jit $kernel $local $result || { cat jit.notes; exit 1; }
        cmp interp.raw jit.raw || fail "$kernel, local size $local: results"
        ! grep note: jit.notes || fail "$kernel was not translated"
    done
done
for engine in interp jit; do
    launch $engine append 64 i32 --arg buffer:u32:8=120 || { cat $engine.notes; exit 1; }
done
cmp interp.raw jit.raw || fail "append: results"
! grep note: jit.notes || fail "append was not translated"
for kernel in last_steps warp_rows; do # differences from a sum in order
    for engine in interp jit; do
        launch $engine $kernel 64 i32 || { cat $engine.notes; exit 1; }
        cmp $engine.raw <(head -c 16384 /dev/zero) || fail "$kernel: results of $engine"
    done
    ! grep note: jit.notes || fail "$kernel was not translated"
done
CHENGYING_ENGINE=jit "$CY" run exchanges.elf --engine jit --kernel longs --global 64 --arg buffer:i32:64 --arg buffer:i64:4096 > said 2>&1
! grep -i interpreter said || fail "the interpreter executed some of it"
"$CY" cc $march -O0 -cl-std=CL3.0 exchanges.cl -o unoptimised.elf
for kernel in flag stale states flags one_stores; do
    for code in exchanges unoptimised; do
        [[ $kernel != flags && $kernel != stale ]] || [ $code = unoptimised ] || continue # a lock, released in the same turn
        "$CY" run $code.elf --engine jit --kernel $kernel --global 64 --local 64 --arg buffer:i32:64 --arg buffer:i32:64 > said 2>&1 ||
            { cat said; fail "$kernel"; }
        grep -q note: said || fail "$kernel was translated, whose work-items wait ($code)"
    done
done
fault() { # KERNEL RESULT ARGUMENT
    for engine in interp jit; do
        ! launch $engine "$1" 64 "$2" --arg "$3" || fail "$1 did not fault"
        grep -E "^(fault|error)|^  (at|work-item)" $engine.notes > $engine.fault
    done
    cmp interp.fault jit.fault || { cat interp.fault jit.fault; fail "$1: faults"; }
}
fault null u32 5000
fault odd u32 6
fault readable i32 3
launch jit readable 64 i32 --arg 9 || { cat jit.notes; fail "it is only read"; }
echo "compare-exchanges and 64-bit atomics are the interpreter's"
