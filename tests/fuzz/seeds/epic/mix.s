# A little of everything that integers can do, for the fuzzer to break.
start:  addi    r4, %ThreadIdx, 5
        muli    r5, %BlockIdx, 16
        add     r5, r5, r4
        slli    r6, r5, 2
        andi    r6, r6, 0xffc
        sw      r4, (r6)
        lw      r7, (r6)
        slt     r8, r7, r5
        @p sub  r7, r7, r5
        sz      r7, (r6)
        @p sw   r7, (r6)
        addi    r9, r0, 7
loop:   mac     r10, r9, r4
        div     r11, r10, r9
        rem     r12, r10, r4
        xor     r10, r10, r11
        sra     r10, r10, r9
        subi    r9, r9, 1
        slt     r8, r0, r9
        branch  loop
        call    r31, leaf(r0)
        seqi    r8, r3, 1
        branch  skip
        sync
        jump    done
skip:   min     r10, r10, r12
        maxu    r11, r11, r10
        sync
done:   sw      r10, (r6)
        exit
leaf:   abs     r10, r10
        lui     r13, 0x2aaaa
        or      r10, r10, r13
        ret     r31
