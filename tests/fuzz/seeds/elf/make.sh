#!/bin/bash
# make.sh DIR: small ELF files of foreign tools, and one of our own with notes (where there is a compiler: not beside libFuzzer).
set -eu
here=$(dirname "${BASH_SOURCE[0]}") to=$1
llvm-mc-19 -triple=riscv32 -mattr=+m,+relax -filetype=obj "$here/object.s" -o "$to/object.o"
llvm-mc-19 -triple=riscv32 -mattr=+m -g -filetype=obj "$here/object.s" -o "$to/debug.o"
ld.lld-19 -m elf32lriscv -z max-page-size=16 -Ttext=0x80000000 -e kernel "$to/object.o" -o "$to/linked"
ld.lld-19 -m elf32lriscv -z max-page-size=16 -Ttext=0x80000000 --emit-relocs -e kernel "$to/object.o" -o "$to/relocs"
ld.lld-19 -m elf32lriscv -r "$to/object.o" -o "$to/again.o"
[ ! -x "$CY" ] || "$CY" cc -cl-kernel-arg-info -o "$to/noted" "$here/noted.cl"
rm "$to/object.s" "$to/noted.cl"
