# SHAPE: ventus-gen2 threads=32 local=32x1x1
# Pairs of registers are one value of 64 bits; halves that are written apart are put together where they are read as one.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw a0, 4(t0)
    pre_m_64 0, 0; lw a2, 0(a0)
    vid.v v1
    li t0, 4
    vwmul.vx v2, v1, t0
    prefix 1, 0, 0; vadd.vx v4, v2, a2
    vlw12d.v v6, 0(v4)
    vlw12d.v v7, 4(v4)
    prefix 1, 0, 0; vadd.vv v6, v6, v2
    prefix 1, 0, 0; vfmul.vv v8, v6, v6
    vadd.vv v6, v7, v9
    vsw12d.v v6, 8(v4)
    endprg
--- output
kernel "kernel" simt gen2 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 read 4 near align 4 pc 0x80000004 op lw word 0x42a503 offset 4 scalar words 1 nth 0
access 1 read 4 near align 4 pc 0x80000008 op lw word 0x52603 prefix 0xe scalar words 2 nth 0
access 2 read 4 near align 4 pc 0x80000008 op lw word 0x52603 prefix 0xe offset 4 scalar words 2 nth 1
access 3 read 4 far align 4 pc 0x80000024 op vlw12d.v word 0x2232b words 1 nth 0
access 4 read 4 far align 4 pc 0x80000028 op vlw12d.v word 0x4223ab offset 4 words 1 nth 0
access 5 write 4 far align 4 pc 0x80000040 op vsw12d.v word 0x62642b offset 8 words 1 nth 0
b0: @0x80000000
  %2 = source i32 metadata
  %3 = load i32 %2, access 0 @0x80000004 !x10
  %4 = load i32 %3, access 1 @0x80000008 !x12
  %5 = load i32 %3, access 2 @0x80000008 !x13
  %6 = source i32 lane
  %8 = sext i64 %6 @0x80000018
  %9 = const i64 4
  %10 = mul i64 %8, %9 @0x80000018 !v2
  %11 = pair i64 %4, %5 @0x8000001c
  %12 = add i64 %10, %11 @0x8000001c !v4
  %13 = load i32 %12, access 3 @0x80000024 !v6
  %14 = load i32 %12, access 4 @0x80000028 !v7
  %15 = pair i64 %13, %14 @0x8000002c
  %16 = add i64 %15, %10 @0x8000002c !v6
  %17 = fmul i64 %16, %16 @0x80000034 !v8
  %18 = high i32 %16 @0x8000003c
  %19 = high i32 %17 @0x8000003c
  %20 = add i32 %18, %19 @0x8000003c !v6
  store %12, %20, access 5 @0x80000040
  end
