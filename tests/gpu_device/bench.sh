# The benchmark prints its table: every loop runs, and at a speed that is not nothing.
set -eu
out=$("$CY_BUILD/bin/bench_machine" --seconds 0.1)
echo "$out"
for loop in alu fp coalesced scattered divergent barrier scalar; do
    grep -Eq "^$loop .* [0-9]+\.[0-9]" <<<"$out" || { echo "error: no row of '$loop'" >&2; exit 1; }
done
grep -Eq "^1 .* 1\.00 " <<<"$out" || { echo "error: no scaling table" >&2; exit 1; }
