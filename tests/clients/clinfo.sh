#!/bin/bash
# clinfo finds our platform alone, and every query that it makes is answered.
set -euo pipefail
"$CY" exec -- clinfo >"$CY_TMP/clinfo.txt"
fail() {
    echo "error: $1" >&2
    cat "$CY_TMP/clinfo.txt" >&2
    exit 1
}
grep -Eq '^Number of platforms +1$' "$CY_TMP/clinfo.txt" || fail "not one platform"
grep -Eq 'Platform Name +Chengying$' "$CY_TMP/clinfo.txt" || fail "not our platform"
grep -Eq 'Platform Version +OpenCL 3\.0 Chengying' "$CY_TMP/clinfo.txt" || fail "not OpenCL 3.0"
grep -Eq 'Device Type +GPU$' "$CY_TMP/clinfo.txt" || fail "no GPU"
! grep -Eq 'error -[0-9]+' "$CY_TMP/clinfo.txt" || fail "a query failed"
# the shape of the machine comes from the command line
"$CY" exec -m sms=3,warps=4 -- clinfo >"$CY_TMP/clinfo.txt"
grep -Eq 'Max compute units +3$' "$CY_TMP/clinfo.txt" || fail "not three SMs"
grep -Eq 'Max work group size +128$' "$CY_TMP/clinfo.txt" || fail "not 128 work-items"
