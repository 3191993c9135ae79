# SHAPE: ventus threads=32 local=32x1x1
# Lanes leave the loop in different iterations; t1 goes on counting while they wait, and they read it afterwards.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    vmv.v.i v1, 0
    li t1, 0
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vadd.vi v1, v1, 3
    addi t1, t1, 1
    vblt v1, v0, 1b
2:  join zero, zero, 0
    vmv.v.x v2, t1
    vsw12.v v2, 0(v0)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0 exchanges
cell c0 i32 warp !x6
access 0 write 4 near align 4 pc 0x80000028 op vsw12.v word 0x20607b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  set c0, %1
  %3 = source i32 lane
  set c0, %1 @0x80000008
  %10 = const i32 3
  %13 = const i32 1
  jump b1
b1: @0x8000000c ; from b0, b1
  %6 = phi i32 %1 from b0, %11 from b1 !v1
  %11 = add i32 %6, %10 @0x80000014 !v1
  %12 = get i32 c0 @0x80000018 !x6
  %14 = add i32 %12, %13 @0x80000018
  set c0, %14 @0x80000018
  %16 = lts i1 %11, %3 @0x8000001c
  poll @0x8000001c
  vbranch %16, b1, b2, join b2, in_order
b2: @0x80000020 ; from b1
  %18 = get i32 c0 @0x80000024 !x6
  store %3, %18, access 0 @0x80000028
  end
