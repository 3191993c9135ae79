#!/bin/bash
# long.sh: kernels of more than ten thousand instructions, and of two hundred vector branches, are translated, and give the
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
