#!/usr/bin/env python3
"""LLVM's code for each level of a host against its code for any x86-64 at -O0: random functions (generate.py), compiled as the translator
compiles guest code (compile.c), run on random and extreme values (run.c).  What differs is left in a folder, as short as its steps allow.

First those of known/, in which it differed before (--plain shows that).  Without options: a fixed few more.  --count N --seed S: N modules of functions from seed S; --seconds T: until then, with new seeds.  --levels
names some: those of x86-64 need a processor that has them, those of aarch64 run under qemu."""
import argparse
import concurrent.futures
import glob
import os
import subprocess
import sys
import time

import generate

BUILD, TMP = os.environ["CY_BUILD"], os.environ.get("CY_TMP", "/tmp")
HERE = os.path.dirname(os.path.abspath(__file__))
COMPILE = f"{BUILD}/tests/backend_compile"
CLANG = "clang-19"
NEEDS = {"sse2": "sse2", "avx2": "avx2", "avx512": "avx512bw", "avx512-slow": "avx512bw"}
QEMU = {"neon": "max,sve=off", "sve256": "max,sve256=on", "sve512": "max,sve512=on"}
FUNCTIONS, INPUTS, AT_ONCE = 40, 8, 60


def processor():
    with open("/proc/cpuinfo") as file:
        text = file.read()
    lines = dict(line.split(":", 1) for line in text.replace("\t", "").splitlines() if ":" in line)
    return lines.get("model name", "?").strip(), lines.get("flags", "").split()


def build(level, ll, name, plain=False):
    """An executable that runs the module's functions."""
    other = level in QEMU
    command = [COMPILE, *(["--plain"] if plain else []), level, f"{name}.o"]
    with open(ll) as file:
        subprocess.run(command, stdin=file, check=True, timeout=AT_ONCE * 10)
    options = ["--target=aarch64-linux-gnu", "-nostdlib", "-static", "-DFREESTANDING", "-fuse-ld=lld"] if other else ["-no-pie"]
    subprocess.run([CLANG, "-O1", "-ffreestanding", *options, f"{HERE}/run.c", f"{name}.o", "-o", name, *([] if other else ["-lm"])],
                   check=True, timeout=AT_ONCE)
    return name


def run(level, name, data):
    command = ["qemu-aarch64", "-cpu", QEMU[level], name] if level in QEMU else [name]
    done = subprocess.run(command, input=data, capture_output=True, timeout=AT_ONCE * 5)
    return done.stdout if done.returncode == 0 else f"status {done.returncode}: {done.stderr.decode(errors='replace')[:200]}"


def different(functions, levels, folder, seed, plain):
    """{level: numbers of functions that give other bytes}"""
    os.makedirs(folder, exist_ok=True)
    ll = f"{folder}/module.ll"
    with open(ll, "w") as file:
        file.write(generate.module(functions))
    data = generate.inputs(seed, INPUTS)
    expected = run("oracle", build("oracle", ll, f"{folder}/oracle"), data)
    size, found = generate.OUTPUT * INPUTS, {}
    if isinstance(expected, str) or len(expected) != size * len(functions):
        raise SystemExit(f"seed {seed}: the oracle gives {expected if isinstance(expected, str) else len(expected)}")
    for level in levels:
        got = run(level, build(level, ll, f"{folder}/{level}", plain), data)
        if isinstance(got, str) or len(got) != len(expected):
            found[level] = [f.number for f in functions] if len(functions) > 1 else [functions[0].number]
            print(f"seed {seed} {level}: {got if isinstance(got, str) else len(got)}")
        elif got != expected:
            found[level] = [f.number for k, f in enumerate(functions)
                            if got[k * size:(k + 1) * size] != expected[k * size:(k + 1) * size]]
    return found


def shortest(seed, number, level, folder, plain):
    """The function with the fewest steps that differs."""
    for length in range(9):
        function = generate.Function(seed, number, length)
        if different([function], [level], folder, seed, plain):
            return folder
    different([generate.Function(seed, number)], [level], folder, seed, plain)
    return folder


def module(seed, options):
    folder = f"{TMP}/{seed}"
    functions = [generate.Function(seed, k) for k in range(options.functions)]
    found = different(functions, options.levels, folder, seed, options.plain)
    kept = []
    for level, numbers in found.items():
        for number in numbers[:options.most]:
            name = f"{TMP}/found-{seed}-{number}-{level}"
            kept.append(f"{level}: seed {seed} function {number}: {shortest(seed, number, level, name, options.plain)}/module.ll")
    subprocess.run(["rm", "-r", folder], check=True)
    return kept, sum(map(len, found.values()))


def known(options):
    """Found before: all are right, or with --plain wrong at some level."""
    count = 0
    for path in sorted(glob.glob(f"{HERE}/known/*.ll")):
        name = os.path.basename(path)[:-3]
        found = different([generate.Known(path)], options.levels, f"{TMP}/{name}", 1, options.plain)
        for level in found:
            print(f"{level}: {path} differs", flush=True)
        count += len(found)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--functions", type=int, default=FUNCTIONS)
    parser.add_argument("--levels", default="")
    parser.add_argument("--plain", action="store_true", help="without what the translator does against faults")
    parser.add_argument("--most", type=int, default=3, help="functions that are made shorter, of a module and level")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    model, flags = processor()
    options.levels = options.levels.split(",") if options.levels else [n for n, flag in NEEDS.items() if flag in flags] + list(QEMU)
    until = time.monotonic() + options.seconds if options.seconds else None
    seeds = iter(range(options.seed, options.seed + (1 << 40 if until else options.count)))
    compared, began = 0, time.monotonic()
    print(f"processor {model}, levels {' '.join(options.levels)}", flush=True)
    wrong = known(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = set()
        while True:
            while len(running) < options.jobs and (not until or time.monotonic() < until):
                seed = next(seeds, None)
                if seed is None:
                    break
                running.add(pool.submit(module, seed, options))
            if not running:
                break
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                kept, count = future.result()
                compared += options.functions * len(options.levels)
                wrong += count
                for line in kept:
                    print(line, flush=True)
    print(f"seeds {options.seed} and on: {compared} functions compared, {wrong} differ, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


sys.exit(main())
