"""`cy run --stats` of translated code counts what the interpreter's observer counts, and says which share is translated."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, SOURCE = os.environ["CY"], os.environ["CY_SOURCE"]
EXITS = (os.path.join(SOURCE, "tests", "profile", "exits.cl"), ("buffer:u32:65536", "buffer:u32:512=random:5", "u32:77"))
OPENCL = os.path.join(SOURCE, "bench", "opencl")
RUNS = [(*EXITS, "places", "1600", "4"), (*EXITS, "nested", "252,24", "6,2"), (*EXITS, "tiles", "120,60", "10,6"),
        (*EXITS, "fences", "96,64", "24,4"), (*EXITS, "letters", "250,30", "50,3"),
        (os.path.join(OPENCL, "reduce.cl"), ("buffer:f32:4096=ones", "buffer:f32:16", "4096", "local:1024"), "reduce", "4096", "256"),
        (os.path.join(OPENCL, "programs", "tree_stack.cl"), ("buffer:f32:16384=random:5", "buffer:f32:16384=random:7", "buffer:i32:8192"),
         "traverse", "8192", "64")]


def table(engine, target, run):
    source, arguments, kernel, size, group = run
    done = subprocess.run([CY, "run", "--stats", "--engine", engine, f"-march={target}", source, "--kernel", kernel, "--global", size, "--local",
                           group, *(word for argument in arguments for word in ("--arg", argument))], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{kernel}, {engine}: {done.stderr}")
    return dict(re.findall(r"^ *(\S+(?: \S+)*?)(?: {2,})(\S.*)$", re.sub(r"^( +\S+) +", r"\1 ", done.stdout, flags=re.M), re.M))


def without_bytes(traffic):
    words = traffic.split()
    return [words[0], *words[-2:]] if len(words) == 4 else words


def is_estimate(row):
    """What only some workgroups tell, and what depends on how many of them an engine runs at once."""
    return row.split()[0] in ("occupancy", "translated", "memory", "local", "global")


for target in ("ventus", "ventus-gen2"):
    for run in RUNS:
        name = f"{run[2]} {run[3]}, {target}"
        one, other = table("interp", target, run), table("jit", target, run)
        check("memory accesses" not in one, f"{name}: it looks at all")
        check(re.match(r"[\d.e-]+%  were looked at", other.pop("memory accesses", "100%  were looked at")), f"{name}: which share: {other}")
        check(len(one) > 8 and one.keys() == other.keys(), f"{name}: {one} and {other}")
        for row in one:
            check(is_estimate(row) or one[row] == other.get(row), f"{name}: {row}: {one[row]} and {other.get(row)}")
        for row in ("global loads", "global stores"):
            before, after = (list(map(float, without_bytes(rows[row]))) for rows in (one, other))
            check(len(before) == 3 and all(abs(a - b) <= 0.1 * b for a, b in zip(after, before)), f"{name}: {row}: {before} and {after}")
        check(one["translated"].startswith("0  of the instructions (0.0 %); not: the interpreter"), f"{name}: {one['translated']}")
        check(float(re.search(r"\((.*) %\)", other["translated"])[1]) > 50, f"{name}: {other['translated']}")
finish()
