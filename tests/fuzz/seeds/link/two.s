    .section .text.kernel, "ax"
    .globl kernel
    .type kernel, @function
kernel:
    nop
    tail helper
    .size kernel, .-kernel
    .section .ventus.resource.kernel, "w", @progbits
    .half 3, 6, 12, 8
    .text
helper: ret
    .data
    .globl datum
    .type datum, @object
datum: .word kernel, helper+4
    .size datum, 8
    .comm shared, 64, 16
    .bss
    .space 32
    .section .rodata.str1.1, "aMS", @progbits, 1
    .asciz "text"
