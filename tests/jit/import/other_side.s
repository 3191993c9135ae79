# SHAPE: ventus threads=32 local=32x1x1
# t1 is written on one side and read on the other: which of them runs first decides what that sees.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    vmv.v.i v1, 7
    csrr t1, CSR_WID
    vsll.vi v2, v0, 2
1:  auipc t6, %pcrel_hi(3f)
    setrpc zero, t6, %pcrel_lo(1b)
    vblt v1, v0, 2f
    addi t1, t1, 1
    vmv.v.x v3, t1
    j 3f
2:  vmv.v.x v3, t1
    vadd.vi v3, v3, 2
3:  join zero, zero, 0
    vsw12.v v3, 0(v2)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0 exchanges
cell c0 i32 warp !x6
access 0 write 4 near align 4 pc 0x80000034 op vsw12.v word 0x31607b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  set c0, %1
  %3 = source i32 lane
  %4 = const i32 7
  %5 = source i32 warp
  set c0, %5 @0x80000008
  %7 = const i32 2
  %9 = const i32 1
  %11 = shl i32 %3, %7 @0x8000000c !v2
  %14 = lts i1 %4, %3 @0x80000018
  vbranch %14, b2, b1, join b3, in_order
b1: @0x8000001c ; from b0
  %15 = get i32 c0 @0x8000001c !x6
  %16 = add i32 %15, %9 @0x8000001c
  set c0, %16 @0x8000001c
  %18 = get i32 c0 @0x80000020 !x6
  jump b3
b2: @0x80000028 ; from b0
  %19 = get i32 c0 @0x80000028 !x6
  %20 = add i32 %19, %7 @0x8000002c !v3
  jump b3
b3: @0x80000030 ; from b1, b2
  %21 = phi i32 %18 from b1, %20 from b2 !v3
  store %11, %21, access 0 @0x80000034
  end
