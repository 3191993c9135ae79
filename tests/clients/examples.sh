#!/bin/bash
# The examples run and find their results right; `cy exec` passes arguments and exit statuses on.
set -euo pipefail
examples=$CY_BUILD/bin/examples
[ "$("$CY" exec -- "$examples/vecadd")" = "Chengying Ventus added 1000 pairs, 0 of them wrong" ]
"$CY" exec --stats "$examples/mandelbrot" "$CY_TMP/mandelbrot.png" >"$CY_TMP/out" 2>"$CY_TMP/err"
grep -q '^differ from the host  *0 of 614400 pixels$' "$CY_TMP/out"
grep -Eq '^mandelbrot +20 +[0-9.]+ +100\.0% +[0-9]+ +614400 +[0-9.]+% +[0-9.]+% +[0-9.]+%$' "$CY_TMP/err"
grep -Eq '^total +20 ' "$CY_TMP/err"
grep -Eq '^translated +[0-9.]+% of the work-items, [0-9.]+% of the instructions$' "$CY_TMP/err"
[ "$(head -c 4 "$CY_TMP/mandelbrot.png" | tail -c 3)" = PNG ]
"$CY" exec -- "$examples/reduce" | grep -qx 'the sum of 262144 numbers is 4294887936, the host says 4294887936'
"$CY" exec -- "$examples/matmul" | grep -qx '0 of 16384 elements are wrong'
"$CY" exec -- "$examples/life" 50 | grep -qx '50 generations, as the host has them'
"$CY" exec -- "$examples/fault" >"$CY_TMP/out"
grep -qx 'work-item 7 writes to out\[70000000\]' "$CY_TMP/out"
grep -q '^fault: access to unmapped memory: write of 4 bytes at 0x' "$CY_TMP/out"
grep -q '^status of the good launch 0, of the bad one -5, of the good one again 0$' "$CY_TMP/out"
"$CY" exec -- "$CY_PYTHON" examples/opencl/julia.py "$CY_TMP/julia.png" |
    grep -qx "Chengying Ventus: 480x320 pixels, 0 differ from numpy's"
[ "$(head -c 4 "$CY_TMP/julia.png" | tail -c 3)" = PNG ]
status=0
"$CY" exec -- sh -c 'exit 7' || status=$?
[ $status = 7 ]
status=0
"$CY" exec -- "$CY_TMP/no-such-program" 2>/dev/null || status=$?
[ $status = 1 ]
# without its library it says what to do
mkdir "$CY_TMP/bin"
cp "$CY" "$CY_TMP/bin/cy"
status=0
"$CY_TMP/bin/cy" exec -- true 2>"$CY_TMP/err" || status=$?
[ $status = 1 ]
grep -q 'libchengying_cl.so.1 is not in .*make install' "$CY_TMP/err"
