#!/bin/bash
# kernels.sh ENGINE TOPIC...: kernels give what is recorded; with jit, most of them were translated.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
engine=$1
shift
for topic in "$@"; do
    if [ "$engine" = auto ]; then # twice: the second time what was translated meanwhile is in the cache
        export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$CY_TMP/cache
        for _ in 1 2; do
            CHENGYING_ENGINE=auto "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic"
        done
        continue
    fi
    CHENGYING_ENGINE=$engine CHENGYING_STATS=1 "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic" 2>"$CY_TMP/stats" ||
        { cat "$CY_TMP/stats"; exit 1; }
    share=$(sed -n 's/^translated *\([0-9]*\).*/\1/p' "$CY_TMP/stats")
    echo "$topic: $share% of the work-items ran translated"
    [ "$share" -ge 70 ] || { grep 'not:' "$CY_TMP/stats"; exit 1; }
done
