#!/bin/bash
# sir.sh TOPIC...: kernels that are translated by the strip IR give what is recorded, and the interpreter runs none of them
# but those whose work-items wait for each other.
set -euo pipefail
export CHENGYING_COMPILE_SECONDS=600 # a busy host must not change which engine runs what
for topic in "$@"; do
    CHENGYING_MACHINE=host-threads=1,sir=on CHENGYING_ENGINE=jit "$CY_BUILD/tests/run_kernels" "tests/kernels/$topic" \
        >"$CY_TMP/out" 2>"$CY_TMP/errors" || { cat "$CY_TMP/out" "$CY_TMP/errors"; exit 1; }
    if grep 'the interpreter ran' "$CY_TMP/errors" | grep -v 'not marked as independent'; then exit 1; fi
done
