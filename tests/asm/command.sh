#!/bin/bash
# `cy as` as a command: names of outputs, standard streams, several files, nothing left behind.
set -u
cd "$CY_TMP" || exit 1
failures=0
check() { # check TEXT COMMAND...: the command must succeed
    local text=$1
    shift
    "$@" >out 2>err || { echo "FAILED: $text"; cat out err; failures=$((failures + 1)); }
}
refuse() { # refuse STATUS TEXT COMMAND...
    local status=$1 text=$2
    shift 2
    "$@" >out 2>err
    local got=$?
    [ $got = "$status" ] || { echo "FAILED: $text: status $got"; cat out err; failures=$((failures + 1)); }
}

mkdir -p src
printf 'a: nop\n' >src/a.s
printf 'b: li a0, 5\n' >src/b.s
printf 'c: bogus\n' >src/c.s
check 'default name' "$CY" as src/a.s
check 'a.o is there' test -s a.o
check 'readelf takes it' readelf -a a.o
check 'llvm-objdump takes it' llvm-objdump-19 -d a.o
check 'two files' "$CY" as src/a.s src/b.s
check 'b.o is there' test -s b.o
rm -f a.o b.o
refuse 1 'one of three is wrong' "$CY" as src/a.s src/c.s src/b.s
check 'the good ones are there' test -s a.o -a -s b.o
check 'the bad one is not' test ! -e c.o
echo old >c.o
refuse 1 'an error' "$CY" as -o c.o src/c.s
check 'what was there before stays' grep -q old c.o
check 'no temporary is left' test -z "$(ls | grep tmp)"
check 'standard input' "$CY" as -o i.o - <src/b.s
check 'same bytes' cmp i.o b.o
check 'default name of standard input' sh -c "'$CY' as - <src/b.s && cmp a.o b.o"
check 'standard output' sh -c "'$CY' as -o - src/b.s >o.o && cmp o.o b.o"
check 'the listing goes to standard output' sh -c "'$CY' as -l -o l.o src/b.s | grep -q '00500513'"
refuse 2 'no file' "$CY" as
refuse 2 'two files, one output' "$CY" as -o x.o src/a.s src/b.s
refuse 1 'no such file' "$CY" as nothing.s
refuse 1 'a directory' "$CY" as src
refuse 1 'an unknown target' "$CY" as --march=x86 src/a.s
refuse 1 'an output that cannot be' "$CY" as -o no/such/dir/a.o src/a.s
cp src/a.s object.o
refuse 2 'the object would replace the source' "$CY" as object.o
check 'the source is still there' cmp object.o src/a.s
check '-march with one dash' "$CY" as -march=ventus-gen2 -o g.o src/a.s
check 'gen2 is marked' sh -c "readelf -h g.o | grep -q '0x1000000'"
mkdir -p inc
printf ' .macro m\n nop\n .endm\n' >inc/m.inc
printf ' .include "m.inc"\n m\n' >src/inc.s
refuse 1 'without -I' "$CY" as src/inc.s
check '-I' "$CY" as -I inc src/inc.s
printf ' .include "near.inc"\n' >src/near.s
printf ' nop\n' >src/near.inc
check 'next to the including file' "$CY" as src/near.s
check '-D' sh -c "printf ' .if WIDTH != 3\n .err\n .endif\n' | '$CY' as -D WIDTH=3 -o d.o -"

# the C preprocessor, and locations in messages after it
mkdir -p cpp
printf '#define CSR_BASE 0x800\n#define REG a0\n' >cpp/regs.h
cat >src/cpp.S <<'S'
#include "regs.h"
#ifdef WIDTH
        li      REG, WIDTH
#endif
        csrr    REG, CSR_BASE + 1  // comment
        bogus   REG
S
refuse 1 'an error in a .S file' "$CY" as -I cpp -D WIDTH=3 src/cpp.S
cp err messages
check 'its place' grep -q '^src/cpp.S:6:9: error: unknown instruction' messages
sed -i '/bogus/d' src/cpp.S
check 'a .S file' "$CY" as -I cpp -D WIDTH=3 src/cpp.S
check 'its code' sh -c "llvm-objdump-19 -d cpp.o | grep -q '00300513' && llvm-objdump-19 -d cpp.o | grep -q '80102573'"
refuse 1 'a missing header' "$CY" as src/cpp.S
head -c 100000 /dev/urandom >junk.s
refuse 1 'noise' "$CY" as -o junk.o junk.s
check 'no object of noise' test ! -e junk.o

# objects of both assemblers are the same for a program of both
cat >both.s <<'S'
        .globl main
main:   addi    sp, sp, -16
        sw      ra, 12(sp)
        la      a0, text
        call    puts
        lw      ra, 12(sp)
        addi    sp, sp, 16
        ret
        .section .rodata
text:   .asciz  "hello"
S
check 'ours' "$CY" as -o ours.o both.s
check 'llvm' llvm-mc-19 -triple=riscv32 -filetype=obj -o theirs.o both.s
for o in ours theirs; do
    llvm-objdump-19 -d -r $o.o | sed 's/\.Lpcrel_hi[0-9]*/LABEL/; s/theirs\|ours//' >$o.txt
done
check 'same disassembly' diff ours.txt theirs.txt
echo "$failures failures"
[ $failures = 0 ]
