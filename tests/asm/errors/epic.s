#! --march=epic-fpga
        add     r0, r1, r2
        add     r2, r1, r2
        add     %ThreadIdx, r1, r2
        add     r32, r1, r2
        or      r4, r5, r6
        fmin    r4, r5, r6
        vadd.vv v1, v2, v3
        lw      r4, 4(r5)
        li      r4, 1.5.5
        li      r4, symbol
        li      r2, 5
        @p jump start
        @q add  r4, r5, r6
        @p
        addi    r4, r5, 4096
        addi    r4, r5, start
        lui     r4, 0x40000
        jump    3
        call    r5, 2(r6)
        disp    start
        .ventus_kernel x
        .dword  start
start:  exit
