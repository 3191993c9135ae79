# Instructions that become several, and single ones under other names.
        .text
        .irp v, 0, 1, -1, 2047, -2048, -2049, 4096, 0xfff, 0x1000, 0x12345, 0x7ffff000, 0x7ffff7ff, 0x7ffff800, 0x7fffffff, 0x80000000, 0x80000001, 0xfffff7ff, 0xfffff800, 0xffffffff, 0xdeadbeef, -0x80000000
        li      a0, \v
        .endr
        li      s11, 'A'
        nop
        mv      a0, a1
        not     a0, a1
        neg     a0, a1
        seqz    a0, a1
        snez    a0, a1
        sltz    a0, a1
        sgtz    a0, a1
        sgt     a0, a1, a2
        sgtu    a0, a1, a2
        sext.b  a0, a1
        sext.h  a0, a1
        zext.b  a0, a1
        zext.h  a0, a1
target: beqz    a0, target
        bnez    a0, target
        blez    a0, target
        bgez    a0, target
        bltz    a0, target
        bgtz    a0, target
        bgt     a0, a1, target
        ble     a0, a1, target
        bgtu    a0, a1, target
        bleu    a0, a1, target
        beq     a0, a1, 16
        bne     a0, a1, -16
        j       target
        j       0x100
        jal     target
        jal     a0, target
        jr      a0
        jr      4(a0)
        jalr    a0
        jalr    4(a0)
        jalr    a0, a1
        jalr    a0, 4(a1)
        jalr    a0, a1, 4
        ret
        fence
        fence   rw, w
        fence.tso
        csrr    a0, fcsr
        csrw    fcsr, a0
        csrs    0x300, a0
        csrc    mstatus, a0
        csrwi   0x801, 3
        csrr    a0, 0x800
        rdcycle a0
        add     a0, a1, 5
        and     a0, a1, 5
        sll     a0, a1, 5
        lw      a0, (a1)
        sw      a0, (a1)
        lw      a0, 0(a1)
        vle32.v v1, (a0)
        vle32.v v1, 0(a0)
        vse32.v v1, (a0), v0.t
        vadd.vv v1, v2, v3, v0.t
        vadd.vi v1, v2, -16
        vneg.v  v1, v2
        vnot.v  v1, v2
        vmerge.vvm v1, v2, v3, v0
        vsetvli t0, a0, e32, m1, ta, ma
        vsetvli t0, a0, e64, m2, tu, mu
        vsetivli t0, 5, e8, mf2, ta, mu
        vmslt.vi v1, v2, 5
        vmslt.vi v1, v2, -15, v0.t
        vmsltu.vi v1, v2, 0
        vmsltu.vi v1, v2, 16
        vmsge.vi v1, v2, 5
        vmsgeu.vi v1, v2, 0
        vmsgeu.vi v1, v2, 1, v0.t
        vmsge.vx v1, v2, a0
        vmsgeu.vx v1, v2, a0
        vmsge.vx v1, v2, a0, v0.t
        vmsge.vx v0, v2, a0, v0.t, v3
        vmsgeu.vx v1, v2, a0, v0.t, v3
        fadd.s  a0, a1, a2
        fadd.s  a0, a1, a2, rtz
        fcvt.w.s a0, a1, rtz
        fmadd.s a0, a1, a2, a3
        fneg.s  a0, a1
        fabs.s  a0, a1
