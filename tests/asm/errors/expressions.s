        .word   1 +
        .word   (1 + 2
        .word   1 / 0
        .word   1 % (2 - 2)
        .word   08
        .word   0x
        .word   12ab
        .word   99999999999999999999
        .word   1.5
        .word   'a
        .word   '
        .word   symbol@got
        .word   1 2
        .word   0x100000000
        .byte   256
        .byte   -129
        .half   symbol
        .word   symbol * 2
        .word   symbol + other
        .word   -symbol
        .word   here * 2
        .word   9b
        .word   9f
        .word   .Lnowhere
        .if     symbol
        .endif
        .if     here
        .endif
        .rept   symbol
        .endr
        .float  abc
        .float  1.5x
        .ascii  "no end
        .ascii  "bad \q escape"
        .ascii  "bad \xgg"
        .ascii  5
        .set    loop, loop + 1
        .set    a, b + 1
        .set    b, a + 1
        .set    c, d * 2
        .set    d, c * 2
        .word   c
        .equiv  twice, 1
        .equiv  twice, 2
here:   .word   0
here:   .word   1
        .set    here, 5
twice:  nop
