# vecadd: c[i] = a[i] + b[i] for i < n, floats, one work-item per element.
#
#     kernel void vecadd(global const float *a, global const float *b, global float *c, uint n)
#
#     cy as -o vecadd.o examples/asm/vecadd.s
#     cy ld -o vecadd.riscv vecadd.o

    .equ KNL_LC_SIZE_X, 24              # metadata buffer: work-items per workgroup

    .text
    .globl  vecadd
    .type   vecadd, @function
vecadd:                                 # a0: the argument buffer
    lw      t0, 0(a0)                   # a
    lw      t1, 4(a0)                   # b
    lw      t2, 8(a0)                   # c
    lw      t3, 12(a0)                  # n

# i = workgroup * work-items per workgroup + first work-item of this warp + lane
    csrr    t4, CSR_KNL
    lw      t4, KNL_LC_SIZE_X(t4)
    csrr    t5, CSR_GIDX
    mul     t4, t4, t5
    csrr    t5, CSR_TID
    add     t4, t4, t5
    vid.v   v0
    vadd.vx v0, v0, t4                  # v0 = i

# if (i < n): lanes beyond the end wait at .Ldone, where all come together again
    vmv.v.x v1, t3
1:  auipc   t5, %pcrel_hi(.Ldone)
    setrpc  zero, t5, %pcrel_lo(1b)
    vbgeu   v0, v1, .Ldone

    vsll.vi v0, v0, 2                   # byte offset of element i
    vadd.vx v1, v0, t0
    vlw12.v v1, 0(v1)                   # a[i]
    vadd.vx v2, v0, t1
    vlw12.v v2, 0(v2)                   # b[i]
    vfadd.vv v1, v1, v2
    vadd.vx v2, v0, t2
    vsw12.v v1, 0(v2)                   # c[i]
.Ldone:
    join    zero, zero, 0
    ret
    .size   vecadd, .-vecadd

    .ventus_kernel vecadd              # how many registers it uses is counted
