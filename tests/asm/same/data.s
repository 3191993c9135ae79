# Data directives, strings, floats, alignment.
        .data
        .byte   1, 2
        .2byte  3
        .short  4, 5
        .hword  6
        .4byte  7
        .long   8
        .int    9
        .8byte  10
        .quad   11, -12
        .ascii  "plain", "two"
        .asciz  "ends", ""
        .string "a\tb\n\r\f\b\\\"x\"\101\0\1234"
        .ascii  "# no comment; no end /* really */ // here"
        .align  3
        .float  1.0, -2.5, 1e10, 0.1, -0.0, 3.4028235e38, 1e-45, 1.5e-39
        .single inf, -inf, nan
        .double 1.0, 0.1, -1e300, 4.9e-324
        .balign 16
        .byte   1
        .p2align 2, 0xaa
        .byte   2
        .balign 8, 0x55
        .byte   3
        .p2align 4, , 3
        .byte   4
        .p2align 3, 0, 20
        .byte   5
        .zero   3
        .space  4, 0x11
        .skip   2
        .fill   3
        .fill   2, 2, 0x1234
        .fill   2, 4, -1
        .fill   1, 8, 0x12345678
        .fill   0, 4, 1
        .org    0x1c0
        .byte   6
        .org    0x1c8, 0x77
        .org    . + 4
        .uleb128 0, 1, 127, 128, 300, 0xffffffff
        .sleb128 0, 1, -1, 63, 64, -64, -65, 1000000
        .uleb128 forward_end - forward_start
        .sleb128 forward_start - forward_end
forward_start:
        .space  200
forward_end:
        .space  forward2 - forward_end2 + 10
forward_end2:
        .word   1
forward2:
        .bss
        .zero   16
        .balign 8
buffer: .space  100
        .section .rodata
table:  .word   1, 2, 3
        .comm   shared, 24, 8
        .lcomm  mine, 12
        .section .note.mine, "", @note
        .word   4, 0, 1
        .ascii  "CHY\0"
        .section .custom, "aw"
        .word   1
        .section .rodata.str, "aMS", @progbits, 1
        .asciz  "shared"
        .section .rodata.cst4, "aM", @progbits, 4
        .word   5
        .text
        .byte   1
        .p2align 2
        nop
        .balign 32
        nop
