# Things that are not closed point at their opening.
        .macro  unfinished a, b
        nop
        .if     1
        .rept   3
