# SHAPE: ventus-gen2 threads=32 local=32x1x1
# Results of twice the width.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v1
    vwaddu.vv v2, v1, v1
    vwadd.wv v2, v2, v2
    vwmacc.vv v2, v1, v1
    vfwcvt.f.x.v v4, v1
    vfwadd.vv v6, v1, v1
    vfwcvt.x.f.v v8, v1
    prefix 1, 0, 0; vadd.vv v2, v2, v4
    prefix 1, 0, 0; vadd.vv v2, v2, v6
    prefix 1, 0, 0; vadd.vv v2, v2, v8
    vsw12d.v v1, 0(v2)
    endprg
--- output
kernel "kernel" simt gen2 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 far align 4 pc 0x80000034 op vsw12d.v word 0x11602b words 1 nth 0
b0: @0x80000000
  %2 = source i32 lane
  %3 = zext i64 %2 @0x80000004
  %4 = zext i64 %2 @0x80000004
  %5 = add i64 %3, %4 @0x80000004 !v2
  %6 = add i64 %5, %5 @0x80000008 !v2
  %7 = sext i64 %2 @0x8000000c
  %8 = sext i64 %2 @0x8000000c
  %9 = mul i64 %7, %8 @0x8000000c
  %10 = add i64 %9, %6 @0x8000000c !v2
  %11 = sext i64 %2 @0x80000010
  %12 = stof i64 %11 @0x80000010 !v4
  %13 = fwiden i64 %2 @0x80000014
  %14 = fwiden i64 %2 @0x80000014
  %15 = fadd i64 %13, %14 @0x80000014 !v6
  %16 = fwiden i64 %2 @0x80000018
  %17 = ftos i64 %16 @0x80000018 !v8
  %18 = add i64 %10, %12 @0x8000001c !v2
  %19 = add i64 %18, %15 @0x80000024 !v2
  %20 = add i64 %19, %17 @0x8000002c !v2
  store %20, %2, access 0 @0x80000034
  end
