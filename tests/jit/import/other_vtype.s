# SHAPE: ventus threads=32 local=32x1x1
# Elements of other widths are not imported.
    .globl _start, k
    .type k, @function
_start:
k:
    vsetvli t0, zero, e16, m1, ta, ma
    vid.v v2
    endprg
--- output
cannot: another vtype than e32, m1 for all lanes at 0x80000000
