# Numbers that are known later than they are needed: the text is read again until they settle.
        .text
        addi    a0, a1, end - start             # 12
        addi    a0, a1, late                    # 100
        lw      a0, late(a0)
        sw      a0, late + 4(a0)
        slli    a0, a0, late - 95               # 5
        li      a0, end - start
        li      a1, far - start                 # 2 instructions
        li      a2, late * 1000
start:  nop
        nop
        nop
end:    nop
        .skip   0x2000
far:    nop
        .set    late, 100
        .data
        .word   (far - start) / 4, !late, -(end - start)
        .skip   -(((e2 - s2) - (e1 - s1)) > 0) * ((e2 - s2) - (e1 - s1)), 0x90
s1:     .word   1
e1:
s2:     .word   2, 3
e2:
base = . - 24
        .org    base + 64, 0xee
        .word   after - .
after:
        .set    chain3, chain2 + 1
        .set    chain2, chain1 + 1
        .set    chain1, 7
        .word   chain3
#: machine f3 flags 0
#: .text type 1 flags 6 size 8252 align 4
#:   0000: 00c58513 06458513 06452503 06a52423 00551513 00c00513 000025b7 01058593
#:   0020: 00018637 6a060613 00000013 00000013 00000013 00000013 00000000 00000000
#:   0040: 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
#:   *
#:   2000: 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
#:   2020: 00000000 00000000 00000000 00000000 00000000 00000000 00000013
#: .data type 1 flags 3 size 76 align 1
#:   0000: 00000804 00000000 fffffff4 90909090 00000001 00000002 00000003 eeeeeeee
#:   0020: eeeeeeee eeeeeeee eeeeeeee eeeeeeee eeeeeeee eeeeeeee eeeeeeee eeeeeeee
#:   0040: eeeeeeee 00000004 00000009
#: symbol $d .text 38 size 0 bind 0 type 0
#: symbol $x .text 0 size 0 bind 0 type 0
#: symbol $x .text 2038 size 0 bind 0 type 0
#: symbol after .data 48 size 0 bind 0 type 0
#: symbol base .data 4 size 0 bind 0 type 0
#: symbol chain1 ABS 7 size 0 bind 0 type 0
#: symbol chain2 ABS 8 size 0 bind 0 type 0
#: symbol chain3 ABS 9 size 0 bind 0 type 0
#: symbol e1 .data 14 size 0 bind 0 type 0
#: symbol e2 .data 1c size 0 bind 0 type 0
#: symbol end .text 34 size 0 bind 0 type 0
#: symbol far .text 2038 size 0 bind 0 type 0
#: symbol late ABS 64 size 0 bind 0 type 0
#: symbol s1 .data 10 size 0 bind 0 type 0
#: symbol s2 .data 14 size 0 bind 0 type 0
#: symbol start .text 28 size 0 bind 0 type 0
