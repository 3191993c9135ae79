#!/bin/bash
# Runs kernel files on ours and on PoCL and compares every element; with --update writes what PoCL computes into them.
#     CY_BUILD=$PWD/build tests/kernels/live.sh [--update] [FILE|DIRECTORY...]
set -eu
tmp=${CY_TMP:-$(mktemp -d)}
mkdir -p "$tmp/vendors" "$tmp/cache"
cp "$CY_BUILD/lib/chengying.icd" "$tmp/vendors/"
echo libpocl.so.2 > "$tmp/vendors/pocl.icd"
options=(--live)
while [[ ${1:-} == --* ]]; do
    options+=("$1")
    shift
done
[[ $# -gt 0 ]] || set -- tests/kernels/*/ tests/regress
OCL_ICD_VENDORS=$tmp/vendors/ POCL_CACHE_DIR=$tmp/cache "$CY_BUILD/tests/run_kernels" "${options[@]}" "$@"
