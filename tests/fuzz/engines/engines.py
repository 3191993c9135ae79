#!/usr/bin/env python3
"""Random programs in the interpreter and in other configurations of the machine: all must compute the same.

    engines.py test [--fixed N] [--new N]     the programs of `make test`
    engines.py fuzz [--from SEED] [--count N] until stopped, or so many
    engines.py show SEED                      a program
    engines.py run SEED CONFIGURATION...      one program, and how its words differ from the interpreter's
    engines.py reduce SEED CONFIGURATION      the smallest program that differs
    engines.py totals [LOG...]                what logs add up to; without any: what runs.jsonl does
    engines.py keep LOG...                    their sum becomes a line of runs.jsonl
    engines.py found FILE...                  programs that once differed, in all configurations that matter
    engines.py record [--fixed N]             what PoCL computes for the fixed programs that it understands: recorded.txt

A program depends on its seed alone, a batch of programs and their configurations on the seed of the first one.  Options: --kinds,
--jobs, --log FILE, --findings DIRECTORY, --configurations K, --translations N (at most so many of a batch, which its configurations
share), --seconds N (no batch begins later), --pocl.  docs/testing.md says how the counts are read."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
from dataclasses import replace

from configuration import ORACLE, draw, host_levels, parse, translation
from log import Log, Totals
from program import kind_of

BATCH = 20
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ["CY_BUILD"] = os.path.abspath(os.environ.get("CY_BUILD", os.path.join(SOURCE, "build")))
CY = os.environ["CY"] = os.path.abspath(os.environ.get("CY", os.path.join(BUILD, "bin/cy")))
MOST_REDUCED = 5  # of a run: what comes after them mostly has the same cause
FIRST_NEW = 1_000_000_000  # seeds that are not fixed


def kind_name(seed, kinds):
    """A batch has one kind; of four batches one is assembly."""
    if len(kinds) == 1:
        return kinds[0]
    return "assembly" if seed // BATCH % 4 == 3 else "opencl"


class Batch:
    """Programs of one kind, whose seeds follow each other, and what came out; made in a process of its own."""

    def __init__(self, seeds, kinds, levels, arguments):
        self.kind = kind_of(kind_name(seeds[0], kinds))
        self.recorded = read_recorded()
        self.lines, self.rows, self.findings = [], {}, []
        drawn = draw(seeds[0] // BATCH, levels, arguments.configurations, arguments.pocl, arguments.translations)
        self.oracle, self.configurations, self.is_raw = drawn
        self.is_sharing = bool(arguments.translations)
        self.run_all([self.kind.generate(seed) for seed in seeds])

    def run_all(self, programs):
        for generations in sorted({program.generations for program in programs}):
            def fit(c):
                c = getattr(self.kind, "fit", lambda same: same)(c)
                if self.kind.KIND != "opencl" and c.engine == "verify":
                    c = replace(c, engine="jit")
                return c if c.generation in generations else replace(c, generation=generations[0])
            self.run_some([program for program in programs if program.generations == generations], fit(self.oracle),
                          list(dict.fromkeys(map(fit, self.configurations))))

    def run_some(self, programs, oracle, configurations):
        """Programs for which the configurations are the same."""
        folder = tempfile.mkdtemp(prefix="engines")
        try:
            expected = self.run(programs, oracle, folder)
            self.compare_recorded(programs, expected)
            verdicts = ["same" if not result.fault else f"fault {result.fault.splitlines()[0][:60]}" for result in expected]
            ran = [[] for _ in programs]
            translated = set()
            for configuration in configurations:
                self.compare(programs, configuration, folder, (oracle, expected), verdicts, ran, translated)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self.record(programs, expected, verdicts, ran)

    def run(self, programs, configuration, folder):
        return self.kind.run(programs, configuration, folder, **({"is_raw": self.is_raw} if self.kind.KIND == "opencl" else {}))

    def compare(self, programs, configuration, folder, reference, verdicts, ran, translated):
        oracle, expected = reference
        chosen = [i for i, program in enumerate(programs) if program.is_portable or configuration.platform == "ours"]
        if not chosen:
            return
        new = translation(configuration) if self.is_sharing and configuration.engine != "interp" else \
            replace(configuration, run="first", threads="1")
        times = 2 if configuration.run == "cache" and new not in translated else 1
        if new in translated:
            configuration = replace(configuration, run="cache")
        translated.add(new)
        for _ in range(times):
            results = self.run([programs[i] for i in chosen], configuration, folder)
            for i, result in zip(chosen, results):
                what = difference(expected[i], result, oracle, configuration, programs[i])
                if what and verdicts[i] == "same":
                    verdicts[i] = what
                    self.findings.append((self.kind.KIND, programs[i].seed, oracle, configuration, self.is_raw, what))
        for i in chosen:
            ran[i].append(configuration)

    def record(self, programs, expected, verdicts, ran):
        for program, result, verdict, configurations in zip(programs, expected, verdicts, ran):
            for level in {c.level for c in configurations if c.engine != "interp"}:
                for row, times in (result.rows or program.rows).items():
                    known = self.rows.setdefault(level, {}).setdefault(row, [0, 0])
                    known[0], known[1] = known[0] + 1, known[1] + times
            self.lines.append({"kind": self.kind.KIND, "seed": program.seed, "configurations": [str(c) for c in configurations],
                               "instructions": result.instructions,
                               "per_item": round(result.instructions / max(1, (result.items + 31) // 32)), "verdict": verdict})

    def compare_recorded(self, programs, expected):
        """With what another implementation of OpenCL has computed."""
        for program, result in zip(programs, expected):
            known = self.recorded.get(program.seed)
            if self.kind.KIND == "opencl" and known and not self.is_raw and not result.fault and digest(result) != known:
                result.fault = "other words than PoCL's (recorded.txt)"


def run_batch(seeds, kinds, levels, arguments):
    batch = Batch(seeds, kinds, levels, arguments)
    return batch.lines, batch.rows, batch.findings


def reduce_finding(kind, seed, oracle, configuration, is_raw, folder):
    import reduce
    reduce.reduce_program(kind_of(kind), kind_of(kind).generate(seed), oracle, configuration, is_raw, folder)


class Driver:
    """Batches in processes, and what they add up to."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.levels = host_levels(CY)
        self.log = Log(arguments.log, SOURCE)
        self.totals, self.reduced, self.found = Totals(), 0, []

    def record(self, pool, lines, rows, findings):
        """Keeps what a batch gave; returns what is now being made smaller."""
        for line in lines:
            self.log.add(**line)
            self.totals.add({**line, **self.log.common})
            if line["verdict"] != "same":
                self.found.append((line["seed"], line["verdict"]))
                print(f"\n{line['kind']} program {line['seed']}: {line['verdict']}", flush=True)
        if rows:
            self.log.add(rows=rows)
            self.totals.add({"rows": rows})
        return [future for finding in findings for future in self.keep(pool, *finding)]

    def keep(self, pool, name, seed, oracle, configuration, is_raw, what):
        """A folder for what was found: the program, and how to see it again."""
        kind = kind_of(name)
        program = kind.generate(seed)
        folder = os.path.join(self.arguments.findings, f"{name}-{seed}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, kind.file_name(program) if hasattr(kind, "file_name") else "program.cl"), "w") as file:
            file.write(kind.text([program]))
        raw = " --raw" if is_raw else ""
        with open(os.path.join(folder, "README"), "w") as file:
            file.write(f"{what}\n\nTo see it again, and to make it smaller:\n"
                       f"    tests/fuzz/engines/engines.py run{raw} --oracle {oracle} {seed} {configuration}\n"
                       f"    tests/fuzz/engines/engines.py reduce{raw} --oracle {oracle} {seed} {configuration}\n")
        self.reduced += 1
        if self.arguments.reduces and self.reduced <= MOST_REDUCED:
            yield pool.submit(reduce_finding, name, seed, oracle, configuration, is_raw, folder)

    def search(self, batches, jobs, seconds=None):
        """All batches, or those that can be begun within so many seconds."""
        start, kinds = time.time(), self.arguments.kinds.split(",")
        with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
            running, reducing = set(), []

            def finish(finished, last):
                for future in finished:
                    reducing.extend(self.record(pool, *future.result()))
                self.progress(start, last)

            try:
                for seeds in batches:
                    if seconds is not None and time.time() - start >= seconds:
                        break
                    running.add(pool.submit(run_batch, seeds, kinds, self.levels, self.arguments))
                    while len(running) >= jobs:
                        finished, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                        finish(finished, seeds[-1])
                finish(concurrent.futures.as_completed(running), "all")
                for future in reducing:
                    future.result()
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                print("\nstopped")
        self.progress(start, "all", end="\n")

    def progress(self, start, last, end="\r"):
        programs, seconds = sum(self.totals.programs.values()), time.time() - start
        print(f"{programs} programs, {self.totals.runs} runs, {len(self.found)} differ, {programs / max(seconds, 1):.1f} programs a second, "
              f"seed {last}   ", end=end if sys.stdout.isatty() else "\n", flush=True)


def difference(expected, result, oracle, configuration, program):
    """What is wrong with a result, in a few words, or nothing."""
    if result.reports and f"p{program.seed}_" in result.reports:
        return f"what is attached reports something at {configuration}"
    if expected.fault:
        return ""  # its verdict says so
    if result.fault:
        return f"fault {result.fault.splitlines()[0][:60]} at {configuration}"
    if expected.outcome() != result.outcome():
        names = [name for name in expected.words if expected.words[name] != result.words.get(name)] or ["what it prints"]
        return f"{', '.join(names)} differs at {configuration}"
    same_code = configuration.generation == oracle.generation and configuration.optimise == oracle.optimise
    if configuration.attached == "counting" and same_code and configuration.threads == "1" and expected.instructions != result.instructions:
        return f"counts {result.instructions} instructions, not {expected.instructions}, at {configuration}"
    return ""


RECORDED, RUNS = os.path.join(HERE, "recorded.txt"), os.path.join(HERE, "runs.jsonl")


def digest(result):
    return hashlib.sha256(repr(sorted(result.words.items())).encode() + result.printed.encode()).hexdigest()[:16]


def read_recorded():
    if not os.path.exists(RECORDED):
        return {}
    with open(RECORDED) as file:
        return {int(line.split()[0]): line.split()[1] for line in file}


def record(arguments):
    kind = kind_of("opencl")
    lines = []
    for seeds in batches(0, arguments.fixed):
        programs = [kind.generate(seed) for seed in seeds if kind_name(seed, ["opencl", "assembly"]) == "opencl"]
        programs = [program for program in programs if program.is_portable]
        if programs:
            with tempfile.TemporaryDirectory(prefix="engines") as folder:
                results = kind.run(programs, replace(ORACLE, platform="pocl"), folder)
            lines += [f"{program.seed} {digest(result)}\n" for program, result in zip(programs, results) if not result.fault]
            print(f"{seeds[-1]}: {len(lines)} programs", flush=True)
    with open(RECORDED, "w") as file:
        file.writelines(lines)
    return 0


def found(arguments):
    """Every program on its own: its names are those that its finder gave it."""
    kind = kind_of("opencl")
    programs = [kind.read(path) for path in arguments.arguments]
    wrong = 0
    for generation in ("gen1", "gen2"):
        with tempfile.TemporaryDirectory(prefix="engines") as folder:
            expected = kind.run(programs, replace(ORACLE, generation=generation), folder, apart=True)
            for level in host_levels(CY):
                for strip in ("auto", "8"):
                    c = replace(ORACLE, engine="jit", generation=generation, level=level, strip=strip)
                    for path, want, got in zip(arguments.arguments, expected, kind.run(programs, c, folder, apart=True)):
                        if want.fault or not want.words or got.outcome() != want.outcome():
                            wrong += 1
                            print(f"{path}: {want.fault or got.fault or 'differs'} at {c}")
    print(f"{len(programs)} programs, {wrong} differ")
    return 1 if wrong else 0


def batches(first, count):
    """Batches of seeds that follow each other; a count of None: without end."""
    seed = first
    while count is None or seed < first + count:
        size = min(BATCH - seed % BATCH, BATCH if count is None else first + count - seed)
        yield list(range(seed, seed + size))
        seed += size


def test(arguments, driver):
    new = arguments.seed if arguments.seed is not None else FIRST_NEW + random.SystemRandom().randrange(10 ** 8) * BATCH
    print(f"fixed seeds 0 to {arguments.fixed - 1}, new seeds {new} to {new + arguments.new - 1} (again: --seed {new})", flush=True)
    driver.search([*batches(0, arguments.fixed), *batches(new, arguments.new)], arguments.jobs)
    driver.totals.show()
    return 1 if driver.found else 0


def fuzz(arguments, driver):
    first = arguments.first if arguments.first is not None else FIRST_NEW + random.SystemRandom().randrange(10 ** 8) * BATCH
    driver.search(batches(first, arguments.count), arguments.jobs, arguments.seconds)
    driver.totals.show()
    for seed, verdict in driver.found:
        print(f"{seed}: {verdict}: {arguments.findings}")
    return 1 if driver.found else 0


def run(arguments):
    kind = kind_of(arguments.kind or kind_name(arguments.seed_of_program, arguments.kinds.split(",")))
    program = kind.generate(arguments.seed_of_program)
    oracle = parse(arguments.oracle) if arguments.oracle else ORACLE
    extra = {"is_raw": arguments.raw, "is_hex": True} if kind.KIND == "opencl" else {}
    status = 0
    with tempfile.TemporaryDirectory(prefix="engines") as folder:
        expected = kind.run([program], oracle, folder, **extra)[0]
        print(expected.fault or f"the interpreter: {len(expected.words)} objects")
        for text in arguments.configuration:
            result = kind.run([program], parse(text), folder, **extra)[0]
            print(f"{text}: {'the same' if result.outcome() == expected.outcome() else 'different'} {result.fault}{result.reports}")
            status |= result.outcome() != expected.outcome()
            for name, words in expected.words.items():
                show_difference(name, words, result.words.get(name, ""))
    return status


def show_difference(name, expected, got):
    if expected == got:
        return
    size = 8
    at = [i for i in range(0, len(expected), size) if expected[i:i + size] != got[i:i + size]]
    for i in at[:4]:
        print(f"    {name}, byte {i // 2}: {got[i:i + size]}, not {expected[i:i + size]} (in memory's order)")
    print(f"    {len(at)} words of {len(expected) // size} differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["test", "fuzz", "show", "run", "reduce", "totals", "keep", "found", "record"])
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--kinds", default="opencl,assembly")
    parser.add_argument("--kind")
    parser.add_argument("--fixed", type=int, default=500)
    parser.add_argument("--new", type=int, default=100)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--from", dest="first", type=int)
    parser.add_argument("--count", type=int)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--configurations", type=int, default=4)
    parser.add_argument("--translations", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--log")
    parser.add_argument("--findings", default=os.path.join(os.environ.get("CY_TMP", BUILD), "findings"))
    parser.add_argument("--pocl", action="store_true")
    parser.add_argument("--no-reduce", dest="reduces", action="store_false")
    parser.add_argument("--oracle")
    parser.add_argument("--raw", action="store_true")
    arguments = parser.parse_intermixed_args()
    if arguments.command in ("totals", "keep"):
        totals = Totals()
        for path in arguments.arguments or [RUNS]:
            totals.read(path)
        totals.show()
        if arguments.command == "keep":
            with open(RUNS, "a") as file:
                file.write(json.dumps(totals.as_sum(), separators=(",", ":")) + "\n")
        return 0
    if arguments.command in ("test", "fuzz"):
        return {"test": test, "fuzz": fuzz}[arguments.command](arguments, Driver(arguments))
    if arguments.command in ("found", "record"):
        return {"found": found, "record": record}[arguments.command](arguments)
    if not arguments.arguments:
        parser.error("which program?")
    arguments.seed_of_program = int(arguments.arguments[0])
    arguments.configuration = arguments.arguments[1:]
    if arguments.command == "run":
        return run(arguments)
    kind = kind_of(arguments.kind or kind_name(arguments.seed_of_program, arguments.kinds.split(",")))
    program = kind.generate(arguments.seed_of_program)
    if arguments.command == "show":
        print(kind.text([program]))
        return 0
    import reduce
    oracle = parse(arguments.oracle) if arguments.oracle else ORACLE
    return reduce.reduce_program(kind, program, oracle, parse(arguments.configuration[0]), arguments.raw, arguments.findings)


if __name__ == "__main__":
    sys.exit(main())
