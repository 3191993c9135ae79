#!/bin/bash
# kernels.sh TOPIC...: kernels as translated code give what is recorded, and most of them were translated.
set -euo pipefail
for topic in "$@"; do
    CHENGYING_ENGINE=jit CHENGYING_STATS=1 "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic" 2>"$CY_TMP/stats" ||
        { cat "$CY_TMP/stats"; exit 1; }
    share=$(sed -n 's/^translated *\([0-9]*\).*/\1/p' "$CY_TMP/stats")
    echo "$topic: $share% of the work-items ran translated"
    [ "$share" -ge 70 ] || { grep 'not:' "$CY_TMP/stats"; exit 1; }
done
