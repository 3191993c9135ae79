#!/bin/bash
# Random programs on ours at both levels:
#     random.sh                      those of random.txt, against what PoCL computed
#     random.sh --update [SEED...]   writes random.txt anew, for its own or for other seeds
#     random.sh --search FROM TO     many more, against PoCL itself; those that fail stay in $CY_TMP and are named
# With --expressions first: small kernels of built-in functions (expressions.py, expressions.txt).  Those that have functions of
# any accuracy are compared with their unoptimised results, and must build and run with relaxed math.
set -eu
here=tests/kernels generator=generate.py recorded=tests/kernels/random.txt expressions=
if [[ ${1:-} == --expressions ]]; then
    generator=expressions.py recorded=tests/kernels/expressions.txt expressions=1
    shift
fi
mkdir -p "$CY_TMP"

# $1: a file of expressions.py --any
run_any() {
    OCL_ICD_VENDORS=$CY_BUILD/lib/chengying.icd "$CY_BUILD/tests/run_kernels" --self "$1" &&
        OCL_ICD_VENDORS=$CY_BUILD/lib/chengying.icd "$CY_BUILD/tests/run_kernels" --run --with=-cl-fast-relaxed-math "$1"
}

# search COMMAND... PROGRAM: the program stays if the command fails
search() {
    local program=${!#}
    "$@" > "$program.log" 2>&1 && rm "$program" "$program.log" || echo "$program fails: see $program.log"
}

case ${1:-} in
--update)
    shift
    [[ $# -gt 0 ]] || set -- $(cut -d' ' -f1 $recorded | sort -nu)
    "$CY_PYTHON" $here/$generator "$CY_TMP/programs" "$@"
    for program in "$CY_TMP"/programs/*.cl; do
        $here/live.sh --update "$program"
    done
    grep -H '^// gives: ' "$CY_TMP"/programs/*.cl | sed -E 's|.*/random0*([0-9]+)\.cl:// gives: |\1 |' |
        awk '{ if ($1 != seed) { seed = $1; n = 0 } $1 = seed " " n++; print }' | sort -n -k1,1 -k2,2 > $recorded
    ;;
--search)
    for ((seed = $2; seed <= $3; seed++)); do
        name=$(printf 'random%06d.cl' "$seed")
        "$CY_PYTHON" $here/$generator "$CY_TMP" "$seed"
        search $here/live.sh "$CY_TMP/$name"
        if [[ $expressions ]]; then
            "$CY_PYTHON" $here/$generator --any "$CY_TMP/any" "$seed"
            search run_any "$CY_TMP/any/$name"
        fi
    done
    ;;
*)
    seeds=$(cut -d' ' -f1 $recorded | sort -nu)
    "$CY_PYTHON" $here/$generator --gives $recorded "$CY_TMP/programs" $seeds
    "$CY_BUILD/tests/run_kernels" "$CY_TMP/programs"
    if [[ $expressions ]]; then
        "$CY_PYTHON" $here/$generator --any "$CY_TMP/any" $seeds
        run_any "$CY_TMP/any"
    fi
    ;;
esac
