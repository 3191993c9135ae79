# SHAPE: ventus threads=32 local=32x1x1
# Where a function calls itself, its calls share one copy, and a return may lead behind each of them.
    .globl _start, k
    .type k, @function
_start:
k:
    csrr sp, CSR_LDS
    li t1, 3
    jal count
    endprg
count:
    sw ra, 0(sp)
    addi sp, sp, 4
    addi t1, t1, -1
    beqz t1, 1f
    jal count
1:  addi sp, sp, -4
    lw ra, 0(sp)
    ret
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 near align 4 pc 0x80000010 op sw word 0x112023 scalar words 1 nth 0
access 1 read 4 near align 4 pc 0x80000028 op lw word 0x12083 scalar words 1 nth 0
access 2 read 1 near align 1 pc 0x8000002c op jalr word 0x8067 words 1 nth 0
b0: @0x80000000
  %1 = const i32 0
  %2 = source i32 lds
  %3 = const i32 3
  %4 = const i32 0x8000000c
  %9 = const i32 4
  %11 = const i32 0xffffffff
  %14 = const i32 0x80000024
  %17 = const i32 0xfffffffc
  %20 = const i32 0xfffffffe
  jump b1
b1: @0x80000010 ; from b0, b2
  %5 = phi i32 %4 from b0, %14 from b2 !x1
  %6 = phi i32 %2 from b0, %10 from b2 !x2
  %7 = phi i32 %3 from b0, %12 from b2 !x6
  store %6, %5, access 0 @0x80000010
  %10 = add i32 %6, %9 @0x80000014 !x2
  %12 = add i32 %7, %11 @0x80000018 !x6
  %13 = eq i1 %12, %1 @0x8000001c
  branch %13, b3, b2
b2: @0x80000020 ; from b1
  poll @0x80000020
  jump b1
b3: @0x80000024 ; from b1, b3
  %16 = phi i32 %10 from b1, %18 from b3 !x2
  %18 = add i32 %16, %17 @0x80000024 !x2
  %19 = load i32 %18, access 1 @0x80000028 !x1
  %21 = and i32 %19, %20 @0x8000002c
  poll @0x8000002c
  switch %21, 0x8000000c b4, 0x80000024 b3, 0 b5
b4: @0x8000000c ; from b3
  end
b5: @0x8000002c ; from b3
  trap trap, access 2 @0x8000002c
  unreachable
