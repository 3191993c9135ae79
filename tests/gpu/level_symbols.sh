#!/bin/bash
# level_symbols.sh HOST: what is compiled for a level exports its tables and nothing else.  Another symbol, a weak one even
# more, could be used by the linker everywhere, with instructions that the processor lacks.  Nor does it call
# the C library for what should be an instruction.
set -euo pipefail
levels=$(sed -n 's/.*LEVEL(\([a-z0-9]*\), ".*/\1/p' "$CY_SOURCE/src/gpu/engine/levels_$1.h")
symbols=$(llvm-nm-19 --format=posix "$CY_BUILD/lib/libcy_gpu.a" |
    awk '/:$/ { ours = /\[?exec_(lanes|memory_fast|pairs)\.c\.o\]?:/; next } ours { print $2, $1 }')
expected=$(for level in $levels; do
    for table in lane32 lanes memory32 memory words32 words pair32 pair; do echo "cy_${table}_handlers_$level"; done
done | sort)
exported=$(awk '$1 ~ /^[A-TV-Zuvw]$/ { print $2 }' <<<"$symbols" | sort)
diff <(echo "$expected") <(echo "$exported")
called=$(awk '$1 == "U" { print $2 }' <<<"$symbols" | sort -u)
if grep -Ex '(fma|rint|sqrt|fmin|fmax|isless)f?' <<<"$called"; then
    echo "called as functions"
    exit 1
fi
grep -qx cy_simt_branch <<<"$called" # the list is not empty
echo "$(wc -l <<<"$expected") tables of $(wc -w <<<"$levels") levels"
