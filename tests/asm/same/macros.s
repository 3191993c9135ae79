# .macro, .rept, .irp, .irpc.
        .macro  none
        nop
        .endm
        .macro  move to, from
        mv      \to, \from
        .endm
        .macro  defaults a=1, b=2, c
        .word   \a, \b, 0\c
        .endm
        .macro  needed x:req, y=9
        .word   \x, \y
        .endm
        .macro  list first, rest:vararg
        .word   \first
        .ifnb   \rest
        list    \rest
        .endif
        .endm
        .macro  unique
.Lu\@:  j       .Lu\@
        .endm
        .macro  join a, b
\a\()_\b: .word \a\()_\b - base
        .word   .Lx\b
.Lx\b\().y:
.Lx\b:
        .endm
        .macro  op name, suffix
        \name\().\suffix v1, v2, v3
        .endm
        .macro  early n
        .word   1
        .if     \n > 2
        .exitm
        .endif
        .word   2
        .endm
        .macro  define name, value
        .macro  \name
        .word   \value
        .endm
        .endm
        .macro  fib n, a=0, b=1
        .if     \n
        .word   \a
        fib     (\n - 1), (\b), (\a + \b)
        .endif
        .endm
        .macro  text string
        .asciz  "\string"
        .endm
        .macro  spaces a b c
        .word   \a, \b, \c
        .endm
        .macro  shout, word
        .ascii "<\word>"
        .endmacro
        .text
        none
        move    a0, a1
        move    from=a2, to=a3
        move    a4 a5
        unique
        unique
        op      vadd, vv
        .rept   3
        nop
        .endr
        .rept   2; addi a0, a0, 1; .rept 2; addi a1, a1, 1; .endr; .endr
        .rept   0
        bogus instruction here
        .endr
        .irp    reg, a0, a1, t0
        addi    \reg, \reg, 1
        .endr
        .irp    n, 1, 2
        .irp    m, 3, 4
        addi    a0, a0, \n * 10 + \m
        .endr
        .endr
        .irpc   d, 123
        addi    a\d, a\d, 0x\d
        .endr
        .irpc   d, ab
lab_\d: nop
        .endr
        .data
base:   defaults
        defaults 5
        defaults 5, 6, 7
        defaults , 6
        defaults b=8
        defaults c=1, a=3
        needed  4
        needed  4, 5
        needed  y=1, x=2
        list    1, 2, 3, 4
        list    7
        join    foo, 1
        join    bar, 2
        early   1
        early   3
        define  twelve, 12
        twelve
        fib     8
        text    hello
        text    "with spaces, and comma"
        spaces  1 2 3
        spaces  1, 2 3
        spaces  1 + 1, (2 + 3) * 4, 5 - 1
        spaces  -1, ~2, !0
        shout   loud
        .purgem none
        .macro  none
        .word   77
        .endm
        none
        .set    counter, 0
        .rept   5
        .byte   counter
        .set    counter, counter + 1
        .endr
        .if     counter == 5
        .byte   0xff
        .endif
