#!/bin/bash
# levels.sh TOPIC...: kernels at every level of the interpreter that this processor has (the other tests run at the best).
set -euo pipefail
levels=$("$CY" run --set engine-level=none nothing 2>&1 | sed -n "s/.*available: best, //p" | tr -d ,) || true # the error names them
for level in $levels; do
    for topic in "$@"; do
        CHENGYING_MACHINE=engine-level=$level "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic"
    done
    CHENGYING_MACHINE=engine-level=$level CHENGYING_STATS=1 "$CY_BUILD/tests/run_kernels" tests/kernels/workitem 2>"$CY_TMP/stats"
    grep -Eq "^engine level +$level\$" "$CY_TMP/stats"
    echo "level $level"
done
[ -n "$levels" ]
