#!/usr/bin/env python3
"""Random programs in assembly, made of the rows of the instruction tables.

    assembly.py show SEED                       the program
    assembly.py run [--seed N] [--count N]      runs programs on all levels; which rows ran how, and what differs
    assembly.py files FILE...                   the same with programs of found/
    assembly.py rows [--count N]                that every row is generated, or is said not to be
    assembly.py reduce SEED [--options ...]     a smaller program that still differs
    assembly.py write [--generation gen2]       the sources of those that are translated

What a program computes does not depend on the order of work-items.  Its first line is the machine's settings; it has one kernel, k, whose
arguments are the input and the results: registers at the end, and all memory that was written.
"""
import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys
from dataclasses import replace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from assembly_code import COUNTERS, GROUPS, ITEM, LOCAL_ID, MASK, SLOT, TEMP, ZERO
from assembly_flow import Flow
from assembly_memory import AREA_BYTES, PRIVATE_BYTES, SHARED_WORDS
from assembly_rows import MARCH, NOT_GENERATED, ROWS, SOURCE, rows_of
from program import Buffer, Launch, Program, Result

KIND = "assembly"
BUILD = os.environ.get("CY_BUILD", f"{SOURCE}/build")
RUNNER = f"{BUILD}/tests/assembly_run"
SPECIAL = (0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
           0xffc12345, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4b000000, 0xcf000000, 0x4f800000, 0x80000001, 0x3fc00000,
           0x33800000, 0x3f7fffff, 0x00007c00, 0x00003c01, 0x7e000400, 31, 32, 0x7ff00000, 0x7ff80000, 0xfff00001, 0x3ff00000,
           0x00100000, 0x41dfffff, 0x41e00000)


# ---- one program ----

