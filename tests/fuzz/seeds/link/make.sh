#!/bin/bash
# make.sh DIR: objects of foreign tools, alone and in pairs, after the two bytes from which fuzz_link.c takes its options.
set -eu
here=$(dirname "${BASH_SOURCE[0]}") to=$1
objects=$to/../objects
mkdir -p "$objects"
for file in one two; do
    llvm-mc-19 -triple=riscv32 -mattr=+m,+relax -filetype=obj "$here/$file.s" -o "$objects/$file.o"
    llvm-mc-19 -triple=riscv32 -mattr=+m,-relax -g -filetype=obj "$here/$file.s" -o "$objects/${file}_debug.o"
done
{ printf '\000\000'; cat "$objects/one.o"; } >"$to/one"
{ printf '\004\000'; cat "$objects/two_debug.o"; } >"$to/two"
{ printf '\005\001'; cat "$objects/one.o" "$objects/two.o"; } >"$to/gc"
{ printf '\014\001'; cat "$objects/one_debug.o" "$objects/two_debug.o"; } >"$to/library"
{ printf '\064\001'; cat "$objects/one_debug.o" "$objects/two.o"; } >"$to/kernel"
rm -f "$to"/*.s
