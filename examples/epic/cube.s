# A cube and an octahedron that grow through each other, tumbling: 20 triangles for each frame, drawn by edge functions into
# a depth buffer.
#
#     cy epic run examples/epic/cube.s --blocks 48 --mem 16M --gif cube.gif
#
# One block per frame: every block has its own frame buffer, so that the cores can draw frames in parallel;
# they are shown in the order of the blocks.  The lanes of a core share the vertices, and then the pixels of each triangle.

        .equ    WIDTH, 320
        .equ    HEIGHT, 240
        .equ    FRAME_BYTES, WIDTH * HEIGHT * 4
        .equ    FRAMES, 48
        .equ    VERTICES, 14                    # 8 of the cube, 6 of the octahedron
        # a vertex as the triangles need it
        .equ    SCREEN_X, 0                     # in sixteenths of a pixel
        .equ    SCREEN_Y, 4
        .equ    DEPTH, 8                        # 2 - 1/z: linear on the screen, and positive floats order like integers
        .equ    VIEW_X, 12
        .equ    VIEW_Y, 16
        .equ    VIEW_Z, 20
        .equ    VERTEX_BYTES, 32
        .equ    VERTICES_AT, FRAMES * FRAME_BYTES   # 512 bytes for each block

# r4 frame buffer   r9 vertices, all through the program

        .macro  triangle a, b, c
        addi    r5, r9, \a * VERTEX_BYTES
        addi    r6, r9, \b * VERTEX_BYTES
        addi    r7, r9, \c * VERTEX_BYTES
        call    r31, draw(r0)
        .endm

        .macro  face color, a, b, c, d, e, f
        li      r8, \color
        triangle \a, \b, \c
        li      r8, \color
        triangle \d, \e, \f
        .endm

# rd = word of the vertex at rs
        .macro  member rd, rs, offset
        addi    \rd, \rs, \offset
        lw      \rd, (\rd)
        .endm

# The edge function of P -> Q at (r6, r7), and its steps.  A pixel on an edge belongs to the triangle only if that is a top
# or left edge, so that triangles that share an edge neither draw a pixel twice nor skip one.  Uses r16.
        .macro  edge value, step_x, step_y, px, py, qx, qy
        sub     \step_y, \qx, \px
        sub     \step_x, \qy, \py
        sub     \value, r7, \py
        mul     \value, \value, \step_y
        sub     r16, r6, \px
        mul     r16, r16, \step_x
        sub     \value, \value, r16
        subi    \value, \value, 1
        seqi    r16, \step_x, 0
        @p slt  r16, r0, \step_y
        @p addi \value, \value, 1               # a top edge
        slti    r16, \step_x, 0
        @p addi \value, \value, 1               # a left edge
        mul     \step_x, \step_x, %BlockDim
        slli    \step_x, \step_x, 4
        sub     \step_x, r0, \step_x
        slli    \step_y, \step_y, 4
        .endm

start:
        li      r10, FRAME_BYTES
        mul     r4, %BlockIdx, r10
        li      r9, VERTICES_AT
        slli    r10, %BlockIdx, 9
        add     r9, r9, r10

# ---- background: darker toward the top ----
        addi    r10, %ThreadIdx, 0
        li      r14, WIDTH * HEIGHT
clear:
        divi    r11, r10, WIDTH * 8             # 0 ... 29
        slli    r12, r11, 8
        add     r12, r12, r11
        slli    r12, r12, 8
        slli    r11, r11, 1
        add     r12, r12, r11
        li      r13, 0x08080c
        add     r12, r12, r13
        slli    r11, r10, 2
        add     r11, r11, r4
        sw      r12, (r11)
        add     r10, r10, %BlockDim
        slt     r11, r10, r14
        branch  clear

# ---- vertices ----
# r10 sine   r11 cosine of the angle, by which all turns around the y axis and then around the x axis
        cvtif   r10, %BlockIdx
        li      r11, 0.1308997                  # 2 pi / 48
        fmul    r10, r10, r11
        fcos    r11, r10
        fsin    r10, r10
        addi    r12, %ThreadIdx, 0              # vertex
        slti    r13, r12, VERTICES
        branch  vertex
        jump    transformed
vertex:
        # r14 r15 r16 its place
        slti    r13, r12, 8
        branch  corner
        addi    r14, r0, 0                      # octahedron: 1.75 or -1.75 on one axis
        addi    r15, r0, 0
        addi    r16, r0, 0
        andi    r17, r12, 1
        slli    r17, r17, 31
        li      r18, -1.75
        xor     r17, r17, r18
        subi    r18, r12, 8
        srli    r18, r18, 1
        seqi    r19, r18, 0
        @p addi r14, r17, 0
        seqi    r19, r18, 1
        @p addi r15, r17, 0
        seqi    r19, r18, 2
        @p addi r16, r17, 0
        jump    turn
