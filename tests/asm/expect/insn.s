# .insn, .word among code, $x and $d
        .text
        .insn   0x00b50533
        .insn   4, 0x00b50533
        .insn   r 0x33, 0, 0, a0, a0, a1
        .insn   r4 0x43, 0, 0, a0, a1, a2, a3
        .insn   i 0x13, 0, a0, a1, -5
        .insn   i 0x03, 2, a0, 8(a1)
        .insn   s 0x23, 2, a0, -8(a1)
        .insn   b 0x63, 0, a0, a1, -8
        .insn   u 0x37, a0, 0x12345
        .insn   j 0x6f, a0, 8
        .insn   i 0x0b, 0, v1, v2, 12
        .word   0x12345678
        nop
        .byte   1, 2, 3, 4
        nop
#: machine f3 flags 0
#: .text type 1 flags 6 size 60 align 4
#:   0000: 00b50533 00b50533 00b50533 68c58543 ffb58513 0085a503 fea5ac23 feb50ce3
#:   0020: 12345537 0080056f 00c1008b 12345678 00000013 04030201 00000013
#: symbol $d .text 2c size 0 bind 0 type 0
#: symbol $d .text 34 size 0 bind 0 type 0
#: symbol $x .text 0 size 0 bind 0 type 0
#: symbol $x .text 30 size 0 bind 0 type 0
#: symbol $x .text 38 size 0 bind 0 type 0
