#!/bin/bash
# bench.sh CY: runs every benchmark of bench/ with the given tool.  A benchmark is bench/run, bench/*.sh or bench/*.py; it finds
# the tool in $CY and a scratch directory in $CY_TMP, and prints its own table.
set -euo pipefail
CY=$(realpath "$1")
export CY
cd "$(dirname "${BASH_SOURCE[0]}")/.."
CY_TMP=$(mktemp -d)
export CY_TMP
trap 'rm -rf "$CY_TMP"' EXIT
ran=0
for bench in bench/run bench/*.sh bench/*.py; do
    [ -f "$bench" ] || continue
    echo "== $bench"
    case $bench in
    *.sh) bash "$bench" ;;
    *) /usr/bin/env python3 "$bench" ;;
    esac
    ran=1
done
[ $ran = 1 ] || { echo "error: no benchmark in bench/" >&2; exit 1; }
