#!/bin/bash
# engine.sh [TARGET]: which engine runs what, and what it says; faults are the interpreter's; the cache survives damage.
set -euo pipefail
march=-march=${1:-ventus}
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
cp tests/jit/forms.cl "$CY_TMP"
cd "$CY_TMP"
fail() { echo "$1"; exit 1; }

cat > fill.cl <<'CL'
kernel void fill(global int *out, int n) { int i = get_global_id(0); if (i < n) out[i] = 3 * i; }
kernel void count(global int *sum) { atomic_inc(sum); }
kernel void each(global int *n) { atomic_inc(n + get_group_id(0)); }
kernel void lock(global int *held, int n) { for (int i = 0; i < n && atomic_xchg(held, 1) != 0; i++) ; }
kernel void queue(global int *next, global int *out, int n) { for (int i; (i = atomic_add(next, 1)) < n;) out[i] = i; }
kernel void batches(global int *next, global int *out, int n) /* the inner loop's length was read before it */
{
    for (int first; (first = atomic_add(next, 4)) < n;)
        for (int i = first; i < first + 4; i++)
            out[i] = i;
}
kernel void slots(global volatile int *p, global int *out, int n) /* looks elsewhere in each turn */
{
    int i = 0;
    while (i < n && p[i] != 2)
        i++;
    out[get_global_id(0)] = i;
}
kernel void turns(global volatile int *p, global int *out, int n) /* may look at the same place again */
{
    for (int i = 0; i < n;)
        if (p[i])
            i++;
    out[get_global_id(0)] = n;
}
kernel void paired(global int *p, int n) /* takes back what it has counted */
{
    for (int i = 0; i < n && atomic_add(p, -1) <= 0; i++)
        atomic_add(p, 1);
}
kernel void watch(global volatile int *flag, global int *n) { while (*flag == 0) {} atomic_inc(n); }
kernel void fenced(global int *flag, global int *n) { while (*flag == 0) mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_inc(n); }
kernel void sieve(global int *p, global int *n, int end)
{
    for (int i = 0, found = 0; i < end; i++)
        if (atomic_or(p + i, 1) == 0 && found++ < 5)
            atomic_inc(n + i);
}
kernel void flagged(global int *p, global int *n)
{
    for (int done = 0; !done;)
        if (atomic_xchg(p, 1) == 0) {
            n[0]++;
            atomic_xchg(p, 0);
            done = 1;
        }
}
kernel void kept(global int *p, global int *n) /* one that gets the lock may keep it for a turn */
{
    for (int done = 0, has = 0; !done;)
        if (has || atomic_xchg(p, 1) == 0) {
            if (has++) {
                n[0]++;
                atomic_xchg(p, 0);
                done = 1;
            }
        }
}
kernel void search(global const int *in, global int *n) { int k = get_global_id(0); while (in[k] == 0) k++; atomic_add(n, k); }
kernel void live(global float *out, global const float *in, local float *tmp, int n)
{
    size_t i = get_global_id(0);
    tmp[get_local_id(0)] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = exp(tmp[get_local_id(0)]) + in[i] * n + in[(i * 5) & 31] + clamp(in[i], 0.0f, 1.0f);
}
kernel void rows(global const float *in, global float *out, int n, int last)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += in[(last ? 63 - i : i) * n + k];
    out[i * n] = sum;
}
kernel void exps(global uint *out, global const uint *in)
{
    uint i = get_global_id(0);
    out[i] = as_uint(exp(as_float(i < 28 ? in[i] : i * 1048583)));
    if (i & 4) out[i] ^= as_uint(exp(as_float(0x3f800000 + i * 2047)));
    if (i & 8) out[i] ^= as_uint(exp(-fabs(as_float(0x3f800000 + i * 1031))));
}
kernel void ends(global int *out, global const int *from, global const int *limits)
{
    uint i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 63; k++) {
        uint up = from[k / 9] + i, down = from[k / 9] - 3 * i;
        int limit = limits[k % 9];
        if ((int)up < limit) sum += 1;
        if ((int)down >= limit) sum ^= 2 * k;
        if (up > (uint)limit) sum += 4;
        if (limit <= (int)up && up != from[0] + 9) sum ^= 8;
        if (down == (uint)limit || (int)up < 7) sum *= 5;
        if (!((uint)limit >= down) && out[64] == 0) sum += 3;
    }
    out[i] = sum;
}
kernel void added(global int *p, global int *out)
{
    size_t i = get_global_id(0);
    p[i] = 5;
    atomic_add(p + i, (int)i);
    out[i] = p[i];
}
kernel void swap(global int *p, global int *out)
{
    size_t i = get_global_id(0);
    int seen = atomic_cmpxchg(p + i, (int)(i & 3), 77);
    out[i] = i & 1 ? seen + 1000 : atomic_cmpxchg(p + i, 77, 5);
}
kernel void rounded(global float *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 100 * convert_int_rtp(in[i] * 9) + convert_int_rtn(in[i] * 9);
}
kernel void retry(global uint *p, global uint *in)
{
    uint x = in[get_global_id(0)], old = *p, seen;
    do
        seen = old;
    while ((old = atomic_cmpxchg(p, seen, seen + x * x)) != seen);
}
kernel void diagonal(global int *out, local int *tile, int below)
{
    int x = get_local_id(0);
    tile[x * 17] = tile[x * 17 + 16] = x;
    for (int step = 0; step < 64; step++) {
        int y = step - x;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x > 1 && y >= 0 && y < below)
            tile[y * 17 + x] += y ? tile[(y - 1) * 17 + x + 1] + x * y : x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = 0; y < 16; y++)
        out[16 * y + x] = tile[17 * y + x];
}
kernel void pixels(global const uchar *in, global uchar *out, int from, int to)
{
    int i = get_global_id(0);
    vstore3(vload3(i + from, in), i + to, out);
}
kernel void spin(global uint *out) { uint x = out[0]; while (x != 7) x = x * 2 + 4; out[1] = x; }
CL
run() { "$CY" run $march "$@" 2>&1; }
says() { # TEXT ARGUMENT...: that is what a run says, whether it succeeds or not
    local text=$1
    shift
    run "$@" > said || true
    grep -q -- "$text" said || { cat said; fail "'$text' was not said"; }
}
args=(--kernel fill --global 100 --local 32 --arg buffer:i32:100 --arg 100 --print 0:100)

