# Moving between sections.
        .text
        nop
        .data
        .word   1
        .previous
        nop
        .pushsection .rodata
        .word   2
        .pushsection .data
        .word   3
        .popsection
        .word   4
        .popsection
        nop
        .section .text.more, "ax", @progbits
        nop
        .p2align 3
        nop
        .section .text.more
        nop
        .section .text.more, "ax", @progbits
        nop
        .text
        nop
        .subsection 0
        nop
        .section ".note.GNU-stack","",@progbits
        .section .text.unique, "ax", @progbits, unique, 1
        nop
        .section .text.unique, "ax", @progbits, unique, 2
        nop
        nop
        .section .text.unique, "ax", @progbits, unique, 1
        nop
        .section .init_array, "aw", @init_array
        .word 0
        .section .ventus.resource.test,"w",@progbits
        .half 3
        .bss
        .space 4
        .section .bss.more, "aw", @nobits
        .space 8
