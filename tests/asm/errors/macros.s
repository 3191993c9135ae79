        .macro  two a, b:req
        add     \a, \b, \b
        .endm
        two     a0
        two     a0, a1, a2
        two     b=a0, a1
        two     a0, v1
        .macro  two
        .endm
        .macro
        .endm
        .macro  bad x:what
        .endm
        .macro  bad2 x, x
        .endm
        .macro  bad3 x:vararg, y
        .endm
        .macro  outer x
        inner   \x
        .endm
        .macro  inner x
        addi    a0, a0, \x
        .endm
        outer   99999
        .rept   2
        addi    a0, a0, 99999
        .endr
        .irp    r, a0, v0
        mv      \r, \r
        .endr
        .purgem nosuch
        .macro  forever
        forever
        .endm
        forever
        .rept   -1
        .endr
        .irp
        .endr