# the same bits, from both, and no word about the interpreter
run fill.cl --engine interp "${args[@]}" > interp
run fill.cl --engine jit "${args[@]}" > jit
cmp interp jit

# values in registers outlive the calls of helpers, whole
live=(--kernel live --global 32 --local 32 --arg buffer:f32:32 --arg buffer:f32:32=iota --arg local:128 --arg 7 --print 0)
run fill.cl --engine interp "${live[@]}" > interp
run fill.cl --engine jit "${live[@]}" > jit
cmp interp jit

# what an atomic operation changes is not what was stored before it
added=(--kernel added --global 64 --local 32 --arg buffer:i32:64 --arg buffer:i32:64 --print 1)
run fill.cl --engine interp "${added[@]}" > interp
run fill.cl --engine jit "${added[@]}" > jit
cmp interp jit

# what has no translation is left to the interpreter, not the whole kernel; loops that only repeat are no waiting
for launch in "swap i32 1" "rounded f32 1" "retry u32 0"; do
    set -- $launch
    to=$2
    [ "$1" != rounded ] || to=i32
    set -- "$1" "$3" --kernel "$1" --global 100 --local 50 --arg "buffer:$2:100=iota" --arg "buffer:$to:100=iota"
    run fill.cl --engine interp "${@:3}" --print "$2" > interp
    run fill.cl --engine jit "${@:3}" --print "$2" > jit
    cmp interp jit
done

# NaNs with other bits than ours become ours, also where LLVM finds out that an operation changes nothing else
cat > neutral.s <<'S'
    .ventus_kernel k, vgpr=64, sgpr=64, lds=0, pds=0
    .section .cy.lanes,"",@progbits
    .asciz "k"
    .text
k:
    lw a1, 0(a0)
    lw a2, 4(a0)
    vid.v v0
    vsll.vi v1, v0, 2
    vluxei32.v v8, (a1), v1
    vxor.vv v9, v8, v8
    vfsub.vv v10, v8, v9    # x - 0
    vsuxei32.v v10, (a2), v1
    lui t2, 0x3f800
    vadd.vx v9, v9, t2
    vfmul.vv v10, v8, v9    # x * 1
    addi a2, a2, 128
    vsuxei32.v v10, (a2), v1
    vxor.vv v10, v8, v8
    lui t2, 0x80000
    vadd.vx v10, v10, t2
    vfmacc.vv v10, v8, v9   # x * 1 + -0
    addi a2, a2, 128
    vsuxei32.v v10, (a2), v1
    endprg x0, x0, x0
