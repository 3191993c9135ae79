#!/bin/bash
# levels.sh TOPIC...: kernels at every level that this processor has (the other tests run at the best), interpreted and translated.
set -euo pipefail
levels=$("$CY" run --set engine-level=none nothing 2>&1 | sed -n "s/.*available: best, //p" | tr -d ,) || true # the error names them
for level in $levels; do
    for topic in "$@"; do
        CHENGYING_MACHINE=engine-level=$level "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic"
    done
    CHENGYING_ENGINE=jit CHENGYING_COMPILE_SECONDS=600 CHENGYING_MACHINE=engine-level=$level CHENGYING_STATS=1 \
        "$CY_BUILD/tests/run_kernels" tests/kernels/workitem 2>"$CY_TMP/stats"
    grep -Eq "^engine level +$level\$" "$CY_TMP/stats"
    grep -Eq "^translated +[1-9]" "$CY_TMP/stats"
    echo "level $level"
done
[ -n "$levels" ]