class Generator(Flow):
    def __init__(self, seed):
        super().__init__(f"assembly {seed}")
        self.generation = self.r.choices(("gen1", "gen2"), (42, 58))[0]
        self.is_gen2 = self.generation == "gen2"
        self.choose_shape()
        self.choose_contents()
        self.choose_focus(seed)
        self.choose_kinds()
        self.choose_rows()

    def choose_shape(self):
        r = self.r
        self.threads = r.choices((32, 16, 8, 4, 64), (60, 15, 12, 6, 7))[0]
        kind = r.random()
        if kind < 0.5:
            local = (r.choice((1, 8, 16, 17, 24, 32, 32, 33, 48, 64, 64, 96, 100)), 1, 1)
        elif kind < 0.85:
            local = r.choice(((8, 8, 1), (16, 4, 1), (32, 2, 1), (17, 3, 1), (5, 7, 1), (12, 4, 1), (4, 16, 1), (1, 40, 1)))
        else:
            local = r.choice(((4, 4, 4), (8, 2, 3), (3, 5, 2), (16, 1, 2), (1, 1, 20)))
        self.local_items = local[0] * local[1] * local[2]
        while self.local_items > 8 * self.threads:
            local = (local[0], max(1, local[1] // 2), 1) if local[1] > 1 else (local[0] // 2, 1, 1)
            self.local_items = local[0] * local[1] * local[2]
        self.local = local
        most = max(1, 160 // self.local_items)
        counts = [1, 1, 1]
        for axis in range(3 if local[2] > 1 else 2 if local[1] > 1 else 1):
            counts[axis] = r.choice((1, 2, 3))
            while counts[0] * counts[1] * counts[2] > most and counts[axis] > 1:
                counts[axis] -= 1
        self.counts = tuple(counts)
        self.groups = counts[0] * counts[1] * counts[2]
        size = [n * c for n, c in zip(local, counts)]
        if self.chance(0.35):       # the last groups are smaller
            for axis in range(3):
                if local[axis] > 1:
                    size[axis] -= r.randrange(local[axis])
        self.size = tuple(size)
        self.items = self.groups * self.local_items
        self.warps = (self.local_items + self.threads - 1) // self.threads
        self.dimensions = 3 if local[2] > 1 or counts[2] > 1 else 2 if local[1] > 1 or counts[1] > 1 else 1

    def choose_contents(self):
        r, chance = self.r, self.chance
        self.is_lockstep = self.threads <= 32 and chance(0.15)
        self.is_across = self.threads <= 32 and chance(0.2)
        self.has_interpreted = chance(0.1)
        self.is_exotic = is_exotic = chance(0.12)    # such programs are not translated
        self.has_other_vtypes = is_exotic and chance(0.6)
        self.has_csr_writes = is_exotic and chance(0.4)
        self.has_tables = is_exotic and chance(0.2)
        self.has_other_memory = is_exotic and chance(0.2)
        self.mask_option = r.choice(("packed", "packed", "lane")) if self.is_across else "packed"
        self.has_local = chance(0.5)
        self.has_private = chance(0.3)
        self.accesses = r.choice((0, 0.1, 0.2, 0.5))   # with many, lanes run one by one
        self.narrow_share = r.choice((0, 0, 0.1, 0.3))
        self.pairs_share = r.choice((0, 0, 0.1, 0.4))
        self.modified_share = r.choice((0, 0.1, 0.3)) if self.is_gen2 else r.choice((0, 0, 0.1, 0.2))
        self.slot = r.choice((2, 3, 4, 6, 8, 12, 16, 24, 32, 64, r.randrange(2, 65)))   # bytes of each item
        self.backwards = chance(0.3)   # the items' slots
        self.depth = r.choice((0, 0, 1, 1, 1, 2))
        self.sections = r.choice((1, 1, 1, 1, 2, 2, 3))
        self.counter, self.scalar_counter = COUNTERS, 0
        self.tables = []
        self.functions = tuple(f"f{i}" for i in range(r.randrange(1, 4))) if chance(0.3) else ()

    def choose_kinds(self):
        chance = self.chance
        kinds = [self.access] * 3 + [lambda: self.unit_stride(False), lambda: self.indexed(False), self.atomic, self.atomic]
        if self.is_gen2:
            kinds += [self.far_access] * 4
        if self.has_private:
            kinds += [self.private] * 3
        if self.has_local:
            kinds += [self.own_local] * 2
            if self.is_gen2:
                kinds += [self.local_many]
        if chance(0.3):
            kinds += [self.reserved, self.exchanged, self.exchanged]
        if chance(0.4):
            kinds += [self.walk] * 3
        self.kinds_of_access = kinds

    # ---- around the body ----

    def number_items(self):
        """ITEM: the work-item's number, by whole workgroups; LOCAL_ID: that in its workgroup."""
        lines = ["csrr t0, gidx", "csrr t1, gidy", f"li t2, {self.counts[0]}", "mul t1, t1, t2", "add t0, t0, t1", "csrr t1, gidz",
                 f"li t2, {self.counts[0] * self.counts[1]}", "mul t1, t1, t2", "add t0, t0, t1", "mv s7, t0"]
        if self.chance(0.5):        # as compilers find it
            lines += ["csrr s0, knl", "lw t1, 24(s0)", "mul t0, t0, t1", "lw t1, 28(s0)", "mul t0, t0, t1", "lw t1, 32(s0)", "mul t0, t0, t1"]
        else:
            lines += [f"li t1, {self.local_items}", "mul t0, t0, t1"]
        lines += ["csrr t1, tid", f"vid.v {LOCAL_ID}", f"vadd.vx {LOCAL_ID}, {LOCAL_ID}, t1", f"vadd.vx {ITEM}, {LOCAL_ID}, t0"]
        self.emit_all(*lines)

    def prologue(self):
        self.emit_all("lw a1, 0(a0)", "lw a2, 4(a0)")
        self.number_items()
        self.emit_all(f"vsll.vi v1, {ITEM}, 2", "li s8, 0x1ffc", "li s9, 1")
        self.emit_all(f"li t1, {self.scratch_at()}", f"vsll.vi v2, {ITEM}, 3", "vadd.vx v2, v2, t1")
        self.emit_all(f"li t1, {self.scratch4_at()}", f"vsll.vi v3, {ITEM}, 4", "vadd.vx v3, v3, t1")
        # the warp's memory
        self.emit_all(f"li t1, {self.warps}", "mul t1, t1, s7", "csrr t2, wid", "add t1, t1, t2", f"li t2, {AREA_BYTES * self.threads}",
                      "mul t1, t1, t2", f"li t2, {self.warps_at()}", "add t1, t1, t2", "add s1, a2, t1")
        if self.is_gen2:
            self.emit_all("mv a4, a1", "li a5, 0", "mv a6, a2", "li a7, 0")
        if self.has_local:          # behind the warps' scalar stacks
            self.emit_all("csrr a3, knl", "lw t1, 56(a3)", f"li t2, {self.warps}", "mul t1, t1, t2", "csrr a3, lds", "add a3, a3, t1",
                          f"vsll.vi {SLOT}, {LOCAL_ID}, 2", f"vadd.vx {SLOT}, {SLOT}, a3")
        for i, number in enumerate(self.pool):
            with self.unit():
                self.emit(f"li t1, {4 * self.items * i}")
                self.emit("add t1, t1, a1")
                self.emit(f"vluxei32.v v{number}, (t1), v1")
        for i, number in enumerate(self.scalars):
            with self.unit():
                self.emit(f"lw x{number}, {16 * i + 4}(a1)")
        self.emit_all("mv s10, zero", "mv s11, zero")
        self.emit(f"vmv.v.v v0, v{self.pool[3]}")
        if self.has_private:
            self.fill_private()

    def epilogue(self):
        for i, number in enumerate(self.pool):
            with self.unit():
                self.emit(f"li t1, {4 * self.items * i}")
                self.emit("add t1, t1, a2")
                self.emit(f"vsuxei32.v v{number}, (t1), v1")
        if self.uses_groups:
            with self.unit():
                self.emit(f"vmv.v.i {TEMP}, 0")
                for k in range(16):
                    self.emit(f"vsll.vi {ZERO}, {TEMP}, 1")
                    self.emit(f"vsrl.vi {TEMP}, {TEMP}, 31")
                    self.emit(f"vor.vv {TEMP}, {TEMP}, {ZERO}")
                    self.emit(f"vxor.vv {TEMP}, {TEMP}, v{GROUPS + k}")
                self.emit(f"li t1, {40 * self.items}")
                self.emit("add t1, t1, a2")
                self.emit(f"vsuxei32.v {TEMP}, (t1), v1")
        for i, number in enumerate(self.scalars):
            with self.unit():
                self.emit(f"vmv.v.x {TEMP}, x{number}")
                self.emit(f"li t1, {4 * self.items * (11 + i)}")
                self.emit("add t1, t1, a2")
                self.emit(f"vsuxei32.v {TEMP}, (t1), v1")
        self.emit("endprg x0, x0, x0")

    def head(self):
        vgprs = max(112 if self.uses_groups else 64, (max(self.pool) + 4) & ~3)
        settings = f"threads={self.threads},mask={self.mask_option}"
        section = ".cy.warps" if self.is_lockstep else ".cy.lanes"
        return [f"# machine: {settings}", f"    .ventus_kernel k, vgpr={vgprs}, sgpr=64, lds={self.local_bytes() if self.has_local else 0}, "
                f"pds={PRIVATE_BYTES if self.has_private else 0}", f'    .section {section},"",@progbits', '    .asciz "k"', "    .text", "k:"]

    def data(self):
        """What tables jump to."""
        lines = ["    .data", "    .balign 4"] if self.tables else []
        for table, ends in self.tables:
            lines += [f"{table}:"] + [f"    .word {label}" for label in ends]
        return lines

    def write(self):
        self.prologue()
        self.body()
        self.epilogue()
        for i, name in enumerate(self.functions):
            self.function(name, self.functions[:i] if self.chance(0.6) else ())
        head = self.head()
        units = [tuple(n + len(head) for n in unit) for unit in self.units]
        return "\n".join(head + self.lines + self.data()) + "\n", units


def numbers(seed, count):
    r = random.Random(f"numbers {seed}")
    words = []
    for _ in range(count):
        kind = r.random()
        words.append(r.choice(SPECIAL) if kind < 0.3 else struct.unpack("<I", struct.pack("<f", r.uniform(-100, 100)))[0] if kind < 0.5
                     else r.randrange(40) if kind < 0.7 else r.getrandbits(32))
    return struct.pack(f"<{count}I", *words)


INPUTS = {}


def input_of(seed, count):
    """One of a few, since these numbers take longer to make than the program."""
    which = seed % 16
    if which not in INPUTS or len(INPUTS[which]) < 4 * count:
        INPUTS[which] = numbers(which, max(count, 2400))
    return INPUTS[which][:4 * count]


def generate(seed):
    generator = Generator(seed)
    source, units = generator.write()
    shared = random.Random(seed).getrandbits(32 * SHARED_WORDS).to_bytes(4 * SHARED_WORDS, "little")
    results = bytes(generator.shared_at()) + shared
    launch = Launch("k", generator.size, generator.local, (), ("in", "out"))
    features = {name for name in ("lockstep", "across", "exotic") if getattr(generator, f"is_{name}")}
    return Program(KIND, seed, source, [launch], [Buffer("in", "uint", input_of(seed, generator.input_words()), False),
                                                  Buffer("out", "uint", results)],
                   generations=(generator.generation,), features=features, rows=generator.rows, units=units)


# ---- running ----

def packed(program):
    """As assembly_run reads it."""
    launch = program.launches[0]
    settings = re.match(r"# machine: (\S+)", program.source)[1]
    dimensions = max(n for n in range(1, 4) if n == 1 or launch.global_size[n - 1] > 1 or launch.local_size[n - 1] > 1)
    source = program.source.encode()
    yield (f"program {program.seed} {MARCH[program.generations[0]]} {settings} {dimensions} {' '.join(map(str, launch.global_size))} "
           f"{' '.join(map(str, launch.local_size))} {len(source)} {len(program.objects)}\n").encode()
    yield source
    for buffer in program.objects:
        yield f"buffer {len(buffer.data)} {int(buffer.is_compared)}\n".encode()
        yield buffer.data


def options_of(configuration):
    c = configuration
    return [f"engine={c.engine}", f"level={c.level}", f"strip={c.strip}", f"host-threads={c.threads}", f"run={c.run}", f"attached={c.attached}"]


def execute(programs, options, folder, dump=None, environment={}):
    """Lines of assembly_run, by program; one that ends it has none."""
    path, found, left = f"{folder}/programs.{os.getpid()}", {}, list(programs)
    while left:
        with open(path, "wb") as file:
            for program in left:
                for piece in packed(program):
                    file.write(piece)
        more = [f"dump={dump}"] if dump else []
        done = subprocess.run([RUNNER, *options, *more, path], capture_output=True, text=True, env={**os.environ, **environment})
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                answer = json.loads(line)
                answer["stderr"] = done.stderr if done.returncode else ""
                found[answer["program"]] = answer
        if done.returncode in (0, 1):
            break
        while left and left[0].seed in found:   # it crashed at the next one
            left.pop(0)
        if left:
            found[left[0].seed] = {"program": left[0].seed, "words": [], "fault": f"assembly_run ended with {done.returncode}",
                                   "stderr": done.stderr[-2000:]}
            left.pop(0)
    os.unlink(path)
    return found


def fit(configuration):
    """Nothing is compiled; what checks or debugs looks at every instruction."""
    return replace(configuration, optimise="O2", attached="debug" if configuration.attached == "check" else configuration.attached)


def file_name(program):
    return f"{program.seed}.s"


def text(programs):
    return "\n".join(program.source for program in programs)


def run(programs, configuration, folder):
    rows = ["rows=1"] if configuration.engine == "interp" and configuration.attached != "debug" else []
    cache = {"CHENGYING_CACHE_DIR": os.path.join(folder, "cache")}     # configurations share what is translated
    found, results = execute(programs, options_of(configuration) + ["translator=server"] + rows, folder, environment=cache), []
    for program in programs:
        answer = found.get(program.seed, {"words": [], "fault": "no answer"})
        names = [buffer.name for buffer in program.objects]
        words = {name: word for name, word, buffer in zip(names, answer["words"], program.objects) if buffer.is_compared}
        reports = answer.get("reports", "")
        result = Result(words, fault=answer.get("fault", ""), reports=reports and f"p{program.seed}_k: {reports}", instructions=answer.get("instructions", 0),
                        items=answer.get("items", 0), translated=answer.get("translated", 0), rows=answer.get("rows", {}))
        result.why, result.interpreted = answer.get("why", ""), answer.get("interpreted", "")
        results.append(result)
    return results


# ---- reducing ----

FIRST_VALUE = re.compile(r"    (?:vluxei32\.v (v\d+), \(t1\), v1|lw (x\d+), \d+\(a1\))$")


def without(program, left_out):
    """The program without the lines of these units; but a register that is still there keeps its first value."""
    lines = program.source.split("\n")
    gone = {n for unit in left_out for n in unit}
    for unit in left_out:
        match = FIRST_VALUE.match(lines[unit[-1]])
        if match and len(unit) in (1, 3):
            name = re.compile(rf"\b{match[1] or match[2]}\b")
            if any(name.search(line) for n, line in enumerate(lines) if n not in gone):
                gone -= set(unit)
    return "\n".join(line for n, line in enumerate(lines) if n not in gone)


def reduce(program, differs):
    """Leaves out as many units as possible: large ones first, then in halves, until none can go."""
    left_out, units = [], sorted(program.units, key=len, reverse=True)
    changed = True
    while changed:
        changed = False
        size = max(1, len(units) // 2)
        while size:
            at = 0
            while at < len(units):
                trial = left_out + units[at:at + size]
                if differs(program.with_source(without(program, trial))):
                    left_out, changed = trial, True
                    del units[at:at + size]
                else:
                    at += size
            size //= 2
    smaller = program.with_source(without(program, left_out))
    smaller.units = []
    return smaller


# ---- by itself ----

def levels():
    """Of the host, as the machine names them when it is asked for one that does not exist."""
    cy = os.environ.get("CY", f"{BUILD}/bin/cy")
    done = subprocess.run([cy, "run", "--set", "engine-level=none", "x.s", "--global", "1"], capture_output=True, text=True)
    return re.findall(r"\b(sse2|avx2|avx512_slow_gather|avx512|neon|sve)\b", done.stderr)


def read(path):
    """A program of found/: after the machine's settings comes what is launched, and the words of input and results."""
    source = open(path).read()
    match = re.search(r"^# launch: (\S+) (\S+) (\S+) (\d+) (\d+)$", source, re.M)
    march, size, local, words, results = match.groups()
    seed = sum(source.encode())
    launch = Launch("k", tuple(map(int, size.split(","))), tuple(map(int, local.split(","))), (), ("in", "out"))
    generation = next(name for name, target in MARCH.items() if target == march)
    return Program(KIND, seed, source, [launch], [Buffer("in", "uint", numbers(7, int(words)), False),
                                                  Buffer("out", "uint", bytes(4 * int(results)))], generations=(generation,))


def differs(want, got):
    """In a few words, what; "" if nothing."""
    if want.get("fault") or not want.get("words"):
        return f"the interpreter: {want.get('fault') or 'no answer'} {want.get('stderr', '')}"
    if got.get("fault"):
        return got["fault"]
    if got["words"] != want["words"]:
        return "other words"
    return got.get("reports", "")


class Coverage:
    """How many programs had each row at each level: in translated code, in translated kernels but interpreted, in interpreted kernels."""
    def __init__(self):
        self.counts = {}

    def add(self, level, rows, answer):
        interpreted = set(re.findall(r"[\w.]+", answer.get("interpreted", "")))
        for row in rows:
            how = 2 if not answer.get("translated") else 1 if row in interpreted else 0
            self.counts.setdefault(row, {}).setdefault(level, [0, 0, 0])[how] += 1

    def show(self, names):
        print("row" + "".join(f"  {name}: translated, interpreted in translated kernels, in interpreted ones" for name in names))
        for row in ROWS:
            counts = [self.counts.get(row, {}).get(name, [0, 0, 0]) for name in names]
            reason = f"  never: {NOT_GENERATED[row]}" if row in NOT_GENERATED else ""
            print(f"{row:20}" + "".join(f" {a:7}{b:6}{c:6}" for a, b, c in counts) + reason)
        self.summary(names)

    def summary(self, names):
        least = {name: min(sum(self.counts.get(row, {}).get(name, [0])) for row in ROWS if row not in NOT_GENERATED) for name in names}
        for name in names:
            by = [self.counts.get(row, {}).get(name, [0, 0, 0]) for row in ROWS]
            print(f"{name}: {sum(a > 0 for a, _, _ in by)} rows translated, {sum(a == 0 and b > 0 for a, b, _ in by)} interpreted in translated "
                  f"kernels, {sum(a == b == 0 and c > 0 for a, b, c in by)} in interpreted kernels only; the rarest row in {least[name]} programs")


def compare(programs, options, coverage=None):
    """On every level; how many differ."""
    failed, translated, executed = 0, 0, []
    wanted = execute(programs, ["engine=interp", "rows=1"], options.folder)
    for level in options.levels.split(",") if options.levels else levels():
        given = execute(programs, ["engine=jit", f"level={level}"] + options.options.split(), options.folder)
        for program in programs:
            want, got = wanted.get(program.seed, {}), given.get(program.seed, {"fault": "no answer"})
            what = differs(want, got)
            failed += bool(what)
            translated += bool(got.get("translated"))
            executed.append(want.get("instructions", 0))
            if what:
                print(f"program {program.seed}, {program.generations[0]}, level {level}: {what}", flush=True)
            if coverage:
                coverage.add(level, want.get("rows", {}), got)
    return failed, translated, executed


def run_many(options):
    """In batches, on every level."""
    coverage, failed, translated, executed, ran = Coverage(), 0, 0, [], 0
    for first in range(options.seed, options.seed + options.count, 50):
        programs = [generate(seed) for seed in range(first, min(first + 50, options.seed + options.count))]
        results = compare(programs, options, coverage)
        failed, translated, ran = failed + results[0], translated + results[1], ran + len(programs)
        executed += results[2]
    executed.sort()
    names = options.levels.split(",") if options.levels else levels()
    if options.table:
        coverage.show(names)
    else:
        coverage.summary(names)
    print(f"{ran} programs on {len(names)} levels, {translated} runs translated, {executed[len(executed) // 2]} instructions in the median "
          f"program, {failed} differ")
    return failed != 0


def run_files(options):
    failed = 0
    for path in options.what:
        count = compare([read(path)], options)[0]
        failed += count
        if count:
            print(f"{path}: differs")
    print(f"{len(options.what)} files, {failed} differ")
    return failed != 0


def reduce_one(options):
    def is_wrong(program):
        want = execute([program], ["engine=interp"], options.folder)[program.seed]
        got = execute([program], ["engine=jit"] + options.options.split(), options.folder)[program.seed]
        return not want.get("fault") and bool(want["words"]) and bool(differs(want, got))
    program = generate(int(options.what[0]))
    if not is_wrong(program):
        print("it does not differ")
        return 1
    print(reduce(program, is_wrong).source, end="")
    return 0


def write(options):
    """The sources of those that can be translated, one file each."""
    for seed in range(options.seed, options.seed + 20 * options.count):
        program = generate(seed)
        if options.generation in program.generations and not program.features & {"exotic"} and "threads=32" in program.source:
            with open(f"{options.folder}/{seed}.s", "w") as file:
                file.write(program.source)
            options.count -= 1
            if not options.count:
                break
    return 0


def check_rows(options):
    """Every row is in some program of the first ones, or is said not to be in any."""
    seen = set()
    for seed in range(1, options.count + 1):
        seen |= set(generate(seed).rows)
    missing, known = sorted(set(ROWS) - seen - set(NOT_GENERATED)), sorted(seen & set(NOT_GENERATED))
    print(f"{len(ROWS)} rows: {len(seen)} in the first {options.count} programs, {len(NOT_GENERATED)} said to be in none")
    for row, reason in NOT_GENERATED.items():
        print(f"{row}: {reason}")
    if missing:
        print("in none, and not said to be: " + " ".join(missing))
    if known:
        print("said to be in none: " + " ".join(known))
    return bool(missing or known)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("show", "run", "files", "rows", "reduce", "write"))
    parser.add_argument("what", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--levels", default="", help="by name; all of this host")
    parser.add_argument("--options", default="", help="of assembly_run, for what is compared with the interpreter")
    parser.add_argument("--generation", default="gen1")
    parser.add_argument("--table", action="store_true", help="every row's counts")
    parser.add_argument("--folder", default=os.environ.get("CY_TMP", "/tmp"))
    options = parser.parse_args()
    if options.command == "show":
        for seed in options.what:
            print(generate(int(seed)).source, end="")
        return 0
    return {"run": run_many, "files": run_files, "rows": check_rows, "reduce": reduce_one, "write": write}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
