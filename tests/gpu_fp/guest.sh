#!/bin/bash
# guest.sh PROGRAM: builds the guest program, lets qemu run the cases of PROGRAM (guest.c), compares.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
clang-19 --target=riscv64 -march=rv64gcv_zfh_zvfh -std=c17 -O1 -Wall -Wextra -Werror -ffreestanding -nostdlib -static \
    -fuse-ld=lld -I"$here" "$here/guest_main.c" -o "$CY_TMP/guest"
"$1" cases >"$CY_TMP/cases"
# The names of the extensions' properties changed after version 7.
qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,Zfh=true "$CY_TMP/guest" <"$CY_TMP/cases" >"$CY_TMP/results" ||
    qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,zfh=true,zvfh=true "$CY_TMP/guest" <"$CY_TMP/cases" >"$CY_TMP/results"
exec "$1" compare "$CY_TMP/results"
