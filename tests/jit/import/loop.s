# SHAPE: ventus threads=32 local=64x1x1
# A loop that lanes leave one by one: what changes in it is a phi, what does not is none; the edge back asks whether the launch was stopped.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    vmv.v.i v1, 0
    li t1, 3
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vadd.vx v1, v1, t1
    vblt v1, v0, 1b
2:  join zero, zero, 0
    vsll.vi v2, v0, 2
    vsw12.v v1, 0(v2)
    endprg
--- output
kernel "kernel" simt gen1 local 64 1 1 threads 32 warps 2 private 1024 strip 0/0 items 64 row 0
access 0 write 4 near align 4 pc 0x80000024 op vsw12.v word 0x11607b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 lane
  %3 = const i32 3
  %13 = const i32 2
  jump b1
b1: @0x8000000c ; from b0, b1
  %6 = phi i32 %1 from b0, %10 from b1 !v1
  %10 = add i32 %6, %3 @0x80000014 !v1
  %11 = lts i1 %10, %2 @0x80000018
  poll @0x80000018
  vbranch %11, b1, b2, join b2
b2: @0x8000001c ; from b1
  %17 = shl i32 %2, %13 @0x80000020 !v2
  store %17, %10, access 0 @0x80000024
  end
