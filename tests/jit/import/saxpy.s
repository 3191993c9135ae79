# SHAPE: ventus threads=32 local=64x1x1
# Straight code, and a side that some lanes take: registers are values, which lanes take part is not said.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw a0, 4(t0)
    lw t1, 0(a0)
    csrr t2, CSR_TID
    vid.v v0
    vadd.vx v0, v0, t2
    vsll.vi v1, v0, 2
    vadd.vx v1, v1, t1
    vlw12.v v2, 0(v1)
    vmv.v.x v3, t2
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vbge v3, v2, 2f
    vfmul.vv v2, v2, v2
    vsw12.v v2, 0(v1)
2:  join zero, zero, 0
    endprg
--- output
kernel "kernel" simt gen1 local 64 1 1 threads 32 warps 2 private 1024 strip 0/0 items 64 row 0
access 0 read 4 near align 4 pc 0x80000004 op lw word 0x42a503 offset 4 scalar words 1 nth 0
access 1 read 4 near align 4 pc 0x80000008 op lw word 0x52303 scalar words 1 nth 0
access 2 read 4 near align 4 pc 0x80000020 op vlw12.v word 0xa17b words 1 nth 0
access 3 write 4 near align 4 pc 0x80000038 op vsw12.v word 0x20e07b words 1 nth 0
b0: @0x80000000
  %2 = source i32 metadata
  %3 = load i32 %2, access 0 @0x80000004 !x10
  %4 = load i32 %3, access 1 @0x80000008 !x6
  %5 = source i32 tid
  %6 = source i32 lane
  %7 = add i32 %6, %5 @0x80000014 !v0
  %8 = const i32 2
  %12 = shl i32 %7, %8 @0x80000018 !v1
  %13 = add i32 %12, %4 @0x8000001c !v1
  %14 = load i32 %13, access 2 @0x80000020 !v2
  %18 = ges i1 %5, %14 @0x80000030
  vbranch %18, b2, b1, join b2
b1: @0x80000034 ; from b0
  %19 = fmul i32 %14, %14 @0x80000034 !v2
  store %13, %19, access 3 @0x80000038
  jump b2
b2: @0x8000003c ; from b0, b1
  end
