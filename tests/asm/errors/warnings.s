# accepted
        .warning "this is only a warning"
        .text
        .byte   1
        nop
        .p2align 2
        .print  "and a note"
