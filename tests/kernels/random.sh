#!/bin/bash
# Random programs on ours at both levels:
#     random.sh                      those of random.txt, against what PoCL computed
#     random.sh --update [SEED...]   writes random.txt anew, for its own or for other seeds
#     random.sh --search FROM TO     many more, against PoCL itself; those that fail stay in $CY_TMP and are named
set -eu
here=tests/kernels recorded=tests/kernels/random.txt
mkdir -p "$CY_TMP"
case ${1:-} in
--update)
    shift
    [[ $# -gt 0 ]] || set -- $(cut -d' ' -f1 $recorded | sort -nu)
    "$CY_PYTHON" $here/generate.py "$CY_TMP/programs" "$@"
    for program in "$CY_TMP"/programs/*.cl; do
        $here/live.sh --update "$program"
    done
    grep -H '^// gives: ' "$CY_TMP"/programs/*.cl | sed -E 's|.*/random0*([0-9]+)\.cl:// gives: |\1 |' |
        awk '{ if ($1 != seed) { seed = $1; n = 0 } $1 = seed " " n++; print }' | sort -n -k1,1 -k2,2 > $recorded
    ;;
--search)
    for ((seed = $2; seed <= $3; seed++)); do
        "$CY_PYTHON" $here/generate.py "$CY_TMP" "$seed"
        program=$(printf '%s/random%06d.cl' "$CY_TMP" "$seed")
        $here/live.sh "$program" > "$program.log" 2>&1 && rm "$program" "$program.log" || echo "$program fails: see $program.log"
    done
    ;;
*)
    "$CY_PYTHON" $here/generate.py --gives $recorded "$CY_TMP/programs" $(cut -d' ' -f1 $recorded | sort -nu)
    "$CY_BUILD/tests/run_kernels" "$CY_TMP/programs"
    ;;
esac
