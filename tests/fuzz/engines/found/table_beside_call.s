# machine: threads=32,mask=packed
# launch: ventus 32,1,1 32,1,1 64 64
# A jump through a table was taken for a return if the kernel also calls, and ended in a trap.
    .ventus_kernel k, vgpr=64, sgpr=64, lds=0, pds=0
    .section .cy.lanes,"",@progbits
    .asciz "k"
    .text
k:
    lw a2, 4(a0)
    vid.v v1
    vsll.vi v1, v1, 2
    vmv.v.i v8, 3
    la t0, .Ltable
    lw t0, 0(t0)
    jalr zero, 0(t0)
.Lthere:
    call f
    vsuxei32.v v8, (a2), v1
    endprg x0, x0, x0
f:
    vadd.vi v8, v8, 2
    ret
    .data
    .balign 4
.Ltable:
    .word .Lthere
