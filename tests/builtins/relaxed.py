#!/usr/bin/env python3
"""-cl-fast-relaxed-math and -cl-unsafe-math-optimizations take the native functions (whose accuracy test_builtins_math holds
against the table for these options) in place of the full ones; without these options nothing does."""
import array
import math
import os
import random
import subprocess
import sys

CY, SOURCE, TMP = (os.environ[k] for k in ("CY", "CY_SOURCE", "CY_TMP"))
ITEMS, COUNT = 64, 48
NAMES = "sin cos tan exp exp2 exp10 log log2 log10 sqrt rsqrt powr".split()
failures = []


def run(options, kernel, data, count):
    program, result = os.path.join(TMP, "relaxed.riscv"), os.path.join(TMP, "out.bin")
    for command in (["cc", "-o", program] + options + [os.path.join(SOURCE, "tests/builtins/relaxed.cl")],
                    ["run", program, "-k", kernel, "--global", str(ITEMS), "-l", "32", "-a", "buffer:f32=@" + data, "-a",
                     "buffer:f32:%d" % count, "-o", "1=" + result, "--no-progress"]):
        done = subprocess.run([CY] + command, capture_output=True, text=True)
        if done.returncode:
            sys.exit("cy %s: %s" % (" ".join(command), done.stderr))
    return array.array("f", open(result, "rb").read())


def main():
    rng = random.Random(5)
    values = array.array("f", [v for _ in range(ITEMS) for v in (rng.uniform(0.01, 8), rng.uniform(-6, 6))])
    data = os.path.join(TMP, "in.bin")
    with open(data, "wb") as out:
        values.tofile(out)
    for options in ([], ["-O0"], ["-cl-fast-relaxed-math"], ["-cl-unsafe-math-optimizations"], ["-O0", "-cl-fast-relaxed-math"],
                    ["-cl-mad-enable"], ["-cl-finite-math-only"], ["-cl-denorms-are-zero"]):
        relaxed = any("fast" in o or "unsafe" in o for o in options)
        r = run(options, "math", data, ITEMS * COUNT)
        for k, name in enumerate(NAMES):
            rows = [r[i * COUNT + 4 * k:i * COUNT + 4 * k + 4] for i in range(ITEMS)]
            same = all(a == b and c == d for a, b, c, d in rows)
            if relaxed and not same:
                failures.append("%s with %s is not native_%s" % (name, options, name))
            if not relaxed and same and name not in ("exp", "sqrt", "rsqrt"): # these are the same anyway
                failures.append("%s with %s is native_%s" % (name, options, name))
        r = run(options, "power", data, ITEMS)
        for i in range(ITEMS):
            x, y = values[2 * i], values[2 * i + 1]
            expected = math.copysign(x, -1 if i & 1 else 1) ** (int(y) if i & 1 else y)
            if abs(r[i] - expected) > abs(expected) * 1e-4:
                failures.append("pow with %s: %g, not %g" % (options, r[i], expected))
    for line in failures[:40]:
        print(line)
    print("%d failures" % len(failures))
    sys.exit(1 if failures else 0)


main()
