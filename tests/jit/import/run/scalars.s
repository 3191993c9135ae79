# Scalar registers that lanes write while others wait: the warp has what was written last, whichever lanes did.
    .globl k
    .type k, @function
k:
    lw t0, 0(a0)
    csrr t4, CSR_TID
    vid.v v0
    vadd.vx v0, v0, t4
    vsll.vi v1, v0, 2
    vadd.vx v1, v1, t0
    vlw12.v v2, 0(v1)
    vand.vi v2, v2, 7
    vmv.v.i v8, 3
# read behind the join
    li t1, 5
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vblt v8, v2, 2f
    li t1, 6
2:  join zero, zero, 0
    vmv.v.x v3, t1
    vsw12.v v3, 256(v1)
# written on one side, read on the other: which has fewer lanes, and runs first, depends on the warp
    li t2, 0
1:  auipc t6, %pcrel_hi(4f)
    setrpc zero, t6, %pcrel_lo(1b)
    vblt v8, v2, 3f
    addi t2, t2, 3
    vmv.v.x v4, t2
    j 4f
3:  slli t2, t2, 2
    addi t2, t2, 1
    vmv.v.x v4, t2
4:  join zero, zero, 0
    vadd.vx v4, v4, t2
    vsw12.v v4, 512(v1)
# counted on by those who stay in a loop
    li t3, 0
    vmv.v.i v5, 0
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vadd.vi v5, v5, 1
    addi t3, t3, 1
    vblt v5, v2, 1b
2:  join zero, zero, 0
    vadd.vx v5, v5, t3
    vsw12.v v5, 768(v1)
# kept: a function that lanes call makes room and gives it back
    mv s1, sp
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vblt v8, v2, 2f
    jal f
2:  join zero, zero, 0
    sub s1, sp, s1
    vmv.v.x v6, s1
    vadd.vv v6, v6, v2
    vsw12.v v6, 1024(v1)
    endprg x0, x0, x0
f:  addi sp, sp, 16
    sw ra, -4(sp)
    vadd.vi v2, v2, 9
    lw ra, -4(sp)
    addi sp, sp, -16
    ret
