# Prefixes that the assembler adds, and prefixes that the source has.
        .text
        vadd.vv v40, v1, v200           # regext rd=1 rs1=6
        vadd.vv v1, v2, v3              # none
        vadd.vx v32, v64, x40           # vs2=2, rs1=1
        vadd.vi v32, v1, 15             # vd=1
        vadd.vi v1, v2, 16              # regexti imm=0, 16 needs the sign bit clear
        vadd.vi v1, v2, -17
        vadd.vi v255, v128, 1023
        vsll.vi v1, v2, 33
        add     x32, x33, x63
        addi    x40, x0, 5
        lw      x40, 8(x41)
        sw      x40, 8(x41)
        beq     x40, x41, here
        vbeq    v40, v41, here
here:   li      x40, 0x12345678
        la      x40, here
        la      x40, there
        vfmadd.vv v33, v34, v35
        vlw12.v v40, 4(v50)
        vsw12.v v40, 4(v50)
        vle32.v v40, (x50)
        vse32.v v40, (x50)
        csrr    x40, tid
        # written: full names, then the low five bits, then nothing to extend
        regext  zero, zero, 1
        vmv.v.x v32, tp
        regext  zero, zero, 1
        vmv.v.x v0, tp
        regext  1
        vmv.v.x v32, tp
        regext  zero, zero, 0
        vmv.v.x v3, tp
        regexti zero, zero, 0x40
        vadd.vi v1, v2, 32
        regexti zero, zero, 0x40
        vadd.vi v1, v2, 0               # raw
        regexti zero, zero, 0xfc0
        vadd.vi v1, v2, -1              # all ones
        .balign 16
        vadd.vv v40, v1, v2             # stays together after an alignment
#: machine f3 flags 0
#: .text type 1 flags 6 size 280 align 16
#:   0000: 0310200b 02140457 022180d7 0890200b 02044057 0010200b 0217b057 0000300b
#:   0020: 022830d7 fc00300b 0227b0d7 7e70300b 020fbfd7 0400300b 9620b0d7 0490200b
#:   0040: 01f08033 0010200b 00500413 0090200b 0084a403 0480200b 0084a423 0480200b
#:   0060: 00940663 0480200b 0084825b 0010200b 12345437 0090200b 67840413 0010200b
#:   0080: 00000417 0090200b fec40413 0010200b 00000417 0090200b 00040413 0490200b
#:   00a0: a23110d7 0090200b 0049247b 0480200b 0089627b 0090200b 02096407 0090200b
#:   00c0: 02096427 0010200b 80002473 0010200b 5e024057 0010200b 5e024057 0010200b
#:   00e0: 5e024057 0000200b 5e0241d7 0400300b 022030d7 0400300b 022030d7 fc00300b
#:   0100: 022fb0d7 00000013 00000013 00000013 0010200b 02110457
#:   reloc 90 type 23 there+0
#:   reloc 98 type 24 .text+90
#: symbol here .text 6c size 0 bind 0 type 0
#: symbol there UNDEF 0 size 0 bind 1 type 0
