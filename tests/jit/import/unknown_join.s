# SHAPE: ventus threads=32 local=32x1x1
# A reconvergence point that is not known: lanes meet where their paths do.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw t6, 48(t0)
    vid.v v0
    vmv.v.i v1, 7
    setrpc zero, t6, 0
    vblt v1, v0, 2f
    vadd.vi v0, v0, 1
2:  vsw12.v v0, 0(v0)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 read 4 near align 4 pc 0x80000004 op lw word 0x302af83 offset 48 scalar words 1 nth 0
access 1 write 4 near align 4 pc 0x8000001c op vsw12.v word 0x607b words 1 nth 0
b0: @0x80000000
  %2 = source i32 metadata
  %3 = load i32 %2, access 0 @0x80000004 !x31
  %4 = source i32 lane
  %5 = const i32 7
  %6 = lts i1 %5, %4 @0x80000014
  %7 = const i32 1
  vbranch %6, b2, b1, join b2
b1: @0x80000018 ; from b0
  %8 = add i32 %4, %7 @0x80000018 !v0
  jump b2
b2: @0x8000001c ; from b0, b1
  %9 = phi i32 %4 from b0, %8 from b1 !v0
  store %9, %9, access 1 @0x8000001c
  end
