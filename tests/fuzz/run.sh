#!/bin/bash
# run.sh NAME PROGRAM driver|libfuzzer
# Runs one fuzzer for CY_FUZZ_SECONDS (a few when it is not set) on the seeds of seeds/NAME.
set -eu
name=$1 program=$2 kind=$3
here=$(dirname "${BASH_SOURCE[0]}")
seeds=$CY_TMP/seeds
mkdir -p "$seeds"
for file in "$here/seeds/$name"/*; do
    [ -f "$file" ] && [ "${file##*/}" != make.sh ] && cp "$file" "$seeds"
done
[ ! -f "$here/seeds/$name/make.sh" ] || bash "$here/seeds/$name/make.sh" "$seeds"
[ -n "$(ls "$seeds")" ] || { echo "error: tests/fuzz/seeds/$name gives no seeds" >&2; exit 1; }

if [ "$kind" = libfuzzer ]; then
    # What it learns is kept from run to run.
    corpus=$CY_BUILD/fuzz-corpus/$name
    mkdir -p "$corpus"
    exec "$program" -max_total_time="${CY_FUZZ_SECONDS:-3}" -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$CY_TMP/" "$corpus" "$seeds"
fi
# The short run is the same every time; a long one is new every time.
seed=1
[ -z "${CY_FUZZ_SECONDS:-}" ] || seed=$(date +%s)
exec "$program" --seconds "${CY_FUZZ_SECONDS:-2}" --seed "$seed" --save "$CY_TMP/crash.bin" "$seeds"/*
