#!/bin/bash
# kernels.sh ENGINE TOPIC...: kernels give what is recorded and count what the interpreter counts; with jit, most of them were
# translated.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
engine=$1
shift
counted() { # ENGINE TOPIC: by kernel, what does not depend on time; on one thread, as others decide how often an exchange fails
    CHENGYING_MACHINE=host-threads=1 CHENGYING_ENGINE=$1 CHENGYING_STATS=1 "$CY_BUILD/tests/run_kernels" "tests/kernels/$2" 2>"$CY_TMP/$1.stats" >/dev/null ||
        { cat "$CY_TMP/$1.stats"; exit 1; }
    sed '/^total/,$d' "$CY_TMP/$1.stats" | awk '{ print $1, $2, $5, $6, $7, $8, $9 }' | sort
}
for topic in "$@"; do
    if [ "$engine" = auto ]; then # twice: the second time what was translated meanwhile is in the cache
        export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$CY_TMP/cache
        CHENGYING_ENGINE=auto "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic"
    fi
    CHENGYING_ENGINE=$engine "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic"
    counted interp "$topic" >"$CY_TMP/expected"
    counted "$engine" "$topic" >"$CY_TMP/counted"
    awk '/ not: its lanes are not marked/ { print $1 " " }' "$CY_TMP/$engine.stats" >"$CY_TMP/waiting" # turns that depend on time
    diff <(grep -vFf "$CY_TMP/waiting" "$CY_TMP/expected") <(grep -vFf "$CY_TMP/waiting" "$CY_TMP/counted")
    share=$(sed -n 's/^translated *\([0-9]*\).*/\1/p' "$CY_TMP/$engine.stats")
    echo "$topic: $share% of the work-items ran translated"
    [ "$engine" = auto ] || [ "$share" -ge 50 ] || { grep 'not:' "$CY_TMP/$engine.stats"; exit 1; }
done