S
printf '%s\n' 2139095041 4290847557 2143289345 1065353216 2147483648 0 2139095040 1 > nans.txt
neutral=(--global 32 --local 32 --arg buffer:u32=@nans.txt --arg buffer:u32:96 --print 1)
for _ in 1 2; do cat nans.txt nans.txt > more.txt && mv more.txt nans.txt; done
run neutral.s --engine interp "${neutral[@]}" > interp
run neutral.s --engine jit "${neutral[@]}" > jit
cmp interp jit

# rows whose width is an argument, upwards and downwards; one that is too wide faults in the same lane
for n in 1 5 7 33; do
    for last in 0 1; do
        rows=(--kernel rows --global 64 --local 64 --arg buffer:f32:2200=iota --arg buffer:f32:2200 --arg $n --arg $last --print 1)
        run fill.cl --engine interp "${rows[@]}" > interp
        run fill.cl --engine jit "${rows[@]}" > jit
        cmp interp jit
    done
done
rows=(--kernel rows --global 64 --local 64 --arg buffer:f32:2200=iota --arg buffer:f32:2200 --arg 100000000 --arg 0 --set guards=yes)
run fill.cl --engine interp "${rows[@]}" | grep -E "fault:|at  |where|work-item|source" > interp || true
run fill.cl --engine jit "${rows[@]}" | grep -E "fault:|at  |where|work-item|source" > jit || true
grep -q "fault" jit || fail "no fault"
cmp interp jit

# lanes that are not active may be outside of local memory, active ones may not
for below in 16 33; do
    tile=(--kernel diagonal --global 16 --local 16 --arg buffer:i32:256 --arg local:1088 --arg $below --print 0)
    run fill.cl --engine interp "${tile[@]}" | grep -E "^ +[0-9]+:|fault:|at  |where|work-item|source" > interp || true
    run fill.cl --engine jit "${tile[@]}" | grep -E "^ +[0-9]+:|fault:|at  |where|work-item|source" > jit || true
    [ "$(grep -c fault jit)" = $((below / 32)) ] || { cat jit; fail "no fault, or one too many"; }
    cmp interp jit
done

# conditions that the first and the last lane decide, unless the numbers of the lanes wrap around
printf '%s\n' 0 5 40 2147483640 -2147483640 -8 -1 > from.txt
printf '%s\n' 0 1 13 48 62 2147483647 -2147483648 -1 -7 > limits.txt
ends=(--kernel ends --global 64 --local 64 --arg buffer:i32:65 --arg buffer:i32=@from.txt --arg buffer:i32=@limits.txt --print 0)
run fill.cl --engine interp "${ends[@]}" > interp
run fill.cl --engine jit "${ends[@]}" > jit
cmp interp jit

# e^x: no normal result, limits, and values so near the middle between two floats that doubles do not decide
printf '%d\n' 0 0x80000000 1 0x807fffff 0x7f800000 0xff800000 0x7fc00001 0xffc12345 0x7f800001 0x42b17217 0x42b17218 \
    0x42b17219 0xc2aeac4f 0xc2aeac50 0xc2aeac51 0xc2cff1b4 0xc2cff1b5 0xc2d00000 0x33800000 0x33000000 0xb3000000 0x33800001 \
    0xbbf0edf1 0x3d1a274e 0xc16912cd 0x42b00000 0xc2ae0000 0x3f800000 > exps.txt
exps=(--kernel exps --global 4096 --local 64 --arg buffer:u32:4096 --arg buffer:u32=@exps.txt --print 0)
run fill.cl --engine interp "${exps[@]}" > interp
run fill.cl --engine jit "${exps[@]}" > jit
cmp interp jit

# lanes whose numbers wrap around, lanes in several buffers, vectors, doubles
cat > lanes.cl <<'CL'
kernel void below(global const int *in, global int *out, uint n, uint by)
{
    uint i = get_global_id(0), k = i - by;
    int sum = 0;
    if (k < n)
        sum = in[k] + in[k + 1];
    if ((i & 3) != 3)
        sum += in[(i + 1) % n];
    out[i] = sum;
}
kernel void both(global const int *a, global const int *b, global int *out)
{
    int i = get_global_id(0);
    global const int *from = i & 1 ? a : b;
    out[i] = from[i] + from[i / 3];
}
kernel void apart(global int *a, global int *b)
{
    size_t i = get_global_id(0);
    global int *to = i % 5 < 2 ? a : b;
    to[i] = (int)i;
}
kernel void vectors(global const float4 *in, global float4 *out, global double2 *d)
{
    size_t i = get_global_id(0);
    float4 keep[3];
    for (int k = 0; k < 3; k++)
        keep[k] = in[(i + k) % 70] * (k + 1);
    out[i] = keep[i % 3] + keep[2];
    d[i] = d[i] * d[i].yx + convert_double2(in[i].xy);
}
CL
in="--arg buffer:i32:100=iota"
for local in 98 32 7; do
    for lanes in "below $in --arg buffer:i32:100 --arg 99 --arg 37 --print 1" "apart $in $in --print 0 --print 1" \
        "both $in --arg buffer:i32:100=ones --arg buffer:i32:100 --print 2" \
        "vectors --arg buffer:f32:400=iota --arg buffer:f32:400 --arg buffer:f64:200=iota --print 1 --print 2"; do
        run lanes.cl --engine interp --global 98 --local $local --kernel $lanes > interp
        run lanes.cl --engine jit --global 98 --local $local --kernel $lanes > jit
        cmp interp jit
    done
