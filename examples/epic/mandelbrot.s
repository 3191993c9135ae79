# The Mandelbrot set with smooth colours.
#
#     cy epic run examples/epic/mandelbrot.s --blocks 240 --png mandelbrot.png
#
# One block for each row, the lanes share it.  Lanes leave the loop after different numbers of turns: each has a program
# counter of its own, and those that are behind run first until the others are caught up with.

        .equ    WIDTH, 320
        .equ    HEIGHT, 240
        .equ    TURNS, 96

# rd = 255 * (1 + cos(r20 + offset)) / 2 as an integer: a channel of the colour wheel.  Uses r21.
        .macro  channel rd, offset
        li      r21, \offset
        call    r31, wave(r0)
        addi    \rd, r21, 0
        .endm

# r4 address   r5 bytes to the next pixel   r6 x   r7 constants
# r8 r9 c   r10 r11 z   r12 r13 their squares   r14 |z|^2   r15 turns   r16 colour   r17 temporary
start:
        muli    r4, %BlockIdx, WIDTH * 4
        slli    r17, %ThreadIdx, 2
        add     r4, r4, r17
        slli    r5, %BlockDim, 2
        addi    r6, %ThreadIdx, 0

        # c = (-2.3 + 0.01 x, -1.2 + 0.01 y)
        cvtif   r9, %BlockIdx
        li      r7, 0.01
        fmul    r9, r9, r7
        li      r7, -1.2
        fadd    r9, r9, r7

pixel:
        cvtif   r8, r6
        li      r7, 0.01
        fmul    r8, r8, r7
        li      r7, -2.3
        fadd    r8, r8, r7
        li      r7, 256.0                       # bail-out: |z| > 16
        addi    r10, r0, 0
        addi    r11, r0, 0
        addi    r15, r0, 0

turn:
        fmul    r12, r10, r10
        fmul    r13, r11, r11
        fadd    r14, r12, r13
        fslt    r17, r7, r14
        branch  escaped
        fmul    r11, r10, r11
        fadd    r11, r11, r11
        fadd    r11, r11, r9                    # y = 2 x y + cy
        fsub    r10, r12, r13
        fadd    r10, r10, r8                    # x = x^2 - y^2 + cx
        addi    r15, r15, 1
        slti    r17, r15, TURNS
        branch  turn

        addi    r16, r0, 0                      # never escapes: black
        jump    draw

escaped:
        # smooth number of turns: n + 1.4712 - log2(log |z|^2), then around the colour wheel
        flog    r14, r14
        flog    r14, r14
        li      r7, 1.442695
        fmul    r14, r14, r7
        cvtif   r20, r15
        fsub    r20, r20, r14
        li      r7, 1.4712337
        fadd    r20, r20, r7
        li      r7, 0.15
        fmul    r20, r20, r7
        channel r16, 3.0
        channel r17, 3.6
        slli    r16, r16, 8
        add     r16, r16, r17
        channel r17, 4.0
        slli    r16, r16, 8
        add     r16, r16, r17

draw:
        sw      r16, (r4)
        add     r4, r4, r5
        add     r6, r6, %BlockDim
        slti    r17, r6, WIDTH
        branch  pixel

        seqi    r17, %BlockIdx, HEIGHT - 1      # the last block shows the picture
        @p disp r0
        exit

# r21 = 255 * (1 + cos(r20 + r21)) / 2
wave:
        fadd    r21, r20, r21
        fcos    r21, r21
        li      r7, 127.5
        fmul    r21, r21, r7
        fadd    r21, r21, r7
        cvtfi   r21, r21
        ret     r31
