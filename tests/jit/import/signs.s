# SHAPE: ventus-gen2 threads=32 local=32x1x1
# A prefix takes absolute values and negates: of numbers by their sign bits, of integers in two's complement.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v1
    prefix 0, 1, 2; vfadd.vv v2, v1, v1
    prefix 0, 2, 1; vsub.vv v3, v1, v2
    vsw12.v v3, 0(v1)
    endprg
--- output
kernel "kernel" simt gen2 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 near align 4 pc 0x80000014 op vsw12.v word 0x30e07b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 lane
  %3 = const i32 0x80000000
  %4 = xor i32 %2, %3 @0x80000004
  %6 = const i32 0x7fffffff
  %7 = and i32 %2, %6 @0x80000004
  %8 = fadd i32 %4, %7 @0x80000004 !v2
  %9 = sub i32 %1, %2 @0x8000000c
  %10 = lts i1 %2, %1 @0x8000000c
  %11 = select i32 %10, %9, %2 @0x8000000c
  %12 = sub i32 %1, %8 @0x8000000c
  %13 = sub i32 %11, %12 @0x8000000c !v3
  store %2, %13, access 0 @0x80000014
  end
