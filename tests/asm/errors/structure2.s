        .if     1
        .if     0
        .else
        .else
        .endif
        .ifdef
        .endif
        .rept   2
        nop
