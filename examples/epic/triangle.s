# One triangle with a colour at each corner, drawn by edge functions.  docs/epic-triangle.md walks through it.
#
#     cy epic run examples/epic/triangle.s --blocks 240 --png triangle.png
#
# One block for each row of the picture; the lanes of a core share the row, each takes every r2-th pixel.

        .equ    WIDTH, 320
        .equ    HEIGHT, 240
        # the corners, clockwise on the screen (y goes down)
        .equ    AX, 160
        .equ    AY, 20
        .equ    BX, 300
        .equ    BY, 215
        .equ    CX, 20
        .equ    CY, 215
        .equ    AREA, (BX - AX) * (CY - AY) - (BY - AY) * (CX - AX)     # twice the area, in pixels

# The edge function of P -> Q at (x, y), positive on the inner side:
#     (qx - px) * (y - py) - (qy - py) * (x - px)
# rd = its value at x = r6, y = r1.  Uses r31.
        .macro  edge rd, px, py, qx, qy
        subi    \rd, r1, \py
        muli    \rd, \rd, \qx - \px
        subi    r31, r6, \px
        muli    r31, r31, \qy - \py
        sub     \rd, \rd, r31
        .endm

# r4 address of the pixel   r5 bytes to this lane's next pixel   r6 x
# r7 r8 r9 edge functions opposite to A, B, C: how near the pixel is to each corner
# r10 r11 r12 what they grow by with the next pixel   r13 colour   r14 temporary
start:
        muli    r4, %BlockIdx, WIDTH * 4
        slli    r14, %ThreadIdx, 2
        add     r4, r4, r14
        slli    r5, %BlockDim, 2
        addi    r6, %ThreadIdx, 0

        edge    r7, BX, BY, CX, CY
        edge    r8, CX, CY, AX, AY
        edge    r9, AX, AY, BX, BY
        muli    r10, %BlockDim, BY - CY
        muli    r11, %BlockDim, CY - AY
        muli    r12, %BlockDim, AY - BY

pixel:
        # a dark background that gets bluer toward the bottom
        srli    r13, r1, 2
        addi    r13, r13, 16
        sw      r13, (r4)

        # inside: none of the three is negative
        min     r14, r7, r8
        min     r14, r14, r9
        slti    r14, r14, 0
        seqi    r14, r14, 0                     # the predicate is 1 inside

        # the corners' colours - red, green, blue - by their shares of the area
        @p muli r13, r7, 255
        @p li   r31, AREA
        @p div  r13, r13, r31
        @p slli r13, r13, 8
        @p muli r14, r8, 255
        @p div  r14, r14, r31
        @p add  r13, r13, r14
        @p slli r13, r13, 8
        @p muli r14, r9, 255
        @p div  r14, r14, r31
        @p add  r13, r13, r14
        @p sw   r13, (r4)

        add     r4, r4, r5
        add     r6, r6, %BlockDim
        add     r7, r7, r10
        add     r8, r8, r11
        add     r9, r9, r12
        slti    r14, r6, WIDTH
        branch  pixel

        # The last block shows the picture; disp waits until all the others have drawn.
        seqi    r14, %BlockIdx, HEIGHT - 1
        @p disp r0
        exit
