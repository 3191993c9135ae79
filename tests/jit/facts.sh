#!/bin/bash
# What is found out about LLVM is in the cache once, whichever kernels are translated: a level that does not need it leaves nothing.
set -eu
cd "$(mktemp -d "${TMPDIR:-/tmp}/facts.XXXXXX")"
trap 'rm -rf "$PWD"' EXIT
export CHENGYING_CACHE=1
translate() { # LEVEL NUMBER
    echo "kernel void k(global float *p) { uint i = get_global_id(0); if (i & 4) p[i] = rint(p[i]) + $2; }" > "$2.cl"
    CHENGYING_CACHE_DIR=$PWD/$1 "$CY" run --engine jit --set engine-level="$1" "$2.cl" --global 256 --arg buffer:f32:256=random > said 2>&1
    [ ! -s said ] || { cat said; exit 1; }
}
levels=$("$CY" run --set engine-level=none none.cl 2>&1 | sed -n 's/.*available: best, //p' | tr -d ,)
for level in $levels; do
    for number in 1 2 3; do
        translate "$level" $number
    done
    count=$(grep -rl CYFACT1 "$level" | wc -l)
    case $level in
    avx512*) expected=1 ;;
    *) expected=0 ;;
    esac
    [ "$count" = $expected ] || { echo "$level: $count facts in the cache, not $expected"; exit 1; }
    CHENGYING_CACHE_DIR=$PWD/$level "$CY" cache | grep -q '^translated 3$' || { echo "$level: not translated"; exit 1; }
done
echo "levels: $levels"
