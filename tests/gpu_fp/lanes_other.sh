#!/bin/bash
# lanes_other.sh: fp_host.h as it is on the other of x86-64 and aarch64, run by qemu: results and flags of every helper.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
case $(uname -m) in
aarch64) other=x86_64 ;;
*) other=aarch64 ;;
esac
clang-19 --target=$other-linux-gnu -std=c17 -O3 -ffp-contract=off -fno-math-errno -ffreestanding -ffunction-sections \
    -Wall -Wextra -Werror -I"$CY_SOURCE/src" -I"$here" -nostdlib -static -fuse-ld=lld -Wl,--gc-sections \
    "$here/lanes_alone.c" "$CY_SOURCE"/src/gpu/fp{,_estimate,_exp}.c -o "$CY_TMP/lanes"
qemu-$other "$CY_TMP/lanes"
echo "no difference on $other"
