# SHAPE: ventus threads=32 local=32x1x1
# Rounding modes: towards zero is an operation of conversions; the others are computed by the row, with the mode that frm is known to have.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw t1, 4(t0)
    fcvt.w.s t2, t1, rtz
    fcvt.w.s t3, t1, rup
    fcvt.w.s t4, t1
    vmv.v.x v1, t2
    vadd.vx v1, v1, t3
    vadd.vx v1, v1, t4
    csrwi frm, 2
    vfadd.vv v2, v1, v1
    csrwi frm, 0
    vfadd.vv v2, v2, v1
    vsw12.v v2, 0(v1)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 read 4 near align 4 pc 0x80000004 op lw word 0x42a303 offset 4 scalar words 1 nth 0
access 1 write 4 near align 4 pc 0x80000030 op vsw12.v word 0x20e07b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 metadata
  %3 = load i32 %2, access 0 @0x80000004 !x6
  %4 = ftosz i32 %3 @0x80000008 !x7
  %5 = row i32 fcvt.w.s, %3, %1, %1, rounding 3 @0x8000000c !x28
  %6 = ftos i32 %3 @0x80000010 !x29
  %7 = add i32 %4, %5 @0x80000018 !v1
  %8 = add i32 %7, %6 @0x8000001c !v1
  %9 = row i32 vfadd.vv, %8, %8, %1, rounding 2 @0x80000024 !v2
  %10 = fadd i32 %9, %8 @0x8000002c !v2
  store %8, %10, access 1 @0x80000030
  end
