# SHAPE: ventus threads=32 local=32x1x1
# t1 is written by some lanes and read behind the join by all: it is the warp's, and has what was written last.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    vmv.v.i v1, 7
    li t1, 5
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vblt v1, v0, 2f
    li t1, 6
2:  join zero, zero, 0
    vsll.vi v2, v0, 2
    vmv.v.x v3, t1
    vsw12.v v3, 0(v2)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0 exchanges
cell c0 i32 warp !x6
access 0 write 4 near align 4 pc 0x80000028 op vsw12.v word 0x31607b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  set c0, %1
  %3 = source i32 lane
  %4 = const i32 7
  %5 = const i32 5
  set c0, %5 @0x80000008
  %10 = lts i1 %4, %3 @0x80000014
  %11 = const i32 6
  %13 = const i32 2
  vbranch %10, b2, b1, join b2, in_order
b1: @0x80000018 ; from b0
  set c0, %11 @0x80000018
  jump b2
b2: @0x8000001c ; from b0, b1
  %17 = shl i32 %3, %13 @0x80000020 !v2
  %18 = get i32 c0 @0x80000024 !x6
  store %17, %18, access 0 @0x80000028
  end
