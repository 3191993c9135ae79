# Operands of the wrong kind or too many or too few.
        add     a0, a1
        add     a0, a1, a2, a3
        add     a0 a1, a2
        add     a0, a1, v2
        add     a0, a1, x64
        add     a0, a9, a2
        addi    a0, a1, a2
        addi    a0, a1, 2048
        addi    a0, a1, -2049
        addi    a0, a1, 0x100000000
        slli    a0, a1, 32
        lui     a0, 0x100000
        lui     a0, -1
        lw      a0, a1
        lw      a0, 4(v1)
        lw      a0, 4(a1
        lw      a0, 5000(a1)
        vadd.vv v1, v2, a3
        vadd.vv v1, v2, v256
        vadd.vv v1, v2, v3, v1.t
        vadd.vi v1, v2, 1024
        vsll.vi v1, v2, -1
        vle32.v v1, 4(a0)
        vmerge.vvm v1, v2, v3, v1
        vsetvli a0, a1, e33, m1, ta, ma
        vsetvli a0, a1, m1
        vsetvli a0, a1, e32, ta, m1
        csrr    a0, tidd
        csrr    a0, 4096
        csrr    a0, nosuchregister
        fence   wr, rw
        fadd.s  a0, a1, a2, up
        beq     a0, a1, 5
        beq     a0, a1, 5000
        jal     a0, 3
        endprg  x1, x2, x33
        regext  zero, zero, 4096
        vlw.v   v1, 1024(v2)
        amoadd.w a0, a1, (a2)
        amoadd.w.aqqrl v1, v2, (v3)
        la      a0, 5
        la      a0, a1
        lw      zero, symbol
        call    5
        li      a0, symbol
        li      a0, 0x100000000
        li      a0, %lo(symbol)
        addi    a0, a0, %hi(symbol)
        lui     a0, %lo(symbol)
        addi    a0, a0, %foo(symbol)
        addi    a0, a0, %lo symbol
        addi    a0, a0, %lo(symbol
        slli    a0, a0, %lo(symbol)
        addi    a0, a0, symbol
        jump    symbol, zero
        .insn   q 0, 0
        .insn   r 0x33, 9, 0, a0, a0, a0
