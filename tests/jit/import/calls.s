# SHAPE: ventus threads=32 local=32x1x1
# Each call has a copy of what it calls, which returns to one place; there is no jump left.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    jal square
    vadd.vi v0, v0, 1
    jal square
    vsll.vi v2, v0, 2
    vsw12.v v0, 0(v2)
    endprg
square:
    vmul.vv v0, v0, v0
    ret
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 near align 4 pc 0x80000014 op vsw12.v word 0x1607b words 1 nth 0
b0: @0x80000000
  %2 = source i32 lane
  %4 = mul i32 %2, %2 @0x8000001c !v0
  %5 = const i32 1
  %6 = add i32 %4, %5 @0x80000008 !v0
  %8 = mul i32 %6, %6 @0x8000001c !v0
  %9 = const i32 2
  %12 = shl i32 %8, %9 @0x80000010 !v2
  store %12, %8, access 0 @0x80000014
  end
