# SHAPE: ventus threads=32 local=32x1x1
# A return address that was stored is compared with the place behind the call: it leads there, or to a trap.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr sp, CSR_LDS
    jal outer
    endprg
outer:
    sw ra, 0(sp)
    addi sp, sp, 4
    jal inner
    addi sp, sp, -4
    lw ra, 0(sp)
    ret
inner:
    vid.v v0
    vsw12.v v0, 0(v0)
    ret
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 near align 4 pc 0x8000000c op sw word 0x112023 scalar words 1 nth 0
access 1 write 4 near align 4 pc 0x80000028 op vsw12.v word 0x607b words 1 nth 0
access 2 read 4 near align 4 pc 0x8000001c op lw word 0x12083 scalar words 1 nth 0
access 3 read 1 near align 1 pc 0x80000020 op jalr word 0x8067 words 1 nth 0
b0: @0x80000000
  %2 = source i32 lds
  %3 = const i32 0x80000008
  store %2, %3, access 0 @0x8000000c
  %8 = source i32 lane
  store %8, %8, access 1 @0x80000028
  %11 = load i32 %2, access 2 @0x8000001c !x1
  %12 = const i32 0xfffffffe
  %13 = and i32 %11, %12 @0x80000020
  switch %13, 0x80000008 b1, 0 b2
b1: @0x80000008 ; from b0
  end
b2: @0x80000020 ; from b0
  trap trap, access 3 @0x80000020
  unreachable
