# Numbers, characters, operators, precedence.
        .equ    one, 1
        .set    two, one + one
three = two + 1
        .data
        .word   0, 10, 0x1f, 0X1F, 0b1011, 0B11, 017, 0xffffffff, -1, -2147483648
        .word   'a', '\n', '\\', '\'', ' ', '\t', '0', ';', '#'
        .word   1 + 2 * 3, (1 + 2) * 3, 7 / 2, -7 / 2, 7 % 3, -7 % 3, 1 << 4, 256 >> 4
        .word   1 << 2 + 1, 1 + 2 | 4, 6 & 3 + 1, 5 ^ 1, 5 | 2 == 7, 8 - 2 - 1, 64 / 4 / 2
        .word   1 == 1, 1 == 2, 1 != 2, 1 <> 1, 1 < 2, 2 <= 2, 1 > 2, 2 >= 3, -1 < 0
        .word   1 && 2, 1 && 0, 0 || 3, 0 || 0, !0, !5, ~0, ~5, - -3, -(-3), +4, - ~ 4
        .word   one + two, three * three, (three << two) | one
        .dword  -1 >> 60, 1 << 63, 0x7fffffffffffffff + 1, 0xffffffffffffffff, -9223372036854775808
        .half   1, -1, 0xffff, 'x'
        .byte   1, -1, 255, 'y', 2*3
        .text
start:  nop
        nop
end:    nop
        .data
        .word   end - start, (end - start) / 4, start - end, (end - start) == 8, end - start + later - end
        .word   after - before, (after - before) * 2, -(after - before), after - before > 3
before: .word   0, 0
after:  .word   . - before, . - after
        .text
later:  nop
        lw      a0, (2 + 3) * 4(a1)
        lw      a0, 4 + 4 (a1)
        sw      a0, -(4 + 4)(sp)
        lui     a0, 0xfffff
        lui     a0, (0x12345678 + 0x800) >> 12
        slli    a0, a0, 32 - 1
        li      a0, (1 << 31) - 1
        li      a0, three * 100
