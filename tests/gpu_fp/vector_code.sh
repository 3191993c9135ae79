#!/bin/bash
# vector_code.sh COMPILER HOST: at -O3 the compiler makes vector code of a loop over lanes around every helper, at each level
# (gcc only: it reports which loops it vectorised).
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
"$1" --version | grep -qi 'free software foundation' || { echo "not gcc: nothing to check"; exit 0; }
loops=$(grep -c '^LOOP' "$here/vector_code.c")
[ "$loops" -gt 20 ]
levels=0
while IFS='|' read -r level flags; do
    # shellcheck disable=SC2086 # several flags
    report=$("$1" -std=c17 -O3 -ffp-contract=off -fno-math-errno -fopt-info-vec-optimized -I"$CY_SOURCE/src" -I"$here" \
        $flags -c "$here/vector_code.c" -o "$CY_TMP/vector_code.o" 2>&1)
    vectorised=$(grep 'vector_code.c:[0-9]*:.*loop vectorized' <<<"$report" | cut -d: -f2 | sort -u | wc -l)
    echo "$level: $vectorised of $loops loops are vector code"
    [ "$vectorised" = "$loops" ]
    levels=$((levels + 1))
done < <(sed -n 's/.*LEVEL(\([a-z0-9]*\), "\([^"]*\)".*/\1|\2/p' "$CY_SOURCE/src/gpu/engine/levels_$2.h")
[ "$levels" -gt 0 ]
