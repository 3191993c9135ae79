# Floating point, the special functions and frames.
start:  cvtif   r4, %ThreadIdx
        fsin    r5, r4
        fcos    r6, r4
        fadd    r7, r5, r6
        fexp    r7, r7
        flog    r7, r7
        fsqrt   r7, r7
        frsqrt  r8, r7
        fmac    r8, r7, r5
        fmin    r8, r8, r6
        fslt    r9, r8, r7
        @p cvtfc r10, r8
        cvtfr   r11, r8
        slli    r12, %ThreadIdx, 2
        sw      r11, (r12)
        seqi    r9, r3, 0
        @p disp r0
        sync
        disp    r0
        exit
