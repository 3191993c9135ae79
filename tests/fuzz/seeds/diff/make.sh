#!/bin/bash
# Two traces and two profiles of a kernel with different data, one after the other.
set -eu
printf 'kernel void k(global int *a) { int i = get_global_id(0); if (a[i] & 1) a[i] *= 3; else a[i] += 3; }\n' >"$1/k.cl"
for data in iota random:7; do
    "$CY" run --trace "$1/$data.trace" "$1/k.cl" --global 8 --local 8 --arg buffer:i32:8=$data >/dev/null
    "$CY" profile --json "$1/$data.json" "$1/k.cl" --global 8 --local 8 --arg buffer:i32:8=$data >/dev/null
done
"$CY_PYTHON" - "$1" <<'END'
import sys

for kind, suffix in enumerate(("trace", "json")):
    one, two = (open(f"{sys.argv[1]}/{data}.{suffix}", "rb").read() for data in ("iota", "random:7"))
    with open(f"{sys.argv[1]}/seed{kind}", "wb") as file:
        file.write(bytes((kind, round(255 * len(one) / len(one + two)))) + one + two)
END
rm "$1"/k.cl "$1"/*.trace "$1"/*.json
