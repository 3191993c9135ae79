#!/bin/bash
# Traces of small kernels: one without and one with divergence, several accesses and a limit.
set -eu
printf 'kernel void k(global int *a, global int *b) { int i = get_global_id(0); if (a[i] & 1) b[i] = a[63 - i]; else b[i] += 3; }\n' >"$1/k.cl"
"$CY" run --cytrace "$1/branch.cytrace" "$1/k.cl" --global 40 --local 40 --arg buffer:i32:64=iota --arg buffer:i32:64 >/dev/null
"$CY" run --cytrace "$1/few.cytrace" --events 20 "$1/k.cl" --global 64 --local 32 --arg buffer:i32:64=iota --arg buffer:i32:64 >/dev/null 2>&1
rm "$1/k.cl"
