# SHAPE: ventus threads=32 local=32x1x1
# sp grows and shrinks again while others wait: who comes to the join has what it had before, so that it is a value.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr sp, CSR_LDS
    vid.v v0
    vmv.v.i v1, 7
1:  auipc t6, %pcrel_hi(2f)
    setrpc zero, t6, %pcrel_lo(1b)
    vblt v1, v0, 2f
    jal f
2:  join zero, zero, 0
    sw t1, 4(sp)
    endprg
f:  addi sp, sp, 16
    sw ra, -4(sp)
    addi sp, sp, -16
    ret
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 near align 4 pc 0x8000002c op sw word 0xfe112e23 offset -4 scalar words 1 nth 0
access 1 write 4 near align 4 pc 0x80000020 op sw word 0x612223 offset 4 scalar words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 lds
  %3 = source i32 lane
  %4 = const i32 7
  %6 = const i32 16
  %7 = const i32 0x8000001c
  %8 = lts i1 %4, %3 @0x80000014
  vbranch %8, b2, b1, join b2
b1: @0x80000018 ; from b0
  %9 = add i32 %2, %6 @0x80000028 !x2
  store %9, %7, access 0 @0x8000002c
  jump b2
b2: @0x8000001c ; from b0, b1
  store %2, %1, access 1 @0x80000020
  end
