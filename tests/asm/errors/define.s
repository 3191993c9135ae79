#! -D A=5 -D B -D C=A+1 -D 5=3 -D D=1+ -D E=unknown
        .word   A, B, C
        .if     A != 5 || B != 1 || C != 6
        .error  "wrong value"
        .endif
