# Conway's game of life, with a memory: cells glow when they are born, cool down as they age, and fade when they die.
#
#     cy epic run examples/epic/life.s --gif life.gif
#
# One block: its lanes share the field, and `sync` keeps them together between generations.  The field is the frame
# buffer itself: the highest byte of a word, which is not shown, is the age of the cell, 0 for a dead one.

        .equ    WIDTH, 320
        .equ    HEIGHT, 240
        .equ    CELLS, WIDTH * HEIGHT
        .ifndef GENERATIONS
        .equ    GENERATIONS, 60
        .endif

# r4 old field   r5 new field   r6 generation   r7 cell   r8 x   r9 y   r10 address   r11 neighbours
# r12 r13 addresses of the rows above and below   r14 r15 offsets to the left and right   r16 word   r17 age
# r18 r19 r20 temporaries   r21 constants

# Adds the cell at rs + offset to the number of neighbours.
        .macro  count row, offset
        add     r18, \row, \offset
        lw      r18, (r18)
        srli    r18, r18, 24
        slt     r18, r0, r18
        add     r11, r11, r18
        .endm

start:
        addi    r4, r0, 0
        li      r5, CELLS * 4

        # A random soup that is the same in all four quarters: the hash of the mirrored cell says whether it lives.
        addi    r7, %ThreadIdx, 0
sow:
        remi    r8, r7, WIDTH
        divi    r9, r7, WIDTH
        subi    r18, r8, WIDTH - 1
        sub     r18, r0, r18
        min     r8, r8, r18
        subi    r18, r9, HEIGHT - 1
        sub     r18, r0, r18
        min     r9, r9, r18
        muli    r16, r9, WIDTH
        add     r16, r16, r8
        li      r21, 0x9e3779b1
        mul     r16, r16, r21
        srli    r18, r16, 15
        xor     r16, r16, r18
        li      r21, 0x85ebca6b
        mul     r16, r16, r21
        srli    r16, r16, 28                    # 0 ... 15
        slti    r18, r16, 5
        addi    r16, r0, 0
        @p li   r16, 0x01ffffc0
        slli    r10, r7, 2
        sw      r16, (r10)
        add     r7, r7, %BlockDim
        li      r21, CELLS
        slt     r18, r7, r21
        branch  sow
        sync
        disp    r4

        addi    r6, r0, 1
generation:
        addi    r7, %ThreadIdx, 0
cell:
        # the neighbours; the field is closed in itself
        remi    r8, r7, WIDTH
        divi    r9, r7, WIDTH
        slli    r10, r7, 2
        add     r10, r10, r4
        li      r21, WIDTH * 4
        sub     r12, r10, r21
        add     r13, r10, r21
        li      r21, CELLS * 4
        seqi    r18, r9, 0
        @p add  r12, r12, r21
        seqi    r18, r9, HEIGHT - 1
        @p sub  r13, r13, r21
        addi    r14, r0, -4
        seqi    r18, r8, 0
        @p addi r14, r0, WIDTH * 4 - 4
        addi    r15, r0, 4
        seqi    r18, r8, WIDTH - 1
        @p addi r15, r0, 4 - WIDTH * 4
        addi    r11, r0, 0
        count   r12, r14
        count   r12, r0
        count   r12, r15
        count   r10, r14
        count   r10, r15
        count   r13, r14
        count   r13, r0
        count   r13, r15

        # it lives with three neighbours, or with two if it lived before
        lw      r16, (r10)
        srli    r17, r16, 24                    # age
        slt     r18, r0, r17
        or      r18, r18, r11
        seqi    r18, r18, 3
        branch  lives

        # dead: what is left of its light fades by an eighth
        slli    r16, r16, 8
        srli    r16, r16, 8
        srli    r18, r16, 3
        li      r21, 0x1f1f1f
        and     r18, r18, r21
        sub     r16, r16, r18
        jump    store

lives:
        addi    r17, r17, 1
        mini    r17, r17, 30
        # red 255 - 8 age, green 250 - 3 age, blue 120 + 4 age; the age in the byte above
        slli    r16, r17, 8
        muli    r18, r17, -8
        addi    r18, r18, 255
        add     r16, r16, r18
        slli    r16, r16, 8
        muli    r18, r17, -3
        addi    r18, r18, 250
        add     r16, r16, r18
        slli    r16, r16, 8
        slli    r18, r17, 2
        addi    r18, r18, 120
        add     r16, r16, r18

store:
        slli    r10, r7, 2
        add     r10, r10, r5
        sw      r16, (r10)
        add     r7, r7, %BlockDim
        li      r21, CELLS
        slt     r18, r7, r21
        branch  cell

        sync                                    # all cells are written
        disp    r5
        addi    r18, r4, 0                      # the new field is the old one of the next generation
        addi    r4, r5, 0
        addi    r5, r18, 0
        addi    r6, r6, 1
        slti    r18, r6, GENERATIONS
        branch  generation
        exit
