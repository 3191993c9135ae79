# SHAPE: ventus threads=32 local=64x1x1
# Private memory: offsets, of which words are interleaved later.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v0
    vmv.v.i v1, 8
    vsw.v v0, 4(v1)
    vsh.v v0, 2(v1)
    vlw.v v2, 4(v1)
    vlb.v v3, 4(v1)
    vlhu.v v4, 6(v1)
    vadd.vv v2, v2, v3
    vadd.vv v2, v2, v4
    vsw12.v v2, 0(v0)
    endprg
--- output
kernel "kernel" simt gen1 local 64 1 1 threads 32 warps 2 private 1024 strip 0/0 items 64 row 0
access 0 write 4 private align 4 pc 0x80000008 op vsw.v word 0x8000a22b offset 4 words 1 nth 0
access 1 write 2 private align 2 pc 0x8000000c op vsh.v word 0x8000912b offset 2 words 1 nth 0
access 2 read 4 private align 4 pc 0x80000010 op vlw.v word 0x40a12b offset 4 words 1 nth 0
access 3 read 1 private align 1 pc 0x80000014 op vlb.v word 0x4081ab offset 4 words 1 nth 0
access 4 read 2 private align 2 pc 0x80000018 op vlhu.v word 0x60d22b offset 6 words 1 nth 0
access 5 write 4 near align 4 pc 0x80000024 op vsw12.v word 0x20607b words 1 nth 0
b0: @0x80000000
  %2 = source i32 lane
  %3 = const i32 8
  store %3, %2, access 0 @0x80000008
  %5 = trunc i16 %2 @0x8000000c
  store %3, %5, access 1 @0x8000000c
  %7 = load i32 %3, access 2 @0x80000010 !v2
  %8 = load i8 %3, access 3 @0x80000014
  %9 = sext i32 %8 @0x80000014 !v3
  %10 = load i16 %3, access 4 @0x80000018
  %11 = zext i32 %10 @0x80000018 !v4
  %12 = add i32 %7, %9 @0x8000001c !v2
  %13 = add i32 %12, %11 @0x80000020 !v2
  store %2, %13, access 5 @0x80000024
  end
