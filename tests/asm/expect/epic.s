#! --march=epic
# EpicGPU: syntax, li, la, jumps.
        .text
start:  add     r4, r5, r6
@p      sw      r5, (r6)
        @p add  r4, r5, r6
        lw      r4, (r5)
        lw      r4, 0(r5)
        addi    r4, %ThreadIdx, 5
        mul     r4, %BlockIdx, %BlockDim
        lui     r4, 0x3ffff
        li      r4, 0
        li      r4, 4095
        li      r4, -4096
        li      r4, 4096
        li      r4, 0x4000
        li      r4, 0x4005
        li      r4, 0x12345678
        li      r4, -8192
        li      r4, 8191
        li      r4, 'a'
        li      r4, 1.0
        li      r4, -0.5
        li      r4, 3.14159
@p      li      r4, 0x12345678
        la      r4, start
        la      r4, data
        branch  start
        jump    end
        call    r5, 8(r6)
        call    r5, end
        call    r5, outside
        jump    outside
        ret     r5
        sync
        mv      r4, r5
        disp    r4
        sz      r4, (r5)
        xstart  1, 0x100
        xinstr
        xend
end:    exit
        .balign 8
        exit
        .data
data:   .word   1, data, end - start, start - .
        .float  1.5
        .half   2
        .byte   3
#: machine e91c flags 0
#: .text type 1 flags 6 size 220 align 8
#:   0000: 000300a4 900284c0 100300a4 800000a4 800000a4 20028064 00010824 4fffffe4
#:   0020: 20000004 27ff8004 28000004 27ff8004 20008084 40007c24 40007c24 20028084
#:   0040: 41237e24 27ff8084 233c8084 28000004 28000084 27ff8004 27ff8084 20008084
#:   0060: 20308004 43f87c04 4bf07c04 4404fc84 27e80084 51237e24 37ff8084 333c8084
#:   0080: 40007c04 20000084 20000084 40007c04 20000084 20000084 ffffe7da e000000d
#:   00a0: e00048c5 e0000805 e0000805 e0000000 e0000ca0 e0001800 200000a4 c0000080
#:   00c0: 80020ca0 a1000100 a8000000 b0000000 e0001c00 00000000 e0001c00
#:   reloc 80 type 6 start+0
#:   reloc 84 type 7 start+0
#:   reloc 88 type 8 start+0
#:   reloc 8c type 6 data+0
#:   reloc 90 type 7 data+0
#:   reloc 94 type 8 data+0
#:   reloc a4 type 3 end+0
#:   reloc a8 type 3 outside+0
#:   reloc ac type 2 outside+0
#: .data type 1 flags 3 size 23 align 1
#:   0000: 0001 0000 0000 0000 00d0 0000 0000 0000
#:   0010: 0000 3fc0 0002 0003
#:   reloc 4 type 1 data+0
#:   reloc c type 9 start+0
#: symbol data .data 0 size 0 bind 0 type 0
#: symbol end .text d0 size 0 bind 0 type 0
#: symbol outside UNDEF 0 size 0 bind 1 type 0
#: symbol start .text 0 size 0 bind 0 type 0
