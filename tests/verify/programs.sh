#!/bin/bash
# A dozen OpenCL programs under the engine verify: every launch is translated and interpreted, and none differs.
set -eu
generation=$1
cd "$(mktemp -d "${TMPDIR:-/tmp}/verify.XXXXXX")"
trap 'rm -rf "$PWD"' EXIT
export CHENGYING_CACHE_DIR=$PWD/cache
fail() { echo "$*"; cat said; exit 1; }
programs=(adi backprop bitonic_local blackscholes_float4 blur_uchar4 cfd_double char16_saturate complex_double2
    copy2d_256x256_8x8 columns_8x8 bucketcount big_switch aes atomic_long)
for program in "${programs[@]}"; do
    CHENGYING_ENGINE=verify CHENGYING_DEVICES=$generation "$CY_BUILD/bin/bench_opencl" Chengying "$CY_SOURCE/bench/opencl" 1 "$program" > out 2> said ||
        fail "$program"
    grep -q "^verify: [1-9][0-9]* launch" said || fail "$program was not verified"
    ! grep -q "^verify:.*differ\( \|s\|,\|$\)" said || fail "$program differs"
    tail -n 1 said | sed "s/^verify/$program/"
done
