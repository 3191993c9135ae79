"""bench/run --against: our platform next to another build of it."""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
AGAIN, COUNTED = 1.03, 1.05  # ratios above which a row is measured again, and counted
LAUNCHES = {"launch, in a row": 0, "launch, waited for": 1}  # overhead.c's columns of CPU time
RUNS = (2, 5)  # --reps of the two runs whose difference is counted: three passes through the launches


class Build:
    """One of the two; `cache` has its translations alone."""

    def __init__(self, title, directory, device, cache):
        self.title, self.directory = title, directory
        self.environment = {"OCL_ICD_VENDORS": str(directory / "lib/chengying.icd"), "CHENGYING_MACHINE": "host-threads=1",
                            "CHENGYING_DEVICES": device, "CHENGYING_CACHE": "1", "CHENGYING_CACHE_DIR": cache}

    def run(self, command, **environment):
        done = subprocess.run(list(map(str, command)), env={**os.environ, **self.environment, **environment},
                              capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise RuntimeError(said[-1] if said else f"status {done.returncode}")
        return done


class Benchmark:
    """One run of bench_opencl, which measures one row, or several."""

    def __init__(self, kind, what, size=0):
        self.kind, self.what, self.size = kind, what, size

    def command(self, program, reps):
        return [program, "Chengying", HERE / "opencl", reps, self.what] + ([self.size] if self.size else [])

    def measure(self, build, program, reps):
        """For each row CPU nanoseconds and its result, if it has one."""
        text = build.run(self.command(program, reps)).stdout
        if self.kind == "overhead":
            cpu = re.search(r"cpu ([\d.]+) us ([\d.]+) us", text).groups()
            return {name: (1e3 * float(cpu[column]), "") for name, column in LAUNCHES.items()}
        if self.kind == "images":
            rows = re.findall(r"^(\w+ \w+ \w+) sum (\S+) .* ([\d.]+) ns cpu", text, re.MULTILINE)
            return {name: (float(cpu), result) for name, result, cpu in rows}
        result = text.split()[-1] if self.kind == "program" else ""
        return {self.what: (float(re.search(r"([\d.]+) ns cpu", text).group(1)), result)}

    def count(self, build, program):
        """Host instructions of one pass through the launches, all rows together: of a run with more passes less those of one with fewer.
        valgrind has no AVX-512."""
        level = ",engine-level=avx2" if os.uname().machine == "x86_64" else ""
        environment = {"CHENGYING_MACHINE": build.environment["CHENGYING_MACHINE"] + level}
        build.run(self.command(program, 1), **environment, CHENGYING_ENGINE="jit")
        counts = []
        for reps in RUNS:
            said = build.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *self.command(program, reps)],
                             **environment).stderr
            counts.append(int(re.search(r"refs: *([\d,]+)", said).group(1).replace(",", "")))
        return (counts[1] - counts[0]) / (RUNS[1] - RUNS[0])


def benchmarks(five, suite, quick):
    programs = sorted(path.stem for path in (HERE / "opencl/programs").glob("*.cl"))
    found = [Benchmark("five", name, size if quick else 0) for name, size in five.items()]
    found += [Benchmark("suite", name, size if quick else 0) for name, size in suite.items()]
    found += [Benchmark("program", name) for name in programs]
    return found + [Benchmark("overhead", "launches"), Benchmark("images", "images", 32 if quick else 256)]


class Comparison:
    """The rows of one benchmark: for each the least of all turns of both builds."""

    def __init__(self, benchmark, builds, program, reps, end_servers):
        self.benchmark, self.builds, self.program, self.reps, self.end_servers = benchmark, builds, program, reps, end_servers
        self.least, self.results, self.counts, self.turns = {}, {}, None, 0

    def warm(self):
        """Translations are in the cache: afterwards launches use them from the first one on."""
        for build in self.builds:
            build.run(self.benchmark.command(self.program, 1), CHENGYING_ENGINE="jit")
        self.end_servers(False)

    def take_turns(self, turns):
        for _ in range(turns):
            self.turns += 1
            order = (0, 1) if self.turns % 2 else (1, 0)
            for which in order:
                for name, (cpu, result) in self.benchmark.measure(self.builds[which], self.program, self.reps).items():
                    least = self.least.setdefault(name, [math.inf, math.inf])
                    least[which] = min(least[which], cpu)
                    self.results.setdefault(name, ["", ""])[which] = result
                self.end_servers(True)

    def ratios(self):
        return {name: ours / base for name, (base, ours) in self.least.items() if math.isfinite(ours / base)}

    def measure(self, turns, quick):
        self.warm()
        self.take_turns(turns)
        if quick:
            return
        if max(self.ratios().values(), default=0) > AGAIN:
            self.take_turns(5 * turns)
        if max(self.ratios().values(), default=0) > COUNTED and shutil.which("valgrind"):
            self.counts = [self.benchmark.count(build, self.program) for build in self.builds]