corner:
        li      r18, -1.0                       # cube: the bits of the number are the signs
        slli    r14, r12, 31
        xor     r14, r14, r18
        srli    r15, r12, 1
        slli    r15, r15, 31
        xor     r15, r15, r18
        srli    r16, r12, 2
        slli    r16, r16, 31
        xor     r16, r16, r18
turn:
        fmul    r17, r14, r11                   # x' = x cos + z sin
        fmac    r17, r16, r10
        fmul    r18, r16, r11                   # z' = z cos - x sin
        fmul    r19, r14, r10
        fsub    r18, r18, r19
        fmul    r19, r15, r11                   # y'' = y cos - z' sin
        fmul    r20, r18, r10
        fsub    r19, r19, r20
        fmul    r20, r15, r10                   # z'' = y sin + z' cos + distance
        fmac    r20, r18, r11
        li      r21, 4.6
        fadd    r20, r20, r21
        frcp    r21, r20
        li      r22, 225.0                      # perspective
        fmul    r22, r22, r21
        # to memory: view, screen, depth
        muli    r23, r12, VERTEX_BYTES
        add     r23, r23, r9
        addi    r24, r23, VIEW_X
        sw      r17, (r24)
        addi    r24, r23, VIEW_Y
        sw      r19, (r24)
        addi    r24, r23, VIEW_Z
        sw      r20, (r24)
        li      r25, 160.0
        fmac    r25, r17, r22
        li      r26, 16.0
        fmul    r25, r25, r26
        cvtfr   r25, r25
        addi    r24, r23, SCREEN_X
        sw      r25, (r24)
        li      r25, 120.0
        fmac    r25, r19, r22
        fmul    r25, r25, r26
        cvtfr   r25, r25
        addi    r24, r23, SCREEN_Y
        sw      r25, (r24)
        li      r25, 2.0
        fsub    r25, r25, r21
        addi    r24, r23, DEPTH
        sw      r25, (r24)
        add     r12, r12, %BlockDim
        slti    r13, r12, VERTICES
        branch  vertex
transformed:
        sync                                    # every lane needs all of them

# ---- triangles: corners clockwise when they face the viewer ----
        face    0xe04038, 0, 2, 6, 0, 6, 4
        face    0xf09030, 1, 7, 3, 1, 5, 7
        face    0x40b050, 0, 4, 5, 0, 5, 1
        face    0x3890e0, 2, 7, 6, 2, 3, 7
        face    0xe8d040, 0, 1, 3, 0, 3, 2
        face    0xa058d0, 4, 7, 5, 4, 6, 7
        face    0xf0f0f0, 8, 10, 12, 8, 11, 13
        face    0xf0f0f0, 9, 10, 13, 9, 11, 12
        face    0x50d8d8, 8, 13, 10, 8, 12, 11
        face    0x50d8d8, 9, 12, 10, 9, 13, 11

        sync                                    # every pixel is drawn
        disp    r4
        exit