done

# what is not translated says why
says "interpreter ran 'lock': its lanes are not" fill.cl --engine jit --kernel lock --global 32 --arg buffer:i32:1 --arg 9
for kernel in watch fenced; do
    says "interpreter ran '$kernel': its lanes are not" fill.cl --engine jit --kernel $kernel --global 32 \
        --arg buffer:i32:1=ones --arg buffer:i32:1
done
says "interpreter ran 'turns': its lanes are not" fill.cl --engine jit --kernel turns --global 32 --arg buffer:i32:4=ones \
    --arg buffer:i32:32 --arg 4
says "interpreter ran 'kept': its lanes are not" fill.cl --engine jit --kernel kept --global 32 --arg buffer:i32:1 --arg buffer:i32:1
says "interpreter ran 'paired': its lanes are not" fill.cl --engine jit --kernel paired --global 32 --arg buffer:i32:1 --arg 3
# what counts on by itself, or looks elsewhere in each turn, does not wait
for kernel in queue batches; do
    says "0: 0 1 2 3 4 5 6 7" fill.cl --engine jit --kernel $kernel --global 64 --local 32 --arg buffer:i32:1 --arg buffer:i32:8 \
        --arg 8 --print 1
    ! grep -q interpreter said
done
says "0: 2 2 2 2" fill.cl --engine jit --kernel slots --global 4 --arg buffer:i32:9=iota --arg buffer:i32:4 --arg 9 --print 1
! grep -q interpreter said
# who gets a lock and releases it in the same turn needs nobody else
for threads in 1 2; do
    says "0: 10000" fill.cl --engine jit --kernel flagged --host-threads $threads --sms 8 --global 10000 --local 50 --arg buffer:i32:1 \
        --arg buffer:i32:1 --print 1
    ! grep -q interpreter said
done
# one that goes on whatever atomic operations find does not wait
says "0: 1 1 1 1 1" fill.cl --engine jit --kernel sieve --global 64 --arg buffer:i32:5 --arg buffer:i32:5 --arg 5 --print 1
! grep -q interpreter said
# a loop that reads memory which nobody may change meanwhile does not wait
says "0: 7" fill.cl --engine jit --kernel search --global 4 --arg buffer:i32:9=iota --arg buffer:i32:1 --print 1
! grep -q interpreter said
# switches of many cases and many barriers are translated, too
for kernel in cases steps; do
    says "0:" forms.cl --engine jit --kernel $kernel --global 256 --local 64 --arg buffer:i32:1024=iota --arg buffer:i32:1024 --print 1
    ! grep -q interpreter said
done
# threads have ranges of workgroups and take from each other's: none is left out, none runs twice
for threads in 2 3 8; do
    for groups in 1000 3001; do
        "$CY" run $march --no-progress fill.cl --engine jit --kernel each --host-threads $threads --sms 8 \
            --global $((groups * 64 - 32)) --local 64 --arg "buffer:i32:$groups" --out 0=each.txt
        [ "$(tr -s ' ' '\n' <each.txt | sort | uniq -c | xargs)" = "1 32 $((groups - 1)) 64" ] ||
            fail "$groups workgroups on $threads threads: $(tr -s ' ' '\n' <each.txt | sort | uniq -c)"
    done
done
says "0: 1000" fill.cl --engine jit --kernel count --global 1000 --local 50 --arg buffer:i32:1 --print 0
! grep -q interpreter said
says "interpreter ran 'fill': a deterministic device" fill.cl --engine jit --deterministic "${args[@]}"
says "needs interp, jit, auto or verify" fill.cl --engine nonsense "${args[@]}"

