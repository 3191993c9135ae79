# Labels of all kinds, bindings, types, sizes, relocations.
        .text
        .globl  entry, other
        .type   entry, @function
        .type   other, %function
        .type   item, @object
        .weak   weakly
        .hidden secret
        .globl  secret
        .protected guarded
        .globl guarded
        .local  inner
        .file   "symbols.c"
entry:  a: b:   nop
other : nop
1:      addi    a0, a0, -1
        bnez    a0, 1b
        beqz    a0, 1f
        j       1b
1:      j       2f
2: 3:   j       3b
        bne     a0, a1, .Lprivate
        jal     .Lprivate
        call    inner
        tail    inner
inner:  ret
.Lprivate:
        la      a0, inner
        lla     a1, inner
        lw      a2, inner
        lbu     a3, inner
        sw      a2, inner, t0
        sb      a2, inner, t1
0:      auipc   a0, %pcrel_hi(inner)
        lw      a1, %pcrel_lo(0b)(a0)
        sw      a1, %pcrel_lo(0b)(a0)
        addi    a0, a0, %pcrel_lo(0b)
"quoted name":
        nop
$dollar.and_under: nop
        .size   entry, . - entry
        .size   other, 8
        # everything that needs a relocation
        call    outside
        call    outside@plt
        tail    outside
        call    t2, outside
        jump    outside, t3
        call    entry
        j       outside
        jal     entry
        jal     t0, outside
        la      a0, outside
        la      a0, item
        la      a0, item + 8
        la      a0, .Litem
        lla     a0, entry
        lw      a0, item
        lh      a0, outside+4
        sw      a0, item, t0
        lui     a0, %hi(item)
        addi    a0, a0, %lo(item)
        lui     a0, %hi(item + 0x1800)
        lw      a0, %lo(item + 0x1800)(a0)
        sw      a0, %lo(outside)(a0)
        lui     a0, %hi(0x12345fff)
        addi    a0, a0, %lo(0x12345fff)
        lui     a0, %hi(late)
        addi    a0, a0, %lo(late)
.Lhere: auipc   a0, %pcrel_hi(item)
        addi    a0, a0, %pcrel_lo(.Lhere)
guarded: secret: weakly: nop
        call    weakly
        .data
.Litem: .word   0
item:   .word   entry, inner, outside, outside + 4, item - 4, . + 4
        .word   outside - item, outside - entry, item - entry
        .half   outside - entry
        .byte   outside - entry
        .dword  entry
        .dword  outside - item
        .word   other - entry
        .set    alias, inner
        .globl  alias2
alias2 = item + 4
late = 0x87654321
        .equ    absolute, 42
        .globl  absolute
        .word   absolute
        .weak   undefined_weak
        .word   undefined_weak