# ---- draw: the triangle of the vertices at r5, r6, r7 in the colour r8; returns to r31 ----
# Everything here is uniform except the lane's pixel.
draw:
        member  r10, r5, SCREEN_X
        member  r11, r5, SCREEN_Y
        member  r12, r6, SCREEN_X
        member  r13, r6, SCREEN_Y
        member  r14, r7, SCREEN_X
        member  r15, r7, SCREEN_Y
        # twice the area; not positive: it faces away
        sub     r17, r12, r10
        sub     r18, r15, r11
        mul     r16, r17, r18
        sub     r17, r13, r11
        sub     r18, r14, r10
        mul     r17, r17, r18
        sub     r16, r16, r17
        slti    r17, r16, 1
        branch  hidden

        # light: the normal n = (B - A) x (C - A) in view space, which points away from the viewer, against a direction
        member  r17, r5, VIEW_X
        member  r18, r6, VIEW_X
        member  r19, r7, VIEW_X
        fsub    r20, r18, r17                   # B - A
        fsub    r23, r19, r17                   # C - A
        member  r17, r5, VIEW_Y
        member  r18, r6, VIEW_Y
        member  r19, r7, VIEW_Y
        fsub    r21, r18, r17
        fsub    r24, r19, r17
        member  r17, r5, VIEW_Z
        member  r18, r6, VIEW_Z
        member  r19, r7, VIEW_Z
        fsub    r22, r18, r17
        fsub    r25, r19, r17
        fmul    r26, r21, r25                   # n
        fmul    r17, r22, r24
        fsub    r26, r26, r17
        fmul    r27, r22, r23
        fmul    r17, r20, r25
        fsub    r27, r27, r17
        fmul    r28, r20, r24
        fmul    r17, r21, r23
        fsub    r28, r28, r17
        fmul    r29, r26, r26                   # |n|
        fmac    r29, r27, r27
        fmac    r29, r28, r28
        fsqrt   r29, r29
        li      r17, 0.45
        fmul    r18, r26, r17
        li      r17, 0.65
        fmac    r18, r27, r17
        li      r17, 0.61
        fmac    r18, r28, r17
        fdiv    r18, r18, r29
        fmax    r18, r18, r0
        li      r17, 185.0
        fmul    r18, r18, r17
        cvtfr   r18, r18
        addi    r18, r18, 70                    # 70 ... 255
        srli    r17, r8, 16
        mul     r17, r17, r18
        srli    r17, r17, 8
        slli    r19, r17, 8
        srli    r17, r8, 8
        andi    r17, r17, 255
        mul     r17, r17, r18
        srli    r17, r17, 8
        add     r19, r19, r17
        slli    r19, r19, 8
        andi    r17, r8, 255
        mul     r17, r17, r18
        srli    r17, r17, 8
        add     r8, r19, r17                    # the shaded colour

        # depth of the corners by their shares of the area: r1, r29, r30
        cvtif   r17, r16
        member  r1, r5, DEPTH
        fdiv    r1, r1, r17
        member  r29, r6, DEPTH
        fdiv    r29, r29, r17
        member  r30, r7, DEPTH
        fdiv    r30, r30, r17

        # the rectangle around it, in pixels, as far as it is on the screen: x r26 ... r27 - 1, y r5 ... r28 - 1
        min     r26, r10, r12
        min     r26, r26, r14
        srai    r26, r26, 4
        maxi    r26, r26, 0
        max     r27, r10, r12
        max     r27, r27, r14
        srai    r27, r27, 4
        addi    r27, r27, 1
        mini    r27, r27, WIDTH
        max     r28, r11, r13
        max     r28, r28, r15
        srai    r28, r28, 4
        addi    r28, r28, 1
        mini    r28, r28, HEIGHT
        min     r5, r11, r13
        min     r5, r5, r15
        srai    r5, r5, 4
        maxi    r5, r5, 0
        slt     r6, r5, r28                     # none of it is on the screen
        seqi    r6, r6, 0
        branch  hidden

        # edge functions at the centre of this lane's first pixel: r17 opposite to A, r18 to B, r19 to C;
        # they grow by r20, r21, r22 to the lane's next pixel and by r23, r24, r25 to the next row
        add     r26, r26, %ThreadIdx
        slli    r6, r26, 4
        addi    r6, r6, 8
        slli    r7, r5, 4
        addi    r7, r7, 8
        edge    r17, r20, r23, r12, r13, r14, r15
        edge    r18, r21, r24, r14, r15, r10, r11
        edge    r19, r22, r25, r10, r11, r12, r13

row:
        addi    r10, r17, 0
        addi    r11, r18, 0
        addi    r12, r19, 0
        addi    r13, r26, 0                     # x
        muli    r14, r5, WIDTH
        add     r14, r14, r13
        slli    r14, r14, 2
        add     r14, r14, r4                    # address
        slli    r15, %BlockDim, 2
pixel:
        slt     r6, r13, r27                    # in the rectangle, and no edge function negative?
        @p min  r6, r10, r11
        @p min  r6, r6, r12
        @p srli r6, r6, 31
        @p seqi r6, r6, 0
        @p cvtif r6, r10
        @p fmul r7, r6, r1
        @p cvtif r6, r11
        @p fmac r7, r6, r29
        @p cvtif r6, r12
        @p fmac r7, r6, r30
        @p sz   r7, (r14)                       # nearer than what is there?
        @p sw   r8, (r14)
        add     r10, r10, r20
        add     r11, r11, r21
        add     r12, r12, r22
        add     r13, r13, %BlockDim
        add     r14, r14, r15
        slt     r6, r13, r27
        branch  pixel

        add     r17, r17, r23
        add     r18, r18, r24
        add     r19, r19, r25
        addi    r5, r5, 1
        slt     r6, r5, r28
        branch  row
hidden:
        ret     r31
