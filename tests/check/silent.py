#!/usr/bin/env python3
"""No false alarm: everything that the other tests, the examples and the benchmarks run is silent under `cy check`.

    silent.py [WORD...]     only what has one of the words in its name

A finding is either a bug of a kernel, which is mended or listed in KNOWN with the reason, or one of the checker.
"""
import json
import os
import subprocess
import sys

cy, build, tmp = os.environ["CY"], os.environ["CY_BUILD"], os.environ["CY_TMP"]
RANDOM = range(1, 41) # seeds of programs that are right by construction
tests = os.path.join(build, "tests")
kernels = os.path.join(tests, "run_kernels")
# tests of what goes wrong, and of what differs under a checker: faults, the sizes and the numbers of objects
WRONG = {"binaries", "binary_files", "faults", "kernels"}
NEEDS_FILES = {"spirv"} # as arguments
FAILS = {"cl/far", "cl/info", "cl/objects"} # a fault, local memory, contexts
# what runs, kind, kernel: why it is meant
KNOWN = {
    ("cl/far", "uninitialised-store", "add"): "counts on zeros in new buffers",
    ("cl/far", "uninitialised-store", "many"): "likewise",
    ("cl/far", "out-of-bounds", "wild"): "a fault is meant",
    ("cl/fork", "lock-hang", "endless"): "it waits for the host",
    ("cl/fork", "uninitialised-store", "add"): "the values do not matter",
    ("cl/image_api", "uninitialised-address", "k"): "likewise",
    ("cl/image_api", "uninitialised-branch", "k"): "likewise",
    ("cl/image_api", "uninitialised-store", "k"): "likewise",
    ("cl/pipes", "data-race", "write3"): "all keep the reservation in one local variable, without a barrier, as many programs do",
    ("cl/pipes", "data-race", "read3"): "likewise",
    ("cl/program_end", "uninitialised-branch", "loop"): "an endless loop",
    ("cl/program_end", "uninitialised-store", "loop"): "likewise",
    ("cl/queues", "lock-hang", "endless"): "it waits for the host",
    ("cl/stress", "uninitialised-store", "add"): "the values do not matter",
    ("cl/subgroups", "uninitialised-store", "moves"): "values of work-items that are not active are undefined",
    ("cl/subgroups", "uninitialised-store", "vectors"): "likewise",
    ("cl/svm", "out-of-bounds", "follow"): "faults are meant",
    ("cl/svm", "use-after-release", "follow"): "likewise",
    ("kernels/memory", "data-race", "add_floats"): "its first guess is a plain read of what others change atomically",
    ("kernels/long", "data-race", "exchange"): "likewise",
    ("programs/atomic_float", "data-race", "add"): "likewise",
    ("programs/atomic_long", "data-race", "totals"): "likewise",
    ("programs/atomic_max_float", "data-race", "most"): "likewise",
    ("programs/local_float_atomic", "data-race", "sum"): "likewise",
    ("programs/floyd", "data-race", "pass"): "in place, as the algorithm usually is: others read the row and the column that are written",
    # of programs that wait and unlock by volatile accesses, which no version of OpenCL C allows and many programs do
    ("kernels/locks", "data-race", "spin_xchg"): "unlocks by a plain store, so that nothing orders what the lock protects",
    ("kernels/locks", "data-race", "ticket_volatile"): "likewise",
    ("kernels/locks", "data-race", "test_then_try"): "likewise",
    ("kernels/locks", "data-race", "test_and_test"): "looks at the lock by a plain load",
    ("kernels/locks", "data-race", "few_wait"): "waits by a plain load",
    ("kernels/locks", "data-race", "conditional"): "half of its work-items add to `out` without the lock",
}


def programs():
    for topic in sorted(os.listdir("tests/kernels")):
        if os.path.isdir(os.path.join("tests/kernels", topic)):
            yield "kernels/" + topic, [kernels, "--run", "tests/kernels/" + topic]
    yield "regress", [kernels, "--run", "tests/regress"]
    random = os.path.join(tmp, "random")
    os.makedirs(random, exist_ok=True)
    for seed in RANDOM:
        with open(os.path.join(random, f"{seed}.cl"), "w") as file:
            subprocess.run([sys.executable, "tests/fuzz/engines/engines.py", "show", "--kinds", "opencl", str(seed)], check=True, stdout=file)
    yield "random", [os.path.join(tests, "run_engines"), *(os.path.join(random, f"{seed}.cl") for seed in RANDOM)]
    for name in ("vecadd", "matmul", "reduce", "life", "mandelbrot"):
        yield "examples/" + name, [os.path.join(build, "bin/examples", name)]
    for name in sorted(os.listdir("bench/opencl/programs")):
        if name.endswith(".cl"):
            yield "programs/" + name[:-3], [os.path.join(build, "bin/bench_opencl"), "Chengying", "bench/opencl", "1", name[:-3]]
    for name in sorted(os.listdir(tests)):
        if name.startswith("test_cl_") and name[8:] not in WRONG | NEEDS_FILES:
            yield "cl/" + name[8:], [os.path.join(tests, name)]


def check(name, command):
    run = subprocess.run([cy, "check", "--tool", "memory,init,race,sync", "--json", "-q", "--", *command],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    start = run.stdout.find('{"reports":[')
    if start < 0:
        return [f"{name}: no result, exit status {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}"]
    found = []
    for report in json.loads(run.stdout[start:])["reports"]:
        if report["severity"] == "note" or (name, report["kind"], report["kernel"]) in KNOWN:
            continue
        side = report["sides"][0]
        found.append(f"{name}: kernel {report['kernel']}, line {side.get('line')}: {report['message']} "
                     f"[{report['kind']}]: {side.get('source', '').strip()[:100]}")
    if not found and run.returncode not in (0, 3) and name not in FAILS:
        found.append(f"{name}: exit status {run.returncode}\n{run.stdout[:2000]}{run.stderr[-2000:]}")
    return found


def main():
    words = sys.argv[1:]
    failed = count = 0
    for name, command in programs():
        if words and not any(word in name for word in words):
            continue
        count += 1
        for line in check(name, command):
            failed += 1
            print(line, flush=True)
    print(f"{count} programs, {failed} findings")
    sys.exit(1 if failed or not count else 0)


main()
