#!/bin/bash
# Compiled and hand-written code through our assembler, linked by ld.lld and by our linker, run by qemu-riscv32.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/execute
cd "$CY_TMP"
"$CY" as -o start.o "$here/start.s"
for level in -O0 -O2; do
    for model in -mcmodel=medlow -mcmodel=medany -fPIC; do
        clang-19 --target=riscv32-unknown-elf -march=rv32im -mabi=ilp32 -mno-relax -ffreestanding -fno-builtin \
            $level $model -S -o program.s "$here/program.c"
        "$CY" as -o program.o program.s
        ld.lld-19 -o lld start.o program.o
        status=0
        qemu-riscv32 ./lld || status=$?
        [ $status = 0 ] || { echo "FAILED: $level $model, ld.lld: status $status"; exit 1; }
        "$CY" ld --no-start -o cyld start.o program.o
        qemu-riscv32 ./cyld || status=$?
        [ $status = 0 ] || { echo "FAILED: $level $model, cy ld: status $status"; exit 1; }
    done
done
echo "12 programs ran"
