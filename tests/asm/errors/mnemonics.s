# Names that are almost right.
        vad.vv  v1, v2, v3
        addd    a0, a1, a2
        lii     a0, 5
        frobnicate a0
        ecall
        pre_m_32 0, 0
        addw    a0, a1, a2
        .wrd    5
        .alignn 2
        .nonsense
        .endm
        .endr
        .endif
        .else
        .exitm
        .popsection
        .option rvc
        .option fancy
        .option pop
        .altmacro
        @p add a0, a1, a2
        5 + 5
        )
