# What may not follow a prefix.
        regext  zero, zero, 1
label:  vadd.vv v1, v2, v3
        regext  zero, zero, 1
        regext  zero, zero, 1
        vadd.vv v1, v2, v3
        regext  zero, zero, 1
        vadd.vv v64, v2, v3
        regext  zero, zero, 1
        vadd.vv v32, v40, v3
        regext  zero, zero, 1
        vadd.vi v32, v2, 100
        regexti zero, zero, 0x41
        vadd.vi v32, v2, 100
        regext  zero, zero, 2
        addi    a0, a1, 3
        regext  zero, zero, 1
        li      x32, 0x12345678
        regext  zero, zero, 1
        .word   5
        regext  zero, zero, 1
        .align  4
        regext  zero, zero, 1
1:      vadd.vv v1, v2, v3
        regext  zero, zero, 1
        .section .text.other, "ax"
        regexti zero, zero, 1
