#!/usr/bin/env python3
"""The time of `cy cc` next to clang-19 on the same kernels (-O2 to bitcode), and of a compile that was done
before.  Processor time of the process and everything it starts, the compile server among it, the best of a few runs each,
measured alternately; wall-clock time includes waiting, and depends on other load on the machine.

    compile.py [--check] [FILE.cl...]      --check: fails above twice clang's time, or 5 ms for a cached compile"""
import ctypes
import os
import resource
import subprocess
import sys
import time

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = "--check" in sys.argv[1:2]
FILES = sys.argv[1 + CHECK:] or [f"{HERE}/codegen/{name}.cl" for name in ("vecadd", "matmul", "nbody", "fft", "sha256")]
ROUNDS = 7
CLANG = ["clang-19", "-x", "cl", "-cl-std=CL1.2", "-target", "spir", "-O2", "-emit-llvm", "-c", "-o", f"{TMP}/out.bc"]


PR_SET_CHILD_SUBREAPER = 36
if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
    sys.exit("cannot adopt the compile server: its time would not be counted")


def wait_for_orphans():
    """The compile server detaches itself, and ends after the program that started it: it is ours then."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def spent(words, **env):
    """(processor, wall-clock) milliseconds of one run."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, check=True, env=os.environ | env, stdout=subprocess.DEVNULL)
    end = time.monotonic()
    wait_for_orphans()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), 1e3 * (end - start)


def best(pairs):
    return [min(column) for column in zip(*pairs)]


failed = False
print(f"{'kernel':<14}{'clang-19':>16}{'cy cc':>16}{'ratio':>14}{'cached':>16}")
print(f"{'':<14}" + f"{'cpu':>9}{'wall':>7}" * 2 + f"{'cpu':>8}{'wall':>6}" + f"{'cpu':>9}{'wall':>7}" + "   milliseconds")
for path in FILES:
    compiler = [CY, "cc", "-w", "-o", f"{TMP}/out.riscv", path]
    cache = {"CHENGYING_CACHE": "1", "CHENGYING_CACHE_DIR": f"{TMP}/cache"}
    spent(compiler, **cache)
    runs = [(spent([*CLANG, "-w", path]), spent([*compiler, "--no-cache"]), spent(compiler, **cache))
            for _ in range(ROUNDS)]
    clang, ours, cached = (best(column) for column in zip(*runs))
    name = os.path.splitext(os.path.basename(path))[0]
    print(f"{name:<14}{clang[0]:>9.1f}{clang[1]:>7.1f}{ours[0]:>9.1f}{ours[1]:>7.1f}"
          f"{ours[0] / clang[0]:>8.2f}{ours[1] / clang[1]:>6.2f}{cached[0]:>9.1f}{cached[1]:>7.1f}")
    failed |= ours[0] > 2 * clang[0] or cached[0] >= 5
sys.exit(CHECK and failed)
