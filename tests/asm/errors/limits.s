        .space  0x100000000000
        .space  -1
        .fill   0x7fffffffffffffff, 8, 1
        .fill   4, 9, 1
        .org    0
        .p2align 40
        .balign 3
        .balign 0x80000000
        .data
        .word   1
        .org    2
        .bss
        .word   1
        .byte   0
        nop
        .space  0x7fffffff
        .space  0x7fffffff
        .text 1
        .section .text, "aw"
        .section
        .section .x, "q"
        .section .x, "a", @what
        .section .y, "aM", @progbits
        .previous extra
        .type   f, @what
        .comm   big
        .comm   big, 4, 3
        .globl
        .local  l
        .globl  l
        .size   f
        .size   f, g
        .attribute 4, "x"
        .attribute 5, 5
        .attribute what, 5
        .include "no/such/file.s"
        .incbin "no/such/file.bin"
        .include nofile
        .error  "on purpose"
        .err
        .warning "take care"
        .print  "hello"
