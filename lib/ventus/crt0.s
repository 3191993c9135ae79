# Start-up code: what every warp runs before its kernel.  The linker puts it at the base address of the image, where
# warps start.  .bss is cleared by the loader (machine setting clear-bss), not here: warps start at any time.

    .include "abi.inc"                      # made from src/abi/abi.def

    .text
    .globl _start
    .type _start, @function
_start:
    la      gp, __global_pointer$
    vsetvli t0, zero, e32, m1, ta, ma       # vl = number of threads of the warp
    csrr    t0, CSR_KNL

# Scalar stack: a piece of the workgroup's local memory for each warp.  It grows up.
    csrr    sp, CSR_LDS
    csrr    t1, CSR_WID
    lw      t2, .LKNL_LDS_STACK_SIZE_PER_WF(t0)
    bnez    t2, 1f
    li      t2, .LSTACK_BYTES
1:
    mul     t1, t1, t2
    add     sp, sp, t1
    li      tp, 0                           # private addresses are relative to CSR_PDS

    lw      t1, .LKNL_ENTRY(t0)
    lw      a0, .LKNL_ARG_BASE(t0)
    jalr    t1
    endprg
    .size _start, .-_start
