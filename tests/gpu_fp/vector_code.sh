#!/bin/bash
# vector_code.sh COMPILER: at -O3 the compiler makes vector code of a loop over lanes around every helper (gcc only: it
# reports which loops it vectorised).
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
"$1" --version | grep -qi 'free software foundation' || { echo "not gcc: nothing to check"; exit 0; }
report=$("$1" -std=c17 -O3 -ffp-contract=off -fno-math-errno -fopt-info-vec-optimized -I"$CY_SOURCE/src" -I"$here" \
    -c "$here/vector_code.c" -o "$CY_TMP/vector_code.o" 2>&1)
loops=$(grep -c '^LOOP' "$here/vector_code.c")
vectorised=$(grep 'vector_code.c:[0-9]*:.*loop vectorized' <<<"$report" | cut -d: -f2 | sort -u | wc -l)
echo "$vectorised of $loops loops are vector code"
[ "$loops" -gt 20 ] && [ "$vectorised" = "$loops" ]
