# .if and its kin.
        .equ    yes, 1
        .equ    no, 0
        .data
        .if     yes
        .byte   1
        .else
        .byte   99
        .endif
        .if     no
        .byte   99
        .elseif yes
        .byte   2
        .elseif yes
        .byte   99
        .else
        .byte   99
        .endif
        .if     no
        .if     yes
        .byte   99
        .else
        .byte   99
        .endif
        garbage that is not assembled
        .else
        .byte   3
        .endif
        .ifdef  yes
        .byte   4
        .endif
        .ifdef  nothing
        .byte   99
        .else
        .byte   5
        .endif
        .ifndef nothing
        .byte   6
        .endif
        .ifnotdef nothing
        .byte   7
        .endif
        .ifeq   no
        .byte   8
        .endif
        .ifne   yes
        .byte   9
        .endif
        .ifgt   5
        .byte   10
        .endif
        .ifge   0
        .byte   11
        .endif
        .iflt   -1
        .byte   12
        .endif
        .ifle   0
        .byte   13
        .endif
        .ifb
        .byte   14
        .endif
        .ifnb   x
        .byte   15
        .endif
        .ifc    abc, abc
        .byte   16
        .endif
        .ifc    abc, abd
        .byte   99
        .endif
        .ifnc   abc, abd
        .byte   17
        .endif
        .ifeqs  "abc", "abc"
        .byte   18
        .endif
        .ifnes  "abc", "abd"
        .byte   19
        .endif
here:   .word   0
there:
        .if     there - here == 4
        .byte   20
        .endif
        .if     . - there > 0
        .byte   21
        .endif
        .macro  which x
        .ifc    \x, a0
        .byte   22
        .else
        .ifc    \x, a1
        .byte   23
        .endif
        .endif
        .endm
        which   a0
        which   a1
        which   a2
