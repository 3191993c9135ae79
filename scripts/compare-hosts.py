#!/usr/bin/env python3
"""compare-hosts.py BUILD BUILD: everything that two builds, for two kinds of host, must agree in, byte for byte.

Device library, assembled sources, compiled kernels with their messages, results and statistics of launches, pictures, and what
the examples print.  Each build does its part in a directory of its own; then the directories are compared.
`make test-x86` calls it.  CY_COMPARE_JOBS=N: so many programs at a time instead of one for each processor.
CY_COMPARE_CLANG=PROGRAM: the second build uses this clang, so that the front end is another host's too (slow when emulated)."""
import concurrent.futures
import filecmp
import glob
import os
import re
import shutil
import subprocess
import sys

KERNELS = ["tests/kernels/*/*.cl", "tests/regress/*.cl", "bench/*/*.cl", "examples/kernels/*.cl"]
SOURCES = ["tests/asm/same/*.s", "tests/asm/expect/*.s", "examples/asm/*.s"]
EPIC = {"cube": ["--blocks=12", "--mem=16M"], "life": ["-DGENERATIONS=5"], "mandelbrot": ["--blocks=240"],
        "triangle": ["--blocks=240"]}
LEVELS = ["-O0", "-O2"]


class Build:
    def __init__(self, path, out, clang):
        self.path, self.out = os.path.realpath(path), out
        self.environment = dict(os.environ, CHENGYING_CACHE="0", CHENGYING_MACHINE="deterministic=1",
                                OCL_ICD_VENDORS=f"{self.path}/lib/chengying.icd")
        if clang:
            self.environment["CHENGYING_CLANG"] = clang
        self.pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CY_COMPARE_JOBS", os.cpu_count())))
        self.jobs = []
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)

    def keep(self, name, data):
        with open(f"{self.out}/{name}", "wb") as file:
            file.write(data)

    def run(self, name, *command):
        """Will run a program of the build; its status and what it prints are kept under this name."""
        self.jobs.append(self.pool.submit(self.run_now, name, command))

    def finish(self):
        for job in self.jobs:
            job.result()

    def run_now(self, name, command):
        result = subprocess.run([f"{self.path}/{command[0]}", *command[1:]], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        text = result.stdout.replace(self.path.encode(), b"BUILD").replace(self.out.encode(), b"OUT")
        text = re.sub(rb"\d+\.\d+ s\b", b"TIME s", text)
        text = re.sub(rb"(?m)^engine level .*\n", b"", text)
        if "--stats" in command and "exec" in command:  # two columns are times, which also order the rows
            text = re.sub(rb" +\d+\.\d+ +\d+\.\d+%(?= +\d+ +\d+ )", b" TIME", text)
            text = b"".join(sorted(text.splitlines(keepends=True)))
        self.keep(f"{name}.text", text + b"status %d\n" % result.returncode)

    def device_library(self):
        for directory in ("ventus", "ventus-gen2"):
            for path in glob.glob(f"{self.path}/lib/{directory}/**", recursive=True):
                if os.path.isfile(path):
                    shutil.copy(path, f"{self.out}/lib-{name_of(path[len(self.path) + 5:])}")

    def assemble(self):
        for source in all_of(SOURCES):
            name = name_of(source)
            self.run(name, "bin/cy", "as", "-o", f"{self.out}/{name}.o", source)

    def compile(self):
        for source in all_of(KERNELS):
            for level in LEVELS:
                name = name_of(source) + level
                self.run(name, "bin/cy", "cc", level, "-g", "-o", f"{self.out}/{name}.riscv", source)

    def launch(self):
        """What kernels leave in memory is compared by their digests; here also what they executed."""
        for source in all_of(["tests/kernels/*/*.cl", "tests/regress/*.cl"]):
            self.run("run-" + name_of(source), "bin/cy", "exec", "--stats", "--", f"{self.path}/tests/run_kernels", source)
        out = f"{self.out}/mandelbrot"
        self.run("mandelbrot", "bin/cy", "run", "--stats", "examples/kernels/mandelbrot.cl", "--global", "78,25", "--local",
                 "78,1", "--arg", "buffer:u8:1950", "--arg", "i32:40", "--out", f"0={out}.bin")
        self.run("commits", "bin/cy", "run", f"--trace={self.out}/commits.log", "examples/asm/vecadd.s", "--global", "256", "--arg",
                 "buffer:f32:256=iota", "--arg", "buffer:f32:256=random:7", "--arg", "buffer:f32:256", "--print", "2")

    def examples(self):
        for name in ("vecadd", "reduce", "life", "fault"):
            self.run(f"example-{name}", "bin/cy", "exec", "--", f"{self.path}/bin/examples/{name}")
        self.run("example-mandelbrot", "bin/cy", "exec", "--", f"{self.path}/bin/examples/mandelbrot", f"{self.out}/mandelbrot.png")

    def pictures(self):
        for name, options in EPIC.items():
            self.run(f"epic-{name}", "bin/cy", "epic", "run", f"examples/epic/{name}.s", *options, "--stats",
                     f"--png={self.out}/epic-{name}.png", f"--gif={self.out}/epic-{name}.gif")


def name_of(path):
    return path.replace("/", "-")


def all_of(patterns):
    return sorted(path for pattern in patterns for path in glob.glob(pattern))


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    builds = [os.path.abspath(path) for path in sys.argv[1:]]
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    clangs = [None, os.environ.get("CY_COMPARE_CLANG")]
    outs = [f"{builds[1]}/compare/{which}" for which in ("first", "second")]
    for path, out, clang in zip(builds, outs, clangs):
        build = Build(path, out, clang)
        for step in (build.device_library, build.assemble, build.compile, build.launch, build.examples, build.pictures):
            step()
        build.finish()
    names = [sorted(os.listdir(out)) for out in outs]
    if names[0] != names[1]:
        print("not in both:", *sorted(set(names[0]) ^ set(names[1])))
    common = sorted(set(names[0]) & set(names[1]))
    same, different, _ = filecmp.cmpfiles(*outs, common, shallow=False)
    for name in different:
        print(f"different: {outs[0]}/{name} {outs[1]}/{name}")
    kinds = sorted({os.path.splitext(name)[1] for name in same})
    for kind in kinds:
        print(f"{sum(os.path.splitext(name)[1] == kind for name in same):5} files the same: *{kind}")
    raise SystemExit(names[0] != names[1] or bool(different) or not same)


main()
