# Branches that are too far become a branch over a jump; forward and backward, and at the edge.
        .text
back:   nop
        beq     a0, a1, ahead
        .space  4084
        bne     a0, a1, back
        bne     a0, a1, back
        blt     a0, a1, back
        bgeu    a0, a1, .Lfar
        beqz    a0, near
near:   nop
        .space  4080
ahead:  bltu    a0, a1, ahead2
        .space  4088
ahead2: nop
        bge     a0, a1, ahead3
        .space  4092
ahead3: nop
        bnez    a0, edge
        .space  4090 - 2
        nop
edge:   nop
        bnez    a0, edge2
        .space  4092
        nop
edge2:  nop
        # one that only becomes too far because others grew
        .irp    n, 1, 2, 3, 4
        beq     a0, a1, 9f
        .endr
        .space  4084
9:      nop
        j       back
        jal     .Lfar
        .space  100000
.Lfar:  ret
