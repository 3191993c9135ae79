#!/bin/bash
# clblast.sh ROUTINE: CLBlast's own test program of a routine, which compares with a reference BLAS on the host,
# in every precision.
set -euo pipefail
HOME=$CY_TMP "$CY" ${CY_CLIENT:-exec --debug} -- "clblast_test_$1" -platform 0 -device 0 | sed 's/\x1b\[[0-9;]*m//g' >"$CY_TMP/out" || {
    cat "$CY_TMP/out"
    exit 1
}
counts=$(awk '/test\(s\) passed/ { p += $1 } /test\(s\) skipped/ { s += $1 } /test\(s\) failed/ { f += $1 }
    END { printf "%d passed, %d skipped, %d failed", p, s, f }' "$CY_TMP/out")
echo "CLBlast $1: $counts"
[[ $counts =~ ^[1-9].*,\ 0\ failed$ ]] || {
    cat "$CY_TMP/out"
    exit 1
}
