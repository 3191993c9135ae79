#!/usr/bin/env python3
"""The compiler's output for the kernels of bench/codegen: guest instructions per work-item, registers, spills, size.

    codegen.py [KERNEL...]          a table
    codegen.py --check              and compare with bench/codegen/recorded.txt: 3 % more instructions is a failure
    codegen.py --update             record the table
    codegen.py --time               how long the kernels take on this host, too
    codegen.py --generations        instructions of both generations, and their ratio: more than 1.25 is a failure

A kernel's first line is its launch: options of `cy run`, then the arguments that hold results.  Instructions are counted by
the machine and do not depend on the host; a warp's instruction counts once for each of its work-items, so that the number is
the length of the way that a work-item goes.  --check also compares the results with those of the kernel compiled by -O0.
Environment: CY, the tool (default build/bin/cy); CY_TMP, a scratch directory.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

CY = os.environ.get("CY", "build/bin/cy")
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "codegen")
RECORDED = os.path.join(HERE, "recorded.txt")
SLACK = 1.03
MOST_RATIO = 1.25
LANES = 32
SCALAR = {"salu", "smul", "sdiv", "sfpu", "sfdiv", "branch", "csr", "slsu"}
COLUMNS = ["insns/item", "vector", "scalar", "simt", "spills", "vGPRs", "sGPRs", "bytes"]


def run(*command):
    done = subprocess.run([CY, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"cy {' '.join(command)}\n{done.stderr}{done.stdout}")
    return done.stdout


def launch_of(source):
    with open(source, encoding="utf-8") as file:
        options, _, results = file.readline().lstrip("/").partition(" out ")
    return options.split(), results.split()


def results_of(source, level, launch, results, tmp):
    """The arguments that hold results, as bytes."""
    program = os.path.join(tmp, f"results-{level}.riscv")
    run("cc", f"-O{level}", "-o", program, source)
    files = [os.path.join(tmp, f"result{n}.bin") for n in results]
    run("run", program, *launch, *(f"--out={n}={file}" for n, file in zip(results, files)))
    contents = []
    for name in files:
        with open(name, "rb") as file:
            contents.append(file.read())
    return contents


def measure(source, launch, tmp):
    program = os.path.join(tmp, "kernel.riscv")
    static = run("cc", "--stats", "-o", program, source).split("\n")[1].split()
    dynamic = run("run", "--stats", "--threads", str(LANES), program, *launch)
    classes = {m[1]: int(m[2]) for m in re.finditer(r"^  (\w+) .*? (\d+) +[\d.]+ %$", dynamic, re.M)}
    items = int(re.search(r"(\d+) work-items", dynamic)[1])
    scalar = sum(n for name, n in classes.items() if name in SCALAR)
    simt = classes.get("simt", 0)
    total = sum(classes.values())
    per_item = [f"{n * LANES / items:.1f}" for n in (total, total - scalar - simt, scalar, simt)]
    return per_item + [static[4], static[2], static[3], static[6]]


def instructions(source, launch, target, tmp):
    program = os.path.join(tmp, f"{target}.riscv")
    run("cc", f"-march={target}", "-o", program, source)
    dynamic = run("run", "--stats", "--threads", str(LANES), program, *launch)
    return int(re.search(r"^warp instructions +(\d+)", dynamic, re.M)[1])


def compare_generations(kernels, tmp):
    above, product = [], 1.0
    print(f"{'kernel':<14}{'generation 1':>14}{'generation 2':>14}{'ratio':>8}")
    for kernel in kernels:
        source = os.path.join(HERE, kernel + ".cl")
        launch, _ = launch_of(source)
        first, second = (instructions(source, launch, target, tmp) for target in ("ventus", "ventus-gen2"))
        print(f"{kernel:<14}{first:>14}{second:>14}{second / first:>8.3f}", flush=True)
        product *= second / first
        if second / first > MOST_RATIO:
            above.append(kernel)
    print(f"geometric mean of the ratios: {product ** (1 / max(len(kernels), 1)):.3f}")
    if above:
        sys.exit(f"more than {MOST_RATIO} times the instructions of generation 1: {', '.join(above)}")


def seconds(launch, tmp):
    best = 1e9
    for _ in range(5):
        start = time.monotonic()
        run("run", os.path.join(tmp, "kernel.riscv"), *launch)
        best = min(best, time.monotonic() - start)
    return best


def recorded():
    if not os.path.exists(RECORDED):
        return {}
    with open(RECORDED, encoding="utf-8") as file:
        rows = [line.split() for line in file.read().split("\n")[1:] if line]
    return {row[0]: row[1:] for row in rows}


def main():
    arguments = sys.argv[1:]
    unknown = [a for a in arguments if a.startswith("-") and a not in ("--check", "--update", "--time", "--generations")]
    if unknown:
        sys.exit(__doc__)
    wanted = [a for a in arguments if not a.startswith("-")]
    kernels = sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".cl"))
    if "--generations" in arguments:
        with tempfile.TemporaryDirectory(dir=os.environ.get("CY_TMP")) as tmp:
            compare_generations([kernel for kernel in kernels if not wanted or kernel in wanted], tmp)
        return
    old, table, worse, product = recorded(), [], [], 1.0
    head = f"{'kernel':<14}" + "".join(f"{c:>11}" for c in COLUMNS)
    print(head + "     recorded")
    with tempfile.TemporaryDirectory(dir=os.environ.get("CY_TMP")) as tmp:
        for kernel in kernels:
            if wanted and kernel not in wanted:
                continue
            source = os.path.join(HERE, kernel + ".cl")
            launch, results = launch_of(source)
            row = measure(source, launch, tmp)
            table.append(f"{kernel:<14}" + "".join(f"{c:>11}" for c in row))
            before = float(old[kernel][0]) if kernel in old else float(row[0])
            change = float(row[0]) / before
            product *= change
            took = f"{seconds(launch, tmp) * 1000:10.1f} ms" if "--time" in arguments else ""
            print(f"{table[-1]}{before:>13.1f} {100 * (change - 1):+.1f} %{took}", flush=True)
            if "--check" not in arguments:
                continue
            if kernel not in old or change > SLACK or int(row[4]) > int(old[kernel][4]):
                worse.append(kernel)
            if results_of(source, 2, launch, results, tmp) != results_of(source, 0, launch, results, tmp):
                sys.exit(f"{kernel}: -O2 gives other results than -O0")
    print(f"geometric mean of the changes: {100 * (product ** (1 / max(len(table), 1)) - 1):+.2f} %")
    if "--update" in arguments and not wanted:
        with open(RECORDED, "w", encoding="utf-8") as file:
            file.write("\n".join([head] + table) + "\n")
    if worse:
        sys.exit(f"worse than {os.path.relpath(RECORDED)}: {', '.join(worse)}; --update records a change that is meant")


if __name__ == "__main__":
    main()
