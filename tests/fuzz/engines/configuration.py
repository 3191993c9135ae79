"""The configurations in which a program runs: axes, their values, and how many pairs of values have been seen."""
import itertools
import random
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Configuration:
    engine: str      # interp, jit; verify is a value that can be added here
    level: str       # of the host, by name: engine-level
    strip: str       # auto, or the lanes that translated code executes together
    generation: str  # gen1, gen2
    threads: str     # of the host: 1, 2
    run: str         # first, cache: what it compiles and translates is new, or from the cache of an earlier run
    attached: str    # plain, counting, check, debug
    optimise: str    # O0, O2
    platform: str    # ours, pocl

    def __str__(self):
        return ",".join(getattr(self, f.name) for f in fields(self))


ORACLE = Configuration("interp", "best", "auto", "gen1", "1", "first", "plain", "O2", "ours")
STRIPS = ("auto", "4", "8", "16", "32")


def axes(levels, has_pocl=False):
    return {"engine": ("interp", "jit"), "level": tuple(levels), "strip": STRIPS, "generation": ("gen1", "gen2"),
            "threads": ("1", "2"), "run": ("first", "cache"), "attached": ("plain", "counting", "check", "debug"),
            "optimise": ("O0", "O2"), "platform": ("ours", "pocl") if has_pocl else ("ours",)}


def draw(seed, levels, count):
    """Configurations for the programs of a seed; mostly translated code with nothing attached, which is what may be wrong."""
    r = random.Random(f"configurations {seed}")
    drawn = []
    while len(drawn) < count:
        attached = r.choices(("plain", "counting", "check", "debug"), (60, 25, 9, 6))[0]
        engine = "jit" if attached in ("plain", "counting") and r.random() < 0.95 else "interp"
        c = Configuration(engine, r.choice(levels), r.choice(STRIPS) if engine == "jit" else "auto", r.choice(("gen1", "gen2")),
                          r.choice(("1", "2")), r.choice(("first", "cache")), attached, r.choices(("O0", "O2"), (25, 75))[0], "ours")
        if c not in drawn:
            drawn.append(c)
    return drawn


def pairs(configuration):
    values = [(f.name, getattr(configuration, f.name)) for f in fields(configuration)]
    return itertools.combinations(values, 2)
