#!/usr/bin/env python3
"""Translators that are wrong on purpose (src/jit/translate/breakages.def).

    broken.py listed              every breakage has a kernel in broken.cl, and this build has none of them
    broken.py verify [NAME...]    the engine verify reports each of them, and nothing without
    broken.py generator [NAME...] random programs find each of them, within 200
    broken.py table LOG           the table of docs/testing.md, with what the generator printed into a file

All but the first need a build with CY_BREAKABLE: `make test-broken`."""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("CY_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.setdefault("CY_BUILD", os.path.join(SOURCE, "build-broken"))
CY = os.environ.setdefault("CY", os.path.join(BUILD, "bin/cy"))
os.environ["CY_SOURCE"] = SOURCE
KERNELS = os.path.join(SOURCE, "tests/jit/broken.cl")
MOST_PROGRAMS = 200
NOT_RECORDED = ("KEY", "COUNT")  # a cache, and counters, are not in a folder
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "fuzz", "engines"))
from checks import check, finish  # noqa: E402


def breakages():
    """Names, and what each of them breaks."""
    with open(os.path.join(SOURCE, "src/jit/translate/breakages.def")) as file:
        return dict(re.findall(r'^BREAKAGE\((\w+), "([^"]*)", "[^"]*"\)$', file.read(), re.M))


class Run:
    """How a kernel is run, as broken.cl says."""

    def __init__(self, text):
        words = text.split()
        self.kernel, _, generation = words.pop(0).partition("@")
        self.before = words.pop(1) if words[0] == "after" else ""  # a kernel that was translated before, into the same cache
        if self.before:
            words.pop(0)
        self.size, self.group, *self.options = words
        self.generations = [generation] if generation else ["gen1", "gen2"]


def runs():
    found = {}
    with open(KERNELS) as file:
        for names, text in re.findall(r"^// ([A-Z_ ]+): (.*)$", file.read(), re.M):
            for name in names.split():
                found[name] = Run(text)
    return found


# ---- every build ----

def listed():
    names, kernels = breakages(), runs()
    check(len(names) > 20, f"{len(names)} breakages")
    check(set(names) == set(kernels), f"without a kernel, or the reverse: {set(names) ^ set(kernels)}")
    used = ""
    for folder in ("src/jit/translate", "src/cc/driver"):
        for directory, _, files in os.walk(os.path.join(SOURCE, folder)):
            for name in files:
                with open(os.path.join(directory, name)) as file:
                    used += file.read() if name.endswith(".c") else ""
    unused = [name for name in names if f"cy_jit_broken({name})" not in used]
    check(not unused, f"used nowhere: {unused}")
    for name in ("bin/cy", "lib/libchengying.so", "lib/libchengying_cl.so", "lib/chengying/libchengying_llvm.so"):
        path = os.path.join(BUILD, name)
        if not os.path.exists(path):  # a build may be of some of them
            continue
        with open(path, "rb") as file:
            binary = file.read()
        for trace in (b"CHENGYING_BREAK", b"cy_jit_is_broken", b"cy_jit_broken_name"):
            check(trace not in binary, f"{name} has {trace.decode()}")


# ---- the engine verify ----

def run(what, kernel, generation, breakage, folder):
    march = "ventus" if generation == "gen1" else "ventus-gen2"
    env = dict(os.environ, CHENGYING_CACHE="1", CHENGYING_CACHE_DIR=os.path.join(folder, "cache"), CHENGYING_BREAK=breakage,
               CHENGYING_VERIFY_DIR=os.path.join(folder, "found"))
    return subprocess.run([CY, "run", "--no-progress", "--engine", "verify", f"-march={march}", KERNELS, "--kernel", kernel, "--global", what.size,
                           "--local", what.group, *what.options, "--arg", "buffer:u32:8300=random:7", "--arg", "buffer:u32:8300"], env=env,
                          capture_output=True, text=True, cwd=folder)


def is_reproduced(folder, breakage):
    """What was recorded differs in another directory, and as another folder, with the broken translator only."""
    found = os.listdir(os.path.join(folder, "found"))
    moved = os.path.join(folder, "moved")
    os.rename(os.path.join(folder, "found", found[0]), moved)
    env = dict(os.environ, CHENGYING_CACHE="0")
    broken = subprocess.run([CY, "verify", "-q", moved], env=dict(env, CHENGYING_BREAK=breakage), capture_output=True, cwd="/").returncode
    return len(found) == 1 and broken == 1 and subprocess.run([CY, "verify", "-q", moved], env=env, capture_output=True, cwd="/").returncode == 0


