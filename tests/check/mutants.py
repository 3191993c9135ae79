#!/usr/bin/env python3
"""Seeded mutants of the right kernels of tests/check/kernels: how many of them does `cy check` find?

    mutants.py [--all] [--seed N] [--show]

A mutant has one change: a barrier removed, an index one larger, or an initialisation removed.  Not every one of them is
wrong (an index may still be in range, a second barrier may do), so the share found is below 1; it must not fall below
LEAST.  --all runs every mutant, not a sample; --show prints those that were not found.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys

import kernels

LEAST = {"barrier": 0.80, "index": 0.80, "initialisation": 0.80}
SAMPLE = 40
REACHED = {"sync.cl", "groups.cl", "meetings.cl", "reached.cl"} # there barriers are reached, and order nothing


def body_of(source, name):
    """Where the kernel's body starts and ends."""
    start = re.search(rf"\bkernel void {name}\(", source)
    if not start:
        return None
    begin = at = source.index("{", start.end())
    depth = 0
    while True:
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        at += 1
        if not depth:
            return begin, at


def changes(body):
    """(class, start, end, replacement) of everything that can be changed."""
    for match in re.finditer(r"\b(?:work_group_)?barrier\([^;]*\);", body):
        yield "barrier", match.start(), match.end(), ";"
    for match in re.finditer(r"\b\w+(\[([^\[\]]+)\])", body):
        before = body[:match.start()].rstrip()
        is_declared = re.search(r"(?:int|float|uint|uchar|short|long|char|double|event_t|\w+3|\w+4|struct \w+)$", before)
        if not is_declared and not before.endswith(","):
            yield "index", match.start(1), match.end(1), f"[({match[2]}) + 1]"
    for match in re.finditer(r"\b(?:int|float|uint|long) (\w+)( = [^,;()]+)([,;])", body):
        if not body[:match.start()].rstrip().endswith("("): # the loop's own counter: an endless loop, perhaps
            yield "initialisation", match.start(2), match.end(2), ""


def mutants():
    folder = os.path.join(kernels.here, "kernels")
    for file in sorted(os.listdir(folder)):
        path = os.path.join(folder, file)
        source = open(path).read()
        for case in kernels.read(path):
            span = None if case.wrong else body_of(source, case.kernel)
            if not span:
                continue
            body = source[span[0]:span[1]]
            for number, (kind, start, end, text) in enumerate(changes(body)):
                if kind == "barrier" and file in REACHED:
                    continue
                yield kind, case, number, source[:span[0]] + body[:start] + text + body[end:] + source[span[1]:]


def run(mutant):
    kind, case, number, source = mutant
    path = os.path.join(kernels.tmp, f"{case.kernel}-{number}.cl")
    open(path, "w").write(source)
    original, case.path = case.path, path
    try:
        _, status, reports, messages = kernels.check(case)
    except subprocess.TimeoutExpired:
        return kind, case, number, None, "timeout"
    finally:
        case.path = original
    if status not in (0, 3) and not reports:
        return kind, case, number, None, messages # it does not compile
    return kind, case, number, bool(reports), path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="all mutants, not a sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="those that were not found")
    arguments = parser.parse_args()
    chosen = list(mutants())
    if not arguments.all:
        random.Random(arguments.seed).shuffle(chosen)
        chosen = [m for kind in LEAST for m in [m for m in chosen if m[0] == kind][:SAMPLE]]
    made, found = dict.fromkeys(LEAST, 0), dict.fromkeys(LEAST, 0)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for kind, case, number, result, where in pool.map(run, chosen):
            if result is None:
                continue
            made[kind] += 1
            found[kind] += result
            if arguments.show and not result:
                print(f"not found: {kind} {case} {where}")
    low = False
    for kind, least in LEAST.items():
        share = found[kind] / max(made[kind], 1)
        low |= share < least
        print(f"{kind:15} {found[kind]:4} of {made[kind]:4} found, {100 * share:.0f} %")
    if low:
        sys.exit(f"fewer than {LEAST}")


if __name__ == "__main__":
    main()
