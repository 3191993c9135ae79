#!/bin/bash
# bench/run on small sizes: every benchmark finds its results right and has its row; the tables of threads and engines, too.
set -euo pipefail
out=$("$CY_SOURCE/bench/run" --quick --build "$CY_BUILD")
echo "$out"
for row in vecadd matmul nbody mandel reduce; do
    [ "$(grep -Ec "^$row( +[0-9.]+)+$" <<<"$out")" -ge 2 ] || { echo "error: not two rows of '$row'" >&2; exit 1; }
done
for row in bfs dwt lud kmeans stencil5 stencil9 stencil3d gather bitonic spmv histogram search transpose nw copy fill; do
    grep -Eq "^$row +[0-9.]+$" <<<"$out" || { echo "error: no row of '$row'" >&2; exit 1; }
done
[ "$(grep -Ec '^(r|rg|rgba) (float|half|unorm8|unorm16) (nearest|linear) +[0-9.]+$' <<<"$out")" = 24 ] ||
    { echo "error: not 24 rows of images" >&2; exit 1; }
OCL_ICD_VENDORS=$CY_BUILD/lib/chengying.icd "$CY" exec --engine jit --stats -- "$CY_BUILD/bin/bench_opencl" Chengying \
    "$CY_SOURCE/bench/opencl" 1 images 32 >/dev/null 2>"$CY_TMP/stats"
grep -q '^translated  *100.0% of the work-items' "$CY_TMP/stats" ||
    { cat "$CY_TMP/stats"; echo "error: image reads are not translated" >&2; exit 1; }
grep -Eq '^Chengying( +[0-9.]+){4}$' <<<"$out" || { echo "error: no launches" >&2; exit 1; }
[ "$(grep -Ec '^ +(first|[0-9]+) +[0-9.]+ .*  Chengying$' <<<"$out")" = 6 ] || { echo "error: not six copies" >&2; exit 1; }
threads=$("$CY_SOURCE/bench/run" --quick --threads --build "$CY_BUILD")
echo "$threads"
[ "$(grep -Ec '^[a-z0-9]+( +[0-9.]+){5}$' <<<"$threads")" = 21 ] || { echo "error: not 21 rows of threads" >&2; exit 1; }
grep -Eq '^geometric mean: [0-9.]+ times faster; .* of 21$' <<<"$threads" || { echo "error: no last line of threads" >&2; exit 1; }
engines=$("$CY_SOURCE/bench/run" --quick --engines --build "$CY_BUILD")
echo "$engines"
rows=$(grep -Ec '^[a-z0-9_/.]+( +[0-9.]+){5}$' <<<"$engines")
[ "$rows" -ge 5 ] && grep -Eq "^at most 1.05: [0-9]+ of $rows$" <<<"$engines" || { echo "error: engines" >&2; exit 1; }
against=$("$CY_SOURCE/bench/run" --quick --against "$CY_BUILD" --build "$CY_BUILD" --only '^(vecadd|bfs|aes|launches|images)$')
echo "$against"
[ "$(grep -Ec '^[a-z0-9, ]+ (five|suite|program|overhead|images)( +[0-9.]+){4}$' <<<"$against")" = 29 ] || { echo "error: not 29 rows" >&2; exit 1; }
! "$CY_SOURCE/bench/run" --build "$CY_TMP" 2>"$CY_TMP/err" || { echo "error: ran without a program" >&2; exit 1; }
grep -q "run 'make build' first" "$CY_TMP/err"
