# machine: threads=32,mask=packed
# launch: ventus 64,1,1 64,1,1 64 128
# A register that only code which is executed for all lanes changes, between two barriers, was not saved at the second one.
    .ventus_kernel k, vgpr=64, sgpr=64, lds=0, pds=0
    .section .cy.lanes,"",@progbits
    .asciz "k"
    .text
k:
    lw a1, 0(a0)
    lw a2, 4(a0)
    csrr t1, tid
    vid.v v1
    vadd.vx v1, v1, t1
    vsll.vi v1, v1, 2
    vluxei32.v v8, (a1), v1
    vadd.vi v9, v8, 1
    barrier x0, x0, 1
    vand.vi v6, v1, 4
    la t0, .Lend
    setrpc zero, t0, 0
    vmv.v.i v7, 0
    vbeq v6, v7, .Lend
    vmv.v.v v8, v9
.Lend:
    join zero, zero, 0
    barrier x0, x0, 1
    vsuxei32.v v8, (a2), v1
    endprg x0, x0, x0
