# SHAPE: ventus threads=32 local=32x1x1
# vmv.x.s has the last active lane's value; whole registers move.
    .globl _start, k
    .type k, @function
_start:
k:
    vid.v v2
    vmv.x.s t1, v2
    vmv2r.v v4, v2
    vadd.vx v4, v4, t1
    vadd.vv v4, v4, v5
    vsw12.v v4, 0(v2)
    endprg
--- output
kernel "kernel" simt gen1 local 32 1 1 threads 32 warps 1 private 1024 strip 0/0 items 32 row 0
access 0 write 4 near align 4 pc 0x80000014 op vsw12.v word 0x41607b words 1 nth 0
b0: @0x80000000
  %2 = source i32 lane
  %3 = last i32 %2 @0x80000004 !x6
  %4 = add i32 %2, %3 @0x8000000c !v4
  store %2, %4, access 0 @0x80000014
  end
