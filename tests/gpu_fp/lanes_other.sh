#!/bin/bash
# lanes_other.sh: fp32_native.h as it is on the other of x86-64 and aarch64, at each level that qemu has, run by it: results
# and flags of every helper.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
check() { # target, flags of the compiler
    clang-19 --target=$1-linux-gnu $2 -std=c17 -O3 -ffp-contract=off -fno-math-errno -ffreestanding -ffunction-sections \
        -Wall -Wextra -Werror -I"$CY_SOURCE/src" -I"$here" -nostdlib -static -fuse-ld=lld -Wl,--gc-sections \
        "$here/lanes_alone.c" "$CY_SOURCE"/src/gpu/fp/fp{,_estimate,_exp}.c -o "$CY_TMP/lanes"
    qemu-$1 -cpu max "$CY_TMP/lanes"
    echo "no difference on $1 $2"
}
case $(uname -m) in
aarch64)
    check x86_64 -march=x86-64
    check x86_64 -march=x86-64-v3
    ;;
*) check aarch64 "" ;;
esac
