"""Everything in which two kinds of host must agree byte for byte, as files: device library, assembled sources, compiled kernels with
their messages, results and statistics of launches, pictures, and what the examples print."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess

KERNELS = ["tests/kernels/*/*.cl", "tests/regress/*.cl", "bench/*/*.cl", "examples/kernels/*.cl"]
RUN = KERNELS[:2]
SOURCES = ["tests/asm/same/*.s", "tests/asm/expect/*.s", "examples/asm/*.s"]
EPIC = {"cube": ["--blocks=12", "--mem=16M"], "life": ["-DGENERATIONS=5"], "mandelbrot": ["--blocks=240"],
        "triangle": ["--blocks=240"]}
LEVELS = ["-O0", "-O2"]


class Build:
    """`options`: of the compiler; debug information names the directory it was compiled in.  `every`: only every n-th kernel."""

    def __init__(self, path, out, clang=None, options=(), every=1):
        self.path, self.out = os.path.realpath(path), out
        self.environment = dict(os.environ, CHENGYING_CACHE="0", CHENGYING_MACHINE="deterministic=1",
                                OCL_ICD_VENDORS=f"{self.path}/lib/chengying.icd")
        if clang:
            self.environment["CHENGYING_CLANG"] = clang
        self.pool = concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CY_COMPARE_JOBS", os.cpu_count())))
        self.jobs, self.options, self.every = [], options, every
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
        text = result.stdout.replace(self.out.encode(), b"OUT").replace(self.path.encode(), b"BUILD")
        text = re.sub(rb"\d+\.\d+ s\b", b"TIME s", text)
        text = re.sub(rb"(?m)^(engine level|every step of it) .*\n", b"", text)
        if "--stats" in command and "exec" in command:  # two columns are times, which also order the rows
            text = re.sub(rb" +\d+\.\d+ +\d+\.\d+%(?= +\d+ +\d+ )", b" TIME", text)
            text = b"".join(sorted(text.splitlines(keepends=True)))
        self.keep(f"{name}.text", text + b"status %d\n" % result.returncode)

    def everything(self):
        for step in (self.device_library, self.assemble, self.compile, self.launch, self.examples, self.pictures):
            step()
        self.finish()

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
        for source in all_of(KERNELS)[:: self.every]:
            for level in LEVELS:
                name = name_of(source) + level
                self.run(name, "bin/cy", "cc", "--no-source", level, *self.options, "-o", f"{self.out}/{name}.riscv", source)

    def launch(self):
        """What kernels leave in memory is compared by their digests; here also what they executed."""
        for source in all_of(RUN)[:: self.every]:
            self.run("run-" + name_of(source), "bin/cy", "exec", "--engine", "interp", "--stats", "--", f"{self.path}/tests/run_kernels", source)
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
