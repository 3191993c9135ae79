#!/usr/bin/env python3
"""Compile time is linear in the size of the kernel: counts the instructions (callgrind) of all passes after LLVM for
n, 2n and 4n, for many shapes of kernels.  The second step must not cost much more than twice the first.

    linear.py [SHAPE...]"""
import glob
import os
import re
import subprocess
import sys

PROGRAM = os.environ["CY_BUILD"] + "/tests/test_cc_linear_kernels"
OUTPUT = os.environ["CY_TMP"] + "/callgrind"
SHAPES = ["straight", "divergent-ifs", "uniform-ifs", "nested-ifs", "loops", "live", "phis", "meeting"]
SIZE, LIMIT = 150, 3.0  # linear: 2, quadratic: 4


def costs(shape):
    """Instructions for each of the three sizes."""
    for path in glob.glob(OUTPUT + "*"):
        os.remove(path)
    sizes = [str(SIZE), str(2 * SIZE), str(4 * SIZE)]
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={OUTPUT}", PROGRAM, shape, *sizes],
                   check=True, timeout=250)
    found = []
    for part in (1, 2, 3):
        with open(f"{OUTPUT}.{part}") as file:
            found.append(int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1)))
    return found


failed = False
print(f"{'shape':<16} {SIZE:>10} {2 * SIZE:>10} {4 * SIZE:>10}  growth")
for name in sys.argv[1:] or SHAPES:
    small, middle, large = costs(name)
    growth = (large - middle) / (middle - small)
    print(f"{name:<16} {small:>10} {middle:>10} {large:>10}  {growth:.2f}{'  too much' if growth > LIMIT else ''}")
    failed |= growth > LIMIT
sys.exit(failed)
