#!/bin/bash
# LLVM's remarks and warnings do not reach standard error: this loop cannot be unrolled as it asks.
set -euo pipefail
printf '%s\n' 'kernel void k(global int *p, int n)' '{' '#pragma unroll' '    for (int i = 0; i < n; i++) {' \
    '        p[i] += i;' '        barrier(CLK_GLOBAL_MEM_FENCE);' '    }' '}' >"$CY_TMP/k.cl"
"$CY" cc -o "$CY_TMP/k.riscv" "$CY_TMP/k.cl" 2>"$CY_TMP/err"
[ ! -s "$CY_TMP/err" ] || { cat "$CY_TMP/err"; exit 1; }
