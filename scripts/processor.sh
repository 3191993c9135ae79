#!/bin/bash
# processor.sh: one line that names this machine's processor and the levels of the engines that it has, for logs of what was run where.
# The levels are those of src/gpu/engine/levels_*.h.  Under qemu-user it says what Linux says; name the emulator besides (QEMU_CPU).
set -euo pipefail
name=$(LC_ALL=C lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1)
# A virtual machine hides the name, but not the numbers by which the maker's list has it.
numbers=$(sed -n 's/^\(cpu family\|model\|stepping\)\t*: /\1 /p' /proc/cpuinfo 2>/dev/null | head -n 3 | paste -sd , | sed 's/,/, /g')
flags=" $(sed -n 's/^\(flags\|Features\)[\t ]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1) "
has() {
    for flag; do
        case $flags in *" $flag "*) ;; *) return 1 ;; esac
    done
}
case $(uname -m) in
x86_64)
    levels=sse2
    ! has avx2 fma || levels+=,avx2
    ! has avx512f avx512bw avx512cd avx512dq avx512vl || levels+=,avx512
    ;;
aarch64)
    levels=neon
    ! has sve || levels+=,sve
    ;;
*) levels=unknown ;;
esac
echo "$(uname -m), ${name:-unnamed}${numbers:+ ($numbers)}, $(nproc) cores, levels $levels"
