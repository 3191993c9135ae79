#!/bin/bash
# The document check fails on output that differs, accepts dots, and --update writes what was printed.
set -euo pipefail
fence='```'
write() { printf '%sconsole\n$ printf "a\\nb\\nc\\n"\n%s\n%s\n' "$fence" "$1" "$fence" >"$CY_TMP/sample.md"; }
run() { rm -rf "$CY_TMP/runs"; mkdir "$CY_TMP/runs"; CY_TMP="$CY_TMP/runs" "$CY_PYTHON" tests/docs/doctest.py "$@" "$CY_TMP/sample.md"; }

for good in $'a\nb\nc' $'a\n...' $'...\nc' $'a\n...\nc' $'...\na\nb\nc\n...'; do
    write "$good"
    run || { echo "failed: '$good' should pass"; exit 1; }
done
for bad in $'a\nb' $'a\n...\nb' $'...\nd' 'a' $'b\nc' $'a\nb\nc\nd'; do
    write "$bad"
    ! run >/dev/null || { echo "failed: '$bad' should not pass"; exit 1; }
done
run --update >/dev/null
run || { echo "failed: --update did not fix the document"; exit 1; }
