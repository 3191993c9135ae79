# SHAPE: ventus threads=32 local=32x1x1
# A mask in v0 is the bits of the first lane's element: the interpreter executes the instruction on elements of all lanes, which are cells.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v1
    li t1, 0x5555
    vmv.v.x v0, t1
    vadd.vi v2, v1, 3, v0.t
    vsll.vi v1, v1, 2
    vsw12.v v2, 0(v1)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0 exchanges
cell c0 i32 !v0
cell c1 i32 !v1
cell c2 i32 !v2
access 0 read 1 near align 1 pc 0x80000010 op vadd.vi word 0x11b157 words 1 nth 0
access 1 write 4 near align 4 pc 0x80000018 op vsw12.v word 0x20e07b words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  set c0, %1
  set c1, %1
  set c2, %1
  %5 = source i32 lane
  set c1, %5 @0x80000000
  %8 = const i32 21845
  set c0, %8 @0x8000000c
  %10 = get i32 c0 @0x80000010 !v0
  put_v v0, %10 @0x80000010
  %12 = get i32 c1 @0x80000010 !v1
  put_v v1, %12 @0x80000010
  %14 = get i32 c2 @0x80000010 !v2
  put_v v2, %14 @0x80000010
  interpret access 0 @0x80000010
  %17 = get_v i32 v2 @0x80000010
  set c2, %17 @0x80000010
  %19 = get i32 c1 @0x80000014 !v1
  %20 = const i32 2
  %24 = shl i32 %19, %20 @0x80000014
  set c1, %24 @0x80000014
  %26 = get i32 c1 @0x80000018 !v1
  %27 = get i32 c2 @0x80000018 !v2
  store %26, %27, access 1 @0x80000018
  end
