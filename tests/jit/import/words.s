# SHAPE: ventus-gen2 threads=32 local=32x1x1
# Several words of one instruction are one operation each; spaces have their bases.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw a0, 4(t0)
    vid.v v0
    vsll.vi v0, v0, 4
    pre_m_128 0, 0; vlw12.v v4, 16(v0)
    pre_m_local_64 0, 0; vsw12.v v6, 8(v0)
    pre_m_private_96 0, 0; vlw12.v v8, 4(v0)
    pre_m_96 0, 0; vsw12.v v8, 0(v0)
    endprg
--- output
kernel "kernel" simt gen2 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 read 4 near align 4 pc 0x80000004 op lw word 0x42a503 offset 4 scalar words 1 nth 0
access 1 read 4 near align 4 pc 0x80000010 op vlw12.v word 0x100227b prefix 0x1e offset 16 words 4 nth 0
access 2 read 4 near align 4 pc 0x80000010 op vlw12.v word 0x100227b prefix 0x1e offset 20 words 4 nth 1
access 3 read 4 near align 4 pc 0x80000010 op vlw12.v word 0x100227b prefix 0x1e offset 24 words 4 nth 2
access 4 read 4 near align 4 pc 0x80000010 op vlw12.v word 0x100227b prefix 0x1e offset 28 words 4 nth 3
access 5 write 4 near align 4 pc 0x80000018 op vsw12.v word 0x60647b prefix 0x6e offset 8 words 2 nth 0
access 6 write 4 near align 4 pc 0x80000018 op vsw12.v word 0x60647b prefix 0x6e offset 12 words 2 nth 1
access 7 read 4 private align 4 pc 0x80000020 op vlw12.v word 0x40247b prefix 0x56 offset 4 words 3 nth 0
access 8 read 4 private align 4 pc 0x80000020 op vlw12.v word 0x40247b prefix 0x56 offset 8 words 3 nth 1
access 9 read 4 private align 4 pc 0x80000020 op vlw12.v word 0x40247b prefix 0x56 offset 12 words 3 nth 2
access 10 write 4 near align 4 pc 0x80000028 op vsw12.v word 0x80607b prefix 0x16 words 3 nth 0
access 11 write 4 near align 4 pc 0x80000028 op vsw12.v word 0x80607b prefix 0x16 offset 4 words 3 nth 1
access 12 write 4 near align 4 pc 0x80000028 op vsw12.v word 0x80607b prefix 0x16 offset 8 words 3 nth 2
b0: @0x80000000
  %2 = source i32 metadata
  %3 = load i32 %2, access 0 @0x80000004 !x10
  %4 = source i32 lane
  %5 = const i32 4
  %9 = shl i32 %4, %5 @0x8000000c !v0
  %10 = load i32 %9, access 1 @0x80000010 !v4
  %11 = load i32 %9, access 2 @0x80000010 !v5
  %12 = load i32 %9, access 3 @0x80000010 !v6
  %13 = load i32 %9, access 4 @0x80000010 !v7
  %14 = source i32 lds
  %15 = add i32 %9, %14 @0x80000018
  store %15, %12, access 5 @0x80000018
  store %15, %13, access 6 @0x80000018
  %18 = load i32 %9, access 7 @0x80000020 !v8
  %19 = load i32 %9, access 8 @0x80000020 !v9
  %20 = load i32 %9, access 9 @0x80000020 !v10
  store %9, %18, access 10 @0x80000028
  store %9, %19, access 11 @0x80000028
  store %9, %20, access 12 @0x80000028
  end
