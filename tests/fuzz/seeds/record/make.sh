# make.sh DIR: launches of a few instructions, of both generations, with variables, local memory and a fault.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '    .text\n    .globl _start\n_start:\n    csrr t0, knl\n    lw a0, 4(t0)\n    lw t1, 0(a0)\n    la t2, count\n    lw t3, 0(t2)\n    addi t3, t3, 1\n    sw t3, 0(t2)\n    sw t3, 0(t1)\n    endprg x0, x0, x0\n    .globl k\n    .type k, @function\nk:  ret\n    .size k, .-k\n    .ventus_kernel k\n    .data\ncount: .word 5\n' > "$work/k.s"
out=$1
record() {
    name=$1
    shift
    "$CY" run --no-start --sms 1 --threads 4 --warps 2 "$work/k.s" --global 8 "$@" --record "$work/$name" > "$work/messages" 2>&1 ||
        [ "$name" = fault ]
    for file in metadata data after printed toml riscv; do
        cat "$work/$name/launch.$file"
        [ $file = riscv ] || echo =====
    done > "$out/$name"
}
record plain --local 4 --arg buffer:i32:4=iota
record marked --local 3 --offset 2 --arg buffer:i32:4=iota --arg local:64 --arg 7
record second -march=ventus-gen2 --local 4 --arg buffer:i32:4=iota
record fault --local 4 --arg 16
