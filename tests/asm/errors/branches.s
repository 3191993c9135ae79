# Too far to branch.
start:  nop
        vbeq    v1, v2, far
        .space  5000
        vblt    v1, v2, start
        j       very
        .space  2000000
far:    nop
very:   nop
        beq     a0, a1, odd
        .byte   0
odd:
