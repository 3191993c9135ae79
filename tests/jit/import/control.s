# SHAPE: ventus threads=32 local=64x1x1
# Barriers, fences, a trap, and a scalar loop.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    li t1, 4
    csrr t2, CSR_WID
    bnez t2, 1f
    unimp
1:  vsw12.v v0, 0(v0)
    fence rw, w
    barrier x0, x0, 1
    vlw12.v v1, 4(v0)
    fence.tso
    addi t1, t1, -1
    bgtz t1, 1b
    endprg
--- output
kernel "kernel" simt gen1 local 64 1 1 threads 32 warps 2 private 1024 strip 0/0 items 64 row 0
access 0 read 1 near align 1 pc 0x80000010 op csrrw word 0xc0001073 words 1 nth 0
access 1 write 4 near align 4 pc 0x80000014 op vsw12.v word 0x607b words 1 nth 0
access 2 read 4 near align 4 pc 0x80000020 op vlw12.v word 0x4020fb offset 4 words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 lane
  %3 = const i32 4
  %4 = source i32 warp
  %5 = ne i1 %4, %1 @0x8000000c
  %14 = const i32 0xffffffff
  branch %5, b2, b1
b1: @0x80000010 ; from b0
  trap trap, access 0 @0x80000010
  unreachable
b2: @0x80000014 ; from b0, b2
  %7 = phi i32 %3 from b0, %15 from b2 !x6
  store %2, %2, access 1 @0x80000014
  fence 0x31 @0x80000018
  barrier @0x8000001c
  %12 = load i32 %2, access 2 @0x80000020 !v1
  fence 0x833 @0x80000024
  %15 = add i32 %7, %14 @0x80000028 !x6
  %16 = lts i1 %1, %15 @0x8000002c
  poll @0x8000002c
  branch %16, b2, b3
b3: @0x80000030 ; from b2
  end
