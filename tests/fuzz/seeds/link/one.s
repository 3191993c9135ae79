    .globl _start
_start:
    lui a0, %hi(datum)
    lw a1, %lo(datum+4)(a0)
    la a2, datum
.Lgot:
    auipc a3, %got_pcrel_hi(kernel)
    lw a3, %pcrel_lo(.Lgot)(a3)
    call kernel
    beq a0, a1, .Lend
    jal kernel
    .p2align 4
.Lend:
    ret
    .weak nowhere
    .word nowhere, kernel-., .Lend-_start
    .uleb128 .Lend-_start
    .comm shared, 16, 8
    .section .text.unused, "ax"
    .globl unused
unused: j _start
    .section boxes, "a"
    .word __start_boxes, __stop_boxes
