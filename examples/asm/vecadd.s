# vecadd: c[i] = a[i] + b[i] for float buffers, one work-item per element.
#
#     kernel void vecadd(global const float *a, global const float *b, global float *c)
#
# The start-up code calls a kernel with the address of its arguments in a0 and takes over again when it returns with
# `ret`.  Scalar registers (a0, t0 ...) hold values uniform across the warp, vector registers (v0 ...) one value
# per lane.  Lanes without a work-item start inactive, so no bounds check is needed.

        .equ    KNL_LC_SIZE_X, 24       # in the metadata buffer: work-items per workgroup

        .text
        .ventus_kernel vecadd, pds=0    # resource record: registers are counted, private memory is not used

vecadd:
        lw      t0, 0(a0)               # a: arguments lie side by side, pointers have 4 bytes
        lw      t1, 4(a0)               # b
        lw      t2, 8(a0)               # c

# i = workgroup * work-items per workgroup + first work-item of this warp + lane
        csrr    t3, knl                 # the metadata buffer
        lw      t3, KNL_LC_SIZE_X(t3)
        csrr    t4, gidx                # workgroup
        mul     t3, t3, t4
        csrr    t4, tid                 # of the warp's first work-item
        add     t3, t3, t4
        vid.v   v0                      # 0, 1, 2 ... across the lanes
        vadd.vx v0, v0, t3              # v0 = i

        vsll.vi v0, v0, 2               # offset of element i in bytes
        vadd.vx v1, v0, t0
        vadd.vx v2, v0, t1
        vadd.vx v3, v0, t2
        vlw12.v v1, 0(v1)               # each lane loads from its own address
        vlw12.v v2, 0(v2)
        vfadd.vv v1, v1, v2
        vsw12.v v1, 0(v3)
        ret
        .size   vecadd, . - vecadd
