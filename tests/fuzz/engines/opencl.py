"""Random programs in OpenCL C, in the form of the files of tests/kernels (case.h), many to a file; run.c runs these."""
import os
import random
import re
import subprocess

from opencl_kernels import Kernels
from program import Program, Result

KIND = "opencl"
# kernels, size of a kernel, depth of statements, helpers and structures at most; the share of such programs
SIZES = {"tiny": ((1, 1), 1, 1, 0, 24), "small": ((1, 1), 2, 2, 1, 62), "medium": ((1, 2), 3, 2, 1, 11), "large": ((1, 3), 4, 3, 3, 3)}
HEAVY = ["double", "half", "images", "long functions", "inexact math", "wide division", "roundings"]
PROLOGUE = "#pragma OPENCL FP_CONTRACT OFF\n#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n"


class Writer(Kernels):
    def __init__(self, seed):
        self.r = random.Random(f"opencl {seed}")
        self.prefix = f"p{seed}_"
        self.features, self.prelude = set(), {}
        self.counter, self.lines = 0, []
        self.structs = []  # (name, [(member, Type, length or 0)], whether it is packed)
        self.tables = []   # (name, Type, log2)
        self.helpers = []  # (name, result type, [parameter])
        self.declarations, self.launches, self.sources = [], [], []
        # Every program leans its own way, or all would look alike.
        self.is_portable = self.chance(0.4)
        self.vector_share = self.r.choice([0, 0.1, 0.1, 0.3, 0.5])
        self.float_share = self.r.choice([0, 0.15, 0.3, 0.5])
        self.wide_share = self.r.choice([0.05, 0.1, 0.3])
        # What becomes much code is in few programs.
        self.heavy = set(self.r.sample(HEAVY, self.r.choice([0, 0, 0, 1, 1, 2])))
        if self.heavy & {"double", "half"} and not self.float_share:
            self.float_share = 0.15
        self.sum_bits = self.r.choice([32, 32, 32, 64])
        self.sum_type = "uint" if self.sum_bits == 32 else "ulong"
        self.size = self.r.choices(list(SIZES), [row[4] for row in SIZES.values()])[0]

    def write(self):
        kernels, size, self.depth, extras, _ = SIZES[self.size]
        for _ in range(self.r.randrange(extras + 1)):
            self.struct()
        for _ in range(self.r.randrange(extras + 1)):
            self.table()
        for _ in range(self.r.randrange(extras + 1)):
            self.helper(self.fresh_scope)
        for _ in range(self.r.randint(*kernels)):
            self.kernel(size)
        head = ["// data: in int[64] random", "// data: acc uint[8] value 0x1234567"]
        # prelude first: functions by their names, which have the program's prefix
        source = PROLOGUE + "".join(self.prelude.values()) + "\n".join(self.lines)
        return Program(KIND, 0, source, self.launches, head + self.declarations, features=self.features | {self.size},
                       options="-w" if self.is_portable else "-w -cl-std=CL3.0", is_portable=self.is_portable)


def generate(seed):
    program = Writer(seed).write()
    program.seed = seed
    return program


def lines_of(program):
    """How it is run: objects and launches, as lines of comments."""
    return [*program.objects, *program.launches, "// gives:", ""]


def text(programs):
    """A file of programs that are compiled with the same options."""
    out = [f"// options: {programs[0].options}"]
    for program in programs:
        out += [f"// seed {program.seed}", *lines_of(program)]
    return "\n".join(out + [program.source for program in programs])


def read(path):
    """A program from its file."""
    with open(path) as file:
        lines = file.read().splitlines()
    at = lambda *keys: [line for line in lines if line.startswith(tuple(f"// {key}:" for key in keys))]
    options = at("options")
    source = "\n".join(line for line in lines if not line.startswith("//"))
    return Program(KIND, -1, source, at("run"), at("data", "image", "sampler"), options=options[0][len("// options: "):] if options else "")


# ---- running ----

def environment(configuration, folder, build):
    c = configuration
    machine = [f"host-threads={c.threads}", f"engine-level={c.level}"]
    if c.strip != "auto":
        machine.append(f"strip={c.strip}")
    env = {key: value for key, value in os.environ.items() if not key.startswith("CHENGYING_") or key == "CHENGYING_BREAK"}
    env.update(CHENGYING_ENGINE=c.engine, CHENGYING_MACHINE=",".join(machine), CHENGYING_DEVICES=c.generation, CHENGYING_COMPILE_SECONDS="600",
               CHENGYING_CACHE="1", CHENGYING_CACHE_DIR=os.path.join(folder, "cache"), OCL_ICD_VENDORS=os.path.join(build, "lib/chengying.icd"))
    if c.optimise == "O0":
        env["CHENGYING_OPTIMIZE"] = "0"
    if c.attached == "counting":
        env["CHENGYING_STATS"] = "1"
    if c.platform == "pocl":
        vendors = os.path.join(folder, "vendors")
        os.makedirs(vendors, exist_ok=True)
        with open(os.path.join(vendors, "pocl.icd"), "w") as file:
            file.write("libpocl.so.2\n")
        env.update(OCL_ICD_VENDORS=vendors + "/", POCL_CACHE_DIR=os.path.join(folder, "pocl"))
    return env


