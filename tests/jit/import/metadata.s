# SHAPE: ventus threads=32 local=8x4x1
# Words of the metadata that belong to the shape are constants; branches on them lead one way.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr t0, CSR_KNL
    lw t1, 24(t0)
    lw t2, 8(t0)
    lw t3, 12(t0)
    li t4, 2
    beq t2, t4, 1f
    endprg
1:  mul t1, t1, t3
    csrr t5, CSR_NUMT
    add t1, t1, t5
    vmv.v.x v0, t1
    vsw12.v v0, 0(v0)
    endprg
--- output
kernel "kernel" simt gen1 local 8 4 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 read 4 near align 4 pc 0x8000000c op lw word 0xc2ae03 offset 12 scalar words 1 nth 0
access 1 write 4 near align 4 pc 0x8000002c op vsw12.v word 0x607b words 1 nth 0
b0: @0x80000000
  %2 = source i32 metadata
  %3 = const i32 8
  %5 = load i32 %2, access 0 @0x8000000c !x28
  %6 = mul i32 %5, %3 @0x8000001c !x6
  %7 = const i32 32
  %8 = add i32 %6, %7 @0x80000024 !x6
  store %8, %8, access 1 @0x8000002c
  end
