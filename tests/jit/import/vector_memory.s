# SHAPE: ventus threads=32 local=64x1x1
# Vector loads and stores with a scalar base: the index is the lane's number, or a register's; strides are multiplied.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw a0, 4(t0)
    li t1, 12
    vid.v v1
    vle32.v v2, (a0)
    vlse32.v v3, (a0), t1
    vluxei32.v v4, (a0), v1
    vluxei8.v v5, (a0), v1
    vle8.v v6, (a0)
    vle64.v v8, (a0)
    vadd.vv v2, v2, v3
    vadd.vv v4, v4, v5
    vadd.vv v2, v2, v4
    vse16.v v6, (a0)
    vse32.v v2, (a0)
    vsuxei32.v v8, (a0), v1
    vs1r.v v9, (a0)
    endprg
--- output
kernel "kernel" simt gen1 local 64 1 1 threads 32 warps 2 private 1024 strip 0/0 items 64 row 0
access 0 read 4 near align 4 pc 0x80000004 op lw word 0x42a503 offset 4 scalar words 1 nth 0
access 1 read 4 near align 4 pc 0x80000010 op vle32.v word 0x2056107 scale 2 words 1 nth 0
access 2 read 4 near align 4 pc 0x80000014 op vlse32.v word 0xa656187 words 1 nth 0
access 3 read 4 near align 4 pc 0x80000018 op vluxei32.v word 0x6156207 words 1 nth 0
access 4 read 4 near align 4 pc 0x8000001c op vluxei8.v word 0x6150287 words 1 nth 0
access 5 read 1 near align 1 pc 0x80000020 op vle8.v word 0x2050307 words 1 nth 0
access 6 read 4 near align 4 pc 0x80000024 op vle64.v word 0x2057407 scale 3 words 2 nth 0
access 7 read 4 near align 4 pc 0x80000024 op vle64.v word 0x2057407 offset 4 scale 3 words 2 nth 1
access 8 write 2 near align 2 pc 0x80000034 op vse16.v word 0x2055327 scale 1 words 1 nth 0
access 9 write 4 near align 4 pc 0x80000038 op vse32.v word 0x2056127 scale 2 words 1 nth 0
access 10 write 4 near align 4 pc 0x8000003c op vsuxei32.v word 0x6156427 words 1 nth 0
access 11 write 4 near align 4 pc 0x80000040 op vs1r.v word 0x28504a7 scale 2 words 1 nth 0
b0: @0x80000000
  %2 = source i32 metadata
  %3 = load i32 %2, access 0 @0x80000004 !x10
  %4 = const i32 12
  %5 = source i32 lane
  %6 = load i32 %3, index %5, access 1 @0x80000010 !v2
  %7 = mul i32 %5, %4 @0x80000014
  %8 = add i32 %3, %7 @0x80000014
  %9 = load i32 %8, access 2 @0x80000014 !v3
  %10 = load i32 %3, index %5, access 3 @0x80000018 !v4
  %11 = const i32 255
  %12 = and i32 %5, %11 @0x8000001c
  %13 = load i32 %3, index %12, access 4 @0x8000001c !v5
  %14 = load i8 %3, index %5, access 5 @0x80000020
  %15 = sext i32 %14 @0x80000020 !v6
  %16 = load i32 %3, index %5, access 6 @0x80000024 !v8
  %17 = load i32 %3, index %5, access 7 @0x80000024 !v9
  %18 = add i32 %6, %9 @0x80000028 !v2
  %19 = add i32 %10, %13 @0x8000002c !v4
  %20 = add i32 %18, %19 @0x80000030 !v2
  %21 = trunc i16 %15 @0x80000034
  store %3, index %5, %21, access 8 @0x80000034
  store %3, index %5, %20, access 9 @0x80000038
  store %3, index %5, %16, access 10 @0x8000003c
  store %3, index %5, %17, access 11 @0x80000040
  end
