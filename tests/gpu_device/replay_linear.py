#!/usr/bin/env python3
"""The cost of `cy replay --dump` is linear in the launches, the buffers and their size: counts instructions (callgrind) for
n, 2n and 4n of each.  The second step must not cost much more than twice the first."""
import os
import re
import shutil
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
LIMIT = 3.0  # linear: 2, quadratic: 4


def u64(value):
    return f"{value & 0xffffffff:08x}\n{value >> 32:08x}\n"


def record(name, buffers, words):
    """A launch of one instruction, endprg, with this many buffers of this many words."""
    step = (4 * words + 4095) // 4096 * 4096
    bases = [0x80000000] + [0x90001000 + i * step for i in range(buffers)]
    sizes = [4] + [4 * words] * buffers
    head = [0x80000000, 0, 1, 1, 1, 8, 1, 0x90001000, 0x1000, 0, 32, 32, 0, len(bases)]
    with open(f"{name}.metadata", "w") as file:
        file.write("".join(map(u64, head + bases + sizes + sizes)))
    with open(f"{name}.data", "w") as file:
        file.write("0000400b\n" + "12345678\n" * (words * buffers))


def cost(launches, buffers, words):
    directory = os.path.join(TMP, "replay")
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    names = [os.path.join(directory, f"launch{i}") for i in range(launches)]
    for name in names:
        record(name, buffers, words)
    out = os.path.join(TMP, "callgrind")
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", CY, "replay", "-q", "--dump",
                    directory, *(name + ".metadata" for name in names)], check=True, timeout=250)
    assert os.path.getsize(names[-1] + f"_{0x90001000:08x}.bin") == 4 * words
    with open(out) as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1))


failed = False
for what, shapes in (("launches", [(n, 1, 4) for n in (75, 150, 300)]), ("buffers", [(1, n, 4) for n in (100, 200, 400)]),
                     ("words", [(1, 1, n) for n in (4000, 8000, 16000)])):
    small, middle, large = (cost(*shape) for shape in shapes)
    growth = (large - middle) / (middle - small)
    print(f"{what:<10} {small:>12} {middle:>12} {large:>12}  growth {growth:.2f}{'  too much' if growth > LIMIT else ''}")
    failed |= growth > LIMIT
sys.exit(failed)
