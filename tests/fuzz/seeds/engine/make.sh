#!/bin/bash
# make.sh DIR: inputs of fuzz_engine: rows chosen by random bytes, and words with the fixed bits of a row.
set -eu
exec "$CY_PYTHON" - "$CY_SOURCE/src/isa" "$1" <<'PYTHON'
import random
import re
import struct
import sys

tables, to = sys.argv[1:]
rng = random.Random(1)
masks = dict(re.findall(r'^FORMAT\((\w+),\s*(0x\w+)', open(f"{tables}/formats.def").read(), re.M))
rows = []
for name in ("rv32", "rvv", "ventus"):
    rows += re.findall(r'^(?:EXPR|HOOK)\(\w+,\s*"[^"]+",\s*(\w+),\s*(0x\w+),\s*(\w+)', open(f"{tables}/{name}.def").read(), re.M)


def word(generation):
    while True:
        format_, match, gens = rng.choice(rows)
        if gens in ("VENTUS", generation):
            break
    bits = rng.getrandbits(32)
    if rng.randrange(2):  # low registers
        bits &= 0xFF318C7F | 1 << 25
    return int(match, 16) | bits & ~int(masks[format_], 16)


for i in range(24):
    options = i * 11 % 256
    head = bytes([options, i]) + rng.randbytes(8)
    if options & 2:
        body = rng.randbytes(5 * rng.randrange(4, 80))
    else:
        body = b"".join(struct.pack("<I", word("GEN2" if options & 1 else "GEN1")) for _ in range(rng.randrange(4, 80)))
    with open(f"{to}/{i}", "wb") as out:
        out.write(head + body)
PYTHON
