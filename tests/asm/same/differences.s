# oracle: gas
# Branches to symbols that are not local, sizes that are known later.
        .text
        .globl  start, near_by
start:  nop
        nop
        .set    alias, start
end:    nop
        beq     a0, a1, outside
        bltu    a0, a1, outside + 8
        beqz    a0, elsewhere
        beq     a0, a1, near_by
        beq     a0, a1, start
        beq     a0, a1, weakly
near_by: nop
        .weak   weakly
weakly: nop
        .section .text.other, "ax"
elsewhere:
        nop
        .data
        .skip   next - more
        .word   1
more:   .word   2, 3
next:   .word   4
