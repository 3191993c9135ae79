# The other half of program.c, and the system call at the end (ecall is no instruction of Ventus).
        .text
        .globl  _start
_start: .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        li      a0, 3
1:      beqz    a0, 2f                  # far: over the space below
        lw      t0, counter_in_assembly
        addi    t0, t0, 1
        sw      t0, counter_in_assembly, t1
        addi    a0, a0, -1
        j       1b
        .space  6000
2:      call    check
        beqz    a0, finish              # in another section
        j       finish
        .section .text.finish, "ax"
finish: li      a7, 93
        .word   0x00000073

        .text
        .globl  from_assembly
        .type   from_assembly, @function
from_assembly:
        addi    sp, sp, -16
        sw      ra, 12(sp)
        mv      t0, a0
        mv      a0, a1
        jalr    t0
        lui     t1, %hi(one)
        lw      t1, %lo(one)(t1)
        add     a0, a0, t1
.Lhi:   auipc   t1, %pcrel_hi(one)
        lw      t2, %pcrel_lo(.Lhi)(t1)
        sub     t1, t2, t2
        add     a0, a0, t1
        lw      ra, 12(sp)
        addi    sp, sp, 16
        ret
        .size   from_assembly, . - from_assembly

        .section .rodata
        .globl  table_in_assembly, one
table_in_assembly:
        .word   10, 20, 30
string: .asciz  "abc"
        .data
        .globl  pointer_in_assembly, difference_in_assembly, other_difference, counter_in_assembly
        .p2align 2
pointer_in_assembly: .word string
one:    .word   1
difference_in_assembly: .word . - pointer_in_assembly
other_difference: .word difference_in_assembly - choose
counter_in_assembly: .word 0
