1:      auipc   a0, %pcrel_hi(data)
        addi    a0, a0, %pcrel_lo(data)
        addi    a0, a0, %pcrel_lo(1b + 4)
        addi    a0, a0, %pcrel_lo(2f)
2:      nop
        addi    a0, a0, %pcrel_lo(3f)
        auipc   a0, %pcrel_hi(5)
        call    number
        la      a0, number
        .set    number, 5
        .data
data:   .word   0
