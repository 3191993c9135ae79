# SHAPE: ventus threads=32 local=32x1x1 exchanges
# The same where lanes exchange values: LR and SC stay apart, lanes of a branch go on in the machine's order.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    vadd.vi v3, v0, 1
1:  lr.w v4, (v2)
3:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(3b)
    vbne v4, v0, 2f
    sc.w v5, v3, (v2)
    vbne v5, v9, 1b
2:  join zero, zero, 0
    vsw12.v v4, 4(v0)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0 exchanges
access 0 read 4 near align 4 pc 0x80000008 op lr.w word 0x1001222f apart words 1 nth 0
access 1 readwrite 4 near align 4 pc 0x80000018 op sc.w word 0x183122af apart words 1 nth 0
access 2 write 4 near align 4 pc 0x80000024 op vsw12.v word 0x40627b offset 4 words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 lane
  %3 = const i32 1
  %4 = add i32 %2, %3 @0x80000004 !v3
  jump b1
b1: @0x80000008 ; from b0, b2
  %9 = lr i32 %1, access 0 @0x80000008 !v4
  %13 = ne i1 %9, %2 @0x80000014
  vbranch %13, b3, b2, join b3, in_order
b2: @0x80000018 ; from b1
  %14 = sc i32 %1, %4, access 1 @0x80000018 !v5
  %15 = ne i1 %14, %1 @0x8000001c
  poll @0x8000001c
  vbranch %15, b1, b3, join b3, in_order
b3: @0x80000020 ; from b1, b2
  store %2, %9, access 2 @0x80000024
  end
