#!/bin/bash
# long.sh: kernels of more than ten thousand instructions, and of hundreds of vector branches, are translated, and give the
# interpreter's bits.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
cd "$CY_TMP"
fail() { echo "long.sh: $*"; exit 1; }

export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$CY_TMP/cache # the kernels are compiled once
run() { # ENGINE PROGRAM TYPE
    "$CY" run "$CY_SOURCE/bench/opencl/programs/$2.cl" --engine "$1" --global 256 --local 64 --arg "buffer:$3:256" \
        --arg "buffer:$3:1024=iota" --print 0 2>&1
}
for program in "sha512_unrolled u64" "many_branches i32"; do
    run interp $program > interp
    run jit $program > jit
    ! grep 'interpreter ran' jit || fail "not translated"
    cmp interp jit || fail "${program% *} differs"
done

# Kernels so large that they become several functions: branches in a row, one inside the other and in a loop that lanes leave one by one
# (which is cut, too), loops between barriers, and a switch.  Work-groups with and without strips that are not whole.
lines() { for ((k = 0; k < $1; k++)); do echo "${2//@/$k}"; done; }
{
    echo "#define START int i = get_global_id(0), l = get_local_id(0), x = in[i], y = 1; float f = x * 0.25f;"
    echo "kernel void in_a_row(global int *out, global int *in, int n) { START"
    lines 300 'if (x % (@ + 2) < @ / 2 + 1) { y = y * 3 + in[(x + @) & 255]; out[i] = y; } x = (x * 13 + @) & 0xffff;'
    echo "out[i] = x + y; }"
    echo "kernel void in_each_other(global int *out, global int *in, int n) { START"
    lines 40 'if (x % (@ + 7) != 3) { f += in[(x + @) & 255]; x = (x * 5 + @) & 0xffff;'
    lines 40 'y = y * 3 + x % (@ + 3); out[i] = y; }'
    echo "out[i] = x + y + as_int(f); }"
    echo "kernel void in_a_loop(global int *out, global int *in, int n) { START for (int q = 0; q < in[i] % 5 + 1; q++) {"
    lines 150 'if (x % (@ + 2) < @ / 2 + 1) { y = y * 3 + in[(x + @) & 255]; out[i] = y; } x = (x * 13 + @ + q) & 0xffff;'
    echo "} out[i] = x + y; }"
    echo "kernel void with_barriers(global int *out, global int *in, int n) { START local float t[64], u[64]; t[l] = f; u[l] = 0;"
    lines 12 'barrier(CLK_LOCAL_MEM_FENCE);
        if (n != @) { for (int p = l; p < 128; p += 64) { float s = 0; for (int j = 0; j < 3 + @ % 4; j++) s += t[(p + j) % 60] * in[(p + @) & 255]; u[p % 64] = s; } }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 16) { float s = 0; for (int j = 0; j < 16; j++) s += u[(l * 16 + j) % 60]; t[l] = s * 0.01f; }
        for (int j = 0; j < x % (@ + 3); j++) f = f * 0.75f + u[(l + j) % 60];'
    echo "out[i] = as_int(f) ^ as_int(t[l]); }"
    echo "kernel void in_cases(global int *out, global int *in, int n) { START for (int q = 0; q < 8; q++) { switch (x % 400) {"
    lines 400 'case @: y = y * (@ + 2) + in[(y + @) & 255]; break;'
    echo "} x = (x * 5 + q + (y & 7)) & 0xffff; } out[i] = y; }"
} > large.cl
for march in ventus ventus-gen2; do
    locals=60
    [ $march = ventus-gen2 ] || locals="64 60"
    "$CY" cc -march=$march -o large.riscv large.cl
    for kernel in in_a_row in_each_other in_a_loop with_barriers in_cases; do
        for local in $locals; do
            for engine in interp jit; do
                "$CY" run -march=$march large.riscv --kernel $kernel --engine $engine --global $((4 * local)) --local $local \
                    --arg buffer:i32:256 --arg buffer:i32:256=iota --arg i32:5 --print 0 > $engine 2>&1
            done
            ! grep 'interpreter ran' jit || fail "$kernel: not translated"
            cmp interp jit || fail "$kernel of $march differs in work-groups of $local"
        done
    done
done