def reported(what, breakage):
    """Generations for which a difference is told; others say nothing."""
    told = []
    for generation in what.generations:
        with tempfile.TemporaryDirectory(prefix="broken") as folder:
            if what.before:
                run(what, what.before, generation, breakage, folder)
            said = run(what, what.kernel, generation, breakage, folder)
            text = said.stderr + said.stdout
            check("1 launch verified" in text, f"{what.kernel}, {generation}, {breakage or 'not broken'}: {text[-500:]}")
            if "1 differs" in text:
                told.append(generation)
                check(breakage in NOT_RECORDED or is_reproduced(folder, breakage), f"{breakage}, {generation}: the folder does not reproduce it")
    return told


def verify(names):
    whole, found = runs(), {}
    for what in {(r.kernel, r.size, r.group): r for r in whole.values()}.values():
        check(not reported(what, ""), f"{what.kernel} differs with a sound translator")
    for name in names:
        found[name] = reported(whole[name], name)
        print(f"{name}: {' '.join(found[name])}", flush=True)
        check(found[name], f"{name} is not reported")
    return found


# ---- random programs ----

FEW = 4  # programs at once: most breakages are found by the first ones


class Search:
    """The generator's programs, a few at a time: in the interpreter once, and in other configurations for each breakage."""

    def __init__(self, names):
        import configuration
        import engines
        from program import kind_of
        self.engines, self.kind_of, self.draw = engines, kind_of, configuration.draw
        self.levels = configuration.host_levels(CY)
        self.left, self.found = list(names), {}

    def programs(self, seeds):
        turn = seeds[0] // FEW
        kind = self.kind_of("assembly" if turn % 4 == 3 else "opencl")
        programs = [kind.generate(seed) for seed in seeds]
        oracle, configurations, is_raw = self.draw(turn, self.levels, 4)
        fit = getattr(kind, "fit", lambda one: one)
        oracle, configurations = fit(oracle), list(dict.fromkeys(fit(c) for c in configurations if c.engine == "jit"))
        how = {"is_raw": is_raw} if kind.KIND == "opencl" else {}
        with tempfile.TemporaryDirectory(prefix="broken") as folder:
            os.environ.pop("CHENGYING_BREAK", None)
            expected = kind.run(programs, oracle, folder, **how)
            for name in list(self.left):
                os.environ["CHENGYING_BREAK"] = name
                for configuration in configurations:
                    first = self.first(kind, programs, configuration, folder, how, oracle, expected)
                    if first is not None:
                        self.left.remove(name)
                        self.found[name] = seeds[first] + 1
                        print(f"{name}: found by program {self.found[name]}, {configuration}", flush=True)
                        break
            os.environ.pop("CHENGYING_BREAK", None)
        print(f"{seeds[-1] + 1} programs, {len(self.left)} breakages left: {' '.join(self.left)}", flush=True)

    def first(self, kind, programs, configuration, folder, how, oracle, expected):
        """The number of the first program that differs, of those that run there; None: no one does."""
        chosen = [i for i, program in enumerate(programs) if configuration.generation in program.generations and not expected[i].fault]
        results = kind.run([programs[i] for i in chosen], configuration, folder, **how) if chosen else []
        different = [i for i, result in zip(chosen, results)
                     if self.engines.difference(expected[i], result, oracle, configuration, programs[i])]
        return min(different, default=None)


def generator(names):
    search = Search(names)
    for seed in range(0, MOST_PROGRAMS, FEW):
        if search.left:
            search.programs(list(range(seed, seed + FEW)))
    for name in search.left:
        check(False, f"{name} is not found within {MOST_PROGRAMS} programs")
    return search.found


# ---- both ----

def table(log):
    """What verify reports, and what the generator printed in an earlier run."""
    with open(log) as file:
        text = file.read()
    found = {}
    for count, names in re.findall(r"^(\d+) programs, \d+ breakages left: (.*)$", text, re.M):
        found.update({name: f"not by {count}" for name in names.split()})
    found.update(re.findall(r"^(\w+): found by program (\d+),", text, re.M))
    told, kernels = verify(list(breakages())), runs()
    print("| breakage | what is broken | reported by verify, of kernel | found by program |\n|---|---|---|---|")
    for name, what in breakages().items():
        by = f"`{kernels[name].kernel}`, {' and '.join(told[name])}" if told[name] else "not reported"
        print(f"| `{name}` | {what} | {by} | {found.get(name, 'not found')} |")


def main():
    command, names = sys.argv[1], sys.argv[2:] or list(breakages())
    if command == "listed":
        listed()
    elif command == "table":
        table(names[0])
    else:
        {"verify": verify, "generator": generator}[command](names)
    finish()


main()