# bytes that are accessed together, of which some are beyond a buffer: of loads and of stores
for places in "8388608 0" "0 8388608" "4050 0" "0 4050"; do
    pixels=(--kernel pixels --global 64 --local 32 --arg buffer:u8:12288 --arg buffer:u8:12288 --arg "${places% *}" --arg "${places#* }"
            --set sms=1 --set guards=yes)
    run fill.cl --engine interp "${pixels[@]}" | grep -E "fault:|at  |where|work-item|source" > interp || true
    run fill.cl --engine jit "${pixels[@]}" | grep -E "fault:|at  |where|work-item|source" > jit || true
    grep -q "unmapped" jit || fail "no fault"
    diff interp jit || fail "a fault of pixels differs"
done

# a fault: the same kind, place, work-item and address
bad=(--kernel fill --global 100000 --local 32 --arg buffer:i32:4 --arg 100000 --set sms=1 --set guards=yes)
run fill.cl --engine interp "${bad[@]}" | grep -E "fault:|at  |where|work-item|source" > interp || true
run fill.cl --engine jit "${bad[@]}" | grep -E "fault:|at  |where|work-item|source" > jit || true
grep -q "unmapped" jit || fail "no fault"
cmp interp jit

# the watchdog reaches loops
says "ran too long" fill.cl --engine jit --kernel spin --global 32 --arg buffer:i32:2 --set watchdog-seconds=1
! grep -q interpreter said

# translations are kept, and damaged ones are made again
export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$CY_TMP/cache
run fill.cl --engine jit "${args[@]}" > first
"$CY" cache > shown
grep -q '^translated 1$' shown || { cat shown; fail "the translation is not in the cache"; }
cp -r cache kept
run fill.cl --engine jit "${args[@]}" > second
cmp first second
[ "$(find cache -type f | wc -l)" = "$(find kept -type f | wc -l)" ] || fail "not found in the cache"
find cache -type f -path '*/??/*' | while read -r file; do printf 'xxxxxxxxxxxxxxxx' | dd of="$file" bs=1 seek=40 conv=notrunc status=none; done
run fill.cl --engine jit "${args[@]}" > third
cmp first third
diff -r cache kept > /dev/null || fail "damaged entries were not replaced"


# ... and used from the first launch on, unless it is so short that looking for them would take longer
many=(--kernel fill --global 6400 --local 32 --arg buffer:i32:100 --arg 100 --print 0:100)
run fill.cl --engine jit "${many[@]}" > first
used() { find cache -type f -path '*/??/*' -newermt 2002-01-01 | wc -l; } # entries: the kernel, its translation
find cache -type f -path '*/??/*' -exec touch -d 2001-01-01 {} +
run fill.cl --engine auto "${args[@]}" > auto
cmp first auto
[ "$(used)" = 1 ] || fail "auto looked for the translation of a short launch"
run fill.cl --engine auto "${many[@]}" > auto
cmp first auto
[ "$(used)" = 2 ] || fail "auto did not look for the translation"


# what a program has interpreted is translated when it ends, for the next one, even if it has just been compiled
sed 's/3 \* i/5 * i/' fill.cl > fresh.cl
for ((i = 0; i < 200; i++)); do
    ((i)) || run fresh.cl --engine auto --kernel fill --global 200000 --local 64 --arg buffer:i32:200000 --arg 200000 > /dev/null
    "$CY" cache > shown
    ! grep -q '^translated 3$' shown || break
    sleep 0.1
done
grep -q '^translated 3$' shown || { cat shown; fail "the translation was not finished"; }

# so is what cannot be translated: the second process finds the reason (an entry that is written again is another file)
refused=(--kernel long_one --global 32 --arg buffer:i32:32)
{ echo 'kernel void long_one(global int *out) { int i = get_global_id(0);'
  for i in $(seq 1 100); do echo "out[i] += $i; barrier(CLK_GLOBAL_MEM_FENCE);"; done
  echo '}'; } > long.cl
"$CY" cc $march -o long.riscv long.cl
says "interpreter ran 'long_one': more than 95 barriers" long.riscv --engine jit "${refused[@]}"
cp said first
"$CY" cache | grep -q '^translated 4$' || fail "the reason is not in the cache"
find cache -type f -path '*/??/*' -printf '%i %p\n' | sort > before
says "interpreter ran 'long_one': more than 95 barriers" long.riscv --engine jit "${refused[@]}"
cmp first said
find cache -type f -path '*/??/*' -printf '%i %p\n' | sort | cmp - before || fail "it was tried again"
"$CY" cache --clear > shown
grep -q '^translated 0$' shown || fail "not cleared"
echo "all as expected"
