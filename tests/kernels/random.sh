#!/bin/bash
# Random programs on ours at both levels:
#     random.sh                      those of random.txt, against what PoCL computed
#     random.sh --update [SEED...]   writes random.txt anew, for its own or for other seeds
#     random.sh --search FROM TO     many more, against PoCL itself; those that fail are kept in $CY_TMP/*.failed
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

# search DIRECTORY COMMAND...: runs the programs of a directory in one process, and by themselves if that fails.
search() {
    local directory=$1
    shift
    if ! "$@" "$directory" > "$directory/log" 2>&1; then
        for program in "$directory"/*.cl; do
            "$@" "$program" > "$program.log" 2>&1 && continue
            mkdir -p "$directory.failed"
            cp "$program" "$program.log" "$directory.failed"
            echo "$program fails: see $directory.failed"
        done
    fi
    rm -rf "$directory" "$CY_TMP/cache"
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
    for ((seed = $2; seed <= $3; seed += 10)); do # starting PoCL costs as much as a dozen kernels
        last=$((seed + 9 < $3 ? seed + 9 : $3))
        "$CY_PYTHON" $here/$generator "$CY_TMP/search" $(seq $seed $last)
        search "$CY_TMP/search" $here/live.sh
        if [[ $expressions ]]; then
            "$CY_PYTHON" $here/$generator --any "$CY_TMP/any" $(seq $seed $last)
            search "$CY_TMP/any" run_any
        fi
        echo "$last"
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
