"""The configurations in which a program runs: axes, their values, and which of them a batch of programs gets."""
import itertools
import random
import re
import subprocess
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Configuration:
    engine: str      # interp, jit; verify: both (docs/verify.md), which may report no difference
    level: str       # of the host, by name: engine-level
    strip: str       # auto, or the lanes that translated code executes together
    generation: str  # gen1, gen2
    threads: str     # of the host: 1, 2
    run: str         # first, cache: what it translates is new, or from the cache of an earlier run
    attached: str    # plain, counting, check, debug
    optimise: str    # O0, O2; fast: with relaxed math, where only runs of the same machine code agree
    platform: str    # ours, pocl

    def __str__(self):
        return ",".join(getattr(self, f.name) for f in fields(self))


ORACLE = Configuration("interp", "best", "auto", "gen1", "1", "first", "plain", "O2", "ours")
STRIPS = ("auto", "4", "8", "16", "32")
NAMES = [f.name for f in fields(Configuration)]
SHARES = {"plain": 68, "counting": 18, "check": 8, "debug": 6}  # of what is attached
# Where translations are few: wide strips take three times as long to translate as narrow ones, and so does what counts.
FEW_SHARES = {"plain": 87, "counting": 6, "check": 4, "debug": 3}
FEW_STRIPS = {"auto": 30, "4": 24, "8": 24, "16": 12, "32": 10}


def parse(text):
    return Configuration(*text.split(","))


def host_levels(cy):
    """The levels of this processor, the lowest first: the error message names them."""
    said = subprocess.run([cy, "run", "--set", "engine-level=none", "nothing"], capture_output=True, text=True).stderr
    return re.search("available: best, (.*)", said)[1].split(", ")


def translation(configuration):
    """What a translation depends on: two configurations with the same one share it."""
    c = configuration
    return c.level, c.strip, c.generation, c.optimise, c.attached == "counting"


def shared(r, configuration, known, most):
    """The configuration with one of the translations that there are already, when these are as many as there may be."""
    if configuration.engine == "interp":
        return configuration
    if translation(configuration) not in known and len(known) == most:
        level, strip, generation, optimise, counts = r.choice(known)
        configuration = replace(configuration, level=level, strip=strip, generation=generation, optimise=optimise,
                                engine="jit" if counts else configuration.engine, attached="counting" if counts else "plain")
    if translation(configuration) not in known:
        known.append(translation(configuration))
    return configuration


def draw(seed, levels, count, has_pocl=False, translations=None):
    """The configurations of a batch, the interpreter's first, and whether NaNs keep their bits.  Only then all of them must run the same
    machine code; else any may be drawn.  Most are translated code with nothing attached, which is what may be wrong.  `translations`: so
    many at most, which take nearly all the time; configurations then differ in what executes a translation."""
    r = random.Random(f"configurations {seed}")
    shares = FEW_SHARES if translations else SHARES
    choose_strip = (lambda: r.choices(list(FEW_STRIPS), FEW_STRIPS.values())[0]) if translations else lambda: r.choice(STRIPS)
    is_raw = r.random() < 0.3
    optimise = r.choices(("O0", "O2", "fast"), (25, 55, 20) if is_raw else (25, 75, 0))[0]
    oracle = replace(ORACLE, generation=r.choice(("gen1", "gen2")), optimise=optimise,
                     level=r.choice(levels), attached="counting", threads="1")
    # two ways to compile the programs, for all of a batch: compiling takes as long as translating
    codes = [(oracle.generation, oracle.optimise), (r.choice(("gen1", "gen2")), r.choices(("O0", "O2"), (30, 70))[0])]
    drawn, known, most = [], [], r.randint(1, translations) if translations else 0
    while len(drawn) < count:
        attached = r.choices(list(shares), shares.values())[0]
        engine = r.choices(("jit", "verify", "interp"), {"plain": (86, 9, 5), "counting": (94, 0, 6)}.get(attached, (0, 0, 1)))[0]
        strip = choose_strip() if engine != "interp" and attached == "plain" else "auto"
        generation, optimise = r.choices(codes, (30, 70))[0]
        if is_raw or attached == "counting":  # whose numbers are compared, too
            generation, optimise = codes[0]
        c = Configuration(engine, r.choice(levels), strip, generation, r.choice(("1", "2")), r.choice(("first", "cache")), attached,
                          optimise, "ours")
        c = shared(r, c, known, most) if translations else c
        if c not in drawn:
            drawn.append(c)
    if has_pocl and not is_raw and r.random() < 0.25:
        drawn.append(replace(ORACLE, level="best", platform="pocl"))
    return oracle, drawn, is_raw


def pairs(configuration):
    """Pairs of values of different axes; on another platform there are no others."""
    values = [(f.name, getattr(configuration, f.name)) for f in fields(configuration)]
    if configuration.platform != "ours":
        return [(("platform", configuration.platform), ("engine", "interp"))]
    return itertools.combinations(values, 2)
