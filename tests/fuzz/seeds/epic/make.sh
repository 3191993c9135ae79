#!/bin/bash
# make.sh DIR: the examples as streams and as bare programs, after the four bytes that select a machine.
set -eu
for source in "$CY_SOURCE"/examples/epic/*.s "$CY_SOURCE"/tests/fuzz/seeds/epic/*.s; do
    name=$(basename "$source" .s)
    "$CY" epic pack "$source" -o "$CY_TMP/$name.stream"
    { printf '\x03\x07\x07\x03'; cat "$CY_TMP/$name.stream"; } >"$1/$name.stream"
    # every second word after the xstart is an instruction
    { printf '\x83\x04\x87\x82'; "$CY_PYTHON" -c '
import sys
stream = open(sys.argv[1], "rb").read()
sys.stdout.buffer.write(b"".join(stream[i : i + 4] for i in range(8, len(stream) - 4, 8)))' "$CY_TMP/$name.stream"; } >"$1/$name.program"
done
