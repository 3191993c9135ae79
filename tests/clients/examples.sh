#!/bin/bash
# The examples run and find their results right; `cy exec` passes arguments and exit statuses on.
set -euo pipefail
examples=$CY_BUILD/bin/examples
[ "$("$CY" exec -- "$examples/vecadd")" = "Chengying Ventus added 1000 pairs, 0 of them wrong" ]
"$CY" exec --stats "$examples/mandelbrot" "$CY_TMP/mandelbrot.png" >"$CY_TMP/out" 2>"$CY_TMP/err"
grep -q '^differ from the host  *0 of 614400 pixels$' "$CY_TMP/out"
grep -Eq '^mandelbrot +20 +[0-9.]+ +100\.0% +[0-9]+ +614400 +[0-9.]+% +[0-9.]+% +[0-9.]+%$' "$CY_TMP/err"
grep -Eq '^total +20 ' "$CY_TMP/err"
[ "$(head -c 4 "$CY_TMP/mandelbrot.png" | tail -c 3)" = PNG ]
status=0
"$CY" exec -- sh -c 'exit 7' || status=$?
[ $status = 7 ]
status=0
"$CY" exec -- "$CY_TMP/no-such-program" 2>/dev/null || status=$?
[ $status = 1 ]
