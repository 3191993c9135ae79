#!/bin/bash
# make.sh DIR: inputs of fuzz_jit: every shape and option, with random pieces of code.
set -eu
exec "$CY_PYTHON" - "$1" <<'PYTHON'
import random
import sys

rng = random.Random(1)
for i in range(24):
    with open(f"{sys.argv[1]}/{i}", "wb") as out:
        out.write(bytes([i, i % 8]) + rng.randbytes(8 + 3 * rng.randrange(4, 40)))
PYTHON