def command(configuration, files, build, is_raw, is_hex):
    options = ("-DRAW " if is_raw else "") + ("-cl-fast-relaxed-math" if configuration.optimise == "fast" else "")
    run = [os.path.join(build, "tests/run_engines"), *(["--hex"] if is_hex else []),
           *(["--binaries"] if counts_rows(configuration) else []), f"--options={options}", *files]
    if configuration.attached == "check":
        return [os.path.join(build, "bin/cy"), "check", "--error-exitcode", "9", "--", *run]
    if configuration.attached == "debug":
        level = ["-O2"] if configuration.optimise == "O2" else []
        return [os.path.join(build, "bin/cy"), "debug", "--batch", *level, "--ex", "continue", "--", *run]
    return run


def run(programs, configuration, folder, is_raw=False, is_hex=False, apart=False):
    """Results in the order of the programs.  Those that need the same options are compiled as one, unless they are to be apart."""
    build = os.environ["CY_BUILD"]
    files, members = [], []
    groups = [[program] for program in programs] if apart else \
        [[program for program in programs if program.options == options] for options in sorted({program.options for program in programs})]
    for group in groups:
        path = os.path.join(folder, f"programs{len(files)}.cl")
        with open(path, "w") as file:
            file.write(text(group))
        files.append(path)
        members += group
    done = subprocess.run(command(configuration, files, build, is_raw, is_hex), capture_output=True, text=True, errors="replace",
                          env=environment(configuration, folder, build), timeout=1200, stdin=subprocess.DEVNULL, cwd=folder)
    results = parse(done, configuration)
    count_kernels(done.stderr, members, results)
    if counts_rows(configuration):
        for path in files:
            count_rows(path + ".riscv", build, members, results)
    by_seed = {id(program): result for program, result in zip(members, results)}
    how = f"the process ended with {done.returncode}: {done.stderr[-800:]}"
    return [by_seed.get(id(program)) or Result({}, fault=how) for program in programs]


def parse(done, configuration):
    results = []
    reports = found(done, configuration)
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "case":
            results.append(Result({}, reports=reports))
        elif word == "words" and results:
            name, _, value = rest.partition(" ")
            results[-1].words[name] = value
        elif word == "printed" and results:
            results[-1].printed += rest + "\n"
        elif word == "fault" and results:
            results[-1].fault += rest + "\n"
        elif word == "end" and results:
            results[-1].printed = "".join(sorted(results[-1].printed.splitlines(True)))
            results[-1].is_whole = True
    return [result for result in results if getattr(result, "is_whole", False)]


def found(done, configuration):
    """What a tool that is attached reported, which is wrong: programs have no faults."""
    if configuration.attached == "check" and done.returncode == 9:
        return done.stderr[-2000:]
    if configuration.engine == "verify":
        return "\n".join(line for line in done.stderr.splitlines() if re.match("verify: kernel|verify: .*differ", line) and "no difference" not in line)
    if configuration.attached == "debug":
        lines = [line for line in done.stdout.splitlines() + done.stderr.splitlines() if re.search("SIG|hit |fault|Breakpoint", line)]
        return "\n".join(lines)
    return ""


def counts_rows(configuration):
    return configuration.engine == "interp" and configuration.attached == "counting"


INSTRUCTION = re.compile(r"^[0-9a-f]{8}: (?:[0-9a-f]{8} )+\s*(\S+)")
LABEL = re.compile(r"^[0-9a-f]{8} <(.*)>:")


def count_rows(path, build, programs, results):
    """Of functions with the program's prefix: which instructions they have."""
    by_seed = {str(program.seed): result for program, result in zip(programs, results)}
    said = subprocess.run([os.path.join(build, "bin/cy"), "dis", "--no-aliases", path], capture_output=True, text=True)
    rows = {}
    for line in said.stdout.splitlines():
        label = LABEL.match(line)
        if label and not label[1].startswith(".L"):
            owner = re.match(r"p(\d+)_", label[1])
            rows = by_seed[owner[1]].rows if owner and owner[1] in by_seed else {}
        instruction = INSTRUCTION.match(line)
        if instruction and instruction[1] != ".word":
            rows[instruction[1]] = rows.get(instruction[1], 0) + 1


ROW = re.compile(r"^(p(\d+)_k\d+) +(\d+) +[\d.]+ +\S+ +(\d+) +(\d+)")


def count_kernels(stats, programs, results):
    """Instructions and work-items, of the table that CHENGYING_STATS prints; of a program all launches."""
    by_seed = {program.seed: result for program, result in zip(programs, results)}
    for line in stats.splitlines():
        match = ROW.match(line)
        if match and int(match[2]) in by_seed:
            by_seed[int(match[2])].instructions += int(match[4])
            by_seed[int(match[2])].items += int(match[5])