def print_rows(comparisons, titles):
    rows = [(ratio, name, comparison) for comparison in comparisons for name, ratio in comparison.ratios().items()]
    if not rows:
        sys.exit("error: nothing was measured")
    print(f"{'':28}{'kind':>10}{titles[0] + ' ns':>16}{titles[1] + ' ns':>16}{'ratio':>8}{'turns':>7}")
    for ratio, name, comparison in sorted(rows, key=lambda row: (-row[0], row[1])):
        base, ours = comparison.least[name]
        note = "" if len(set(comparison.results[name])) == 1 else "   the results differ"
        print(f"{name:28}{comparison.benchmark.kind:>10}{base:16.3f}{ours:16.3f}{ratio:8.3f}{comparison.turns:7}{note}")
    for kind in dict.fromkeys(comparison.benchmark.kind for comparison in comparisons):
        logs = [math.log(ratio) for ratio, _, comparison in rows if comparison.benchmark.kind == kind]
        if logs:
            print(f"geometric mean, {kind}: {math.exp(sum(logs) / len(logs)):.3f} of {len(logs)}")
    print(f"geometric mean: {math.exp(sum(math.log(row[0]) for row in rows) / len(rows)):.3f};"
          f" at most {COUNTED}: {sum(row[0] <= COUNTED for row in rows)} of {len(rows)}")


def print_counts(comparisons, titles):
    counted = [comparison for comparison in comparisons if comparison.counts]
    if counted:
        print(f"\nThousand host instructions of one pass of the others\n{'':38}{titles[0]:>16}{titles[1]:>16}{'ratio':>8}")
    for comparison in sorted(counted, key=lambda each: -each.counts[1] / each.counts[0]):
        base, ours = comparison.counts
        print(f"{comparison.benchmark.what:38}{base / 1e3:16.1f}{ours / 1e3:16.1f}{ours / base:8.3f}")


def compare(build, other, five, suite, arguments, end_servers):
    """`end_servers(kill)` waits for compile servers, or ends them: none may run beside what is measured."""
    program, turns = build / "bin/bench_opencl", 2 if arguments.quick else arguments.reps
    only = re.compile(arguments.only or "")
    chosen = [each for each in benchmarks(five, suite, arguments.quick) if only.search(each.what)]
    if not chosen:
        sys.exit(f"error: no benchmark is called '{arguments.only}'")
    titles, done, failed, began = ("theirs", "ours"), [], [], time.monotonic()
    print(f"CPU nanoseconds (kernels: per operation) on one thread, warm; ratio: ours over theirs\nours:   {build}\ntheirs: {other}\n",
          flush=True)
    for benchmark in chosen:
        with tempfile.TemporaryDirectory() as cache:
            builds = [Build(title, directory, arguments.device, os.path.join(cache, title))
                      for title, directory in zip(titles, (other, build))]
            comparison = Comparison(benchmark, builds, program, 2 if arguments.quick else 3, end_servers)
            try:
                comparison.measure(turns, arguments.quick)
                done.append(comparison)
            except RuntimeError as error:
                failed.append((benchmark.what, error))
            end_servers(True)
        if sys.stderr.isatty():
            print(f"\r{len(done)} of {len(chosen)}, {time.monotonic() - began:.0f} s\r", end="", file=sys.stderr, flush=True)
    print_rows(done, titles)
    print_counts(done, titles)
    for what, error in failed:
        print(f"error: {what}: {error}", file=sys.stderr)
    if failed:
        sys.exit(1)
