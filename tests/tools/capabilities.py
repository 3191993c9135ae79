"""docs/capabilities.md, cell by cell: each command with each kind of program does what the table says, or says what the legend has.

Every cell runs twice, once for each generation; the number of dimensions and of launches goes round, so that each pair of a command or a
kind with a generation, a number of dimensions, and one or many launches occurs."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, SOURCE, BUILD = os.environ["CY"], pathlib.Path(os.environ["CY_SOURCE"]), pathlib.Path(os.environ["CY_BUILD"])
TMP = pathlib.Path(os.environ["CY_TMP"])
KERNEL = """kernel void k(global int *p)
{
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    p[i] = (int)i + 1;
}
"""
ASSEMBLY = """        .text
        .ventus_kernel k, pds=0
k:
        vid.v   v1
        vadd.vi v1, v1, 1
        ret
        .size   k, . - k
"""
OTHERS = ASSEMBLY.replace("        .ventus_kernel k, pds=0\n", "        .globl k\n        .type k, @function\n")
RANGES = ["64", "16,4", "8,4,2"]
BUFFER = ["--arg", "buffer:i32:64=zeros"]
GENERATIONS = ["ventus", "ventus-gen2"]
PROGRAMS = ["vecadd", "life"]  # one launch, and many


def cy(*words):
    done = subprocess.run([CY, *words], cwd=TMP, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr


def must(*words):
    status, text = cy(*words)
    check(status == 0, f"cy {' '.join(words)}: {status} {text}")


# ---- the document ----

def tables():
    """Rows of the commands, by kind, and of the letters."""
    text = (SOURCE / "docs/capabilities.md").read_text(encoding="utf-8")
    found = [re.findall(r"^\|(.*)\|$", part, re.M) for part in re.split(r"\n\n", text) if part.startswith("|")]
    rows = [[[cell.strip() for cell in line.split("|")] for line in table] for table in found]
    check(len(rows) == 2, "a table of commands and one of letters")
    kinds = rows[0][0][1:]
    commands = {row[0].replace("`", ""): dict(zip(kinds, row[1:])) for row in rows[0][2:]}
    letters = {row[0]: (row[1] == "yes", row[2].strip("`")) for row in rows[1][2:]}
    return kinds, commands, letters


# ---- the programs ----

def recorded_pair():
    words = [0x80000000, 0, 0, 0, 0, 4, 1, 0x90000000, 1024, 0, 32, 32, 0, 2, 0x80000000, 0x90000000, 16, 16, 4096, 4096]
    for dimensions, grid in enumerate([(4, 1, 1), (2, 2, 1), (2, 1, 2)]):
        words[2:5] = grid
        (TMP / f"{dimensions}.metadata").write_text("".join(f"{word:08x}\n00000000\n" for word in words), encoding="ascii")
        (TMP / f"{dimensions}.data").write_text("5208a0d7\n803022f3\n0202e0a7\n0000400b\n0\n0\n0\n0\n", encoding="ascii")


def prepare():
    (TMP / "k.cl").write_text(KERNEL, encoding="ascii")
    (TMP / "k.s").write_text(ASSEMBLY, encoding="ascii")
    (TMP / "others.s").write_text(OTHERS, encoding="ascii")
    recorded_pair()
    for march in GENERATIONS:
        must("cc", f"-march={march}", "-o", f"k.{march}.riscv", "k.cl")
        must("cc", "--no-source", f"-march={march}", "-o", f"n.{march}.riscv", "k.cl")
        must("as", f"-march={march}", "-o", "others.o", "others.s")
        must("ld", "-o", f"v.{march}.riscv", "others.o")
        for dimensions, shape in enumerate(RANGES):
            must("run", f"-march={march}", "k.cl", "--global", shape, *BUFFER, "--record", f"{march}.{dimensions}.folder")


def file_of(kind, march, dimensions):
    return {"source": "k.cl", "executable": f"k.{march}.riscv", "without source": f"n.{march}.riscv", "assembly": "k.s",
            "vendor's": f"v.{march}.riscv", "pair": f"{dimensions}.metadata", "folder": f"{march}.{dimensions}.folder"}[kind]


# ---- the commands ----

def sweep(kind, launch, march):
    plan = f"sweep{len(list(TMP.glob('*.toml')))}.toml"
    what, words = ("program", launch) if kind == "program" else ("run", launch)
    extra = "" if kind == "program" else "memory_latency = [4]\n"
    (TMP / plan).write_text(f"{what} = {words!r}\n[cross]\n{extra or 'memory_latency = [4]' + chr(10)}", encoding="ascii")
    return ["sweep", plan]


def command(name, kind, march, dimensions, many):
    """The words of the command line."""
    if kind == "program":
        program = [str(BUILD / "bin/examples" / PROGRAMS[many])]
        launch, verb, options, files = ["--", *program], "exec", [f"-march={march}"], program
    else:
        file = file_of(kind, march, dimensions)
        recorded = kind in ("pair", "folder")
        verb, options = ("replay", []) if recorded and name != "run or exec" else ("run", [f"-march={march}"] if kind in ("source", "assembly") else [])
        launch = [file] * (1 + (many and name != "--trace")) if verb == "replay" else [file, "--global", RANGES[dimensions], *BUFFER]
        files = [file, "--global", RANGES[dimensions], *BUFFER]
    place = f"{name}.{kind}.{march}.out".replace(" ", "-").replace("'", "")
    if name == "sweep":
        return sweep(kind, (options if kind not in ("program", ) else []) + (files if kind != "program" else launch[1:]), march)
    if name == "verify":
        return ["verify", launch[1] if kind == "program" else file]
    if name in ("check", "debug") or name.startswith("profile"):
        own = [] if kind == "program" else options
        more = {"check": ["check"], "debug": ["debug", "--batch", "-e", "continue"], "profile": ["profile"],
                "profile --timing": ["profile", "--timing"], "profile --flamegraph": ["profile", f"--flamegraph={place}"],
                "profile --html (and view)": ["profile", f"--html={place}.html"]}[name]
        return more + (launch if kind == "program" else files + own)  # cy debug takes the file first
    if name == "--record" and verb == "replay":
        verb, launch = "run", files
    more = {"run or exec": [], "--stats": ["--stats"], "--trace": [f"--trace={place}"], "--timing": ["--timing"], "--engine jit": ["--engine", "jit"],
            "--engine verify": ["--engine", "verify"],
            "--record": [f"--record={place}"]}[name]
    return [verb, *options, *more, *launch]


def try_cell(words, cell, letters):
    status, text = cy(*words)
    done = f"cy {' '.join(words)}: {status}\n{text[:1500]}"
    said = [] if cell == "yes" else cell.split(", ")
    check(all(letter in letters for letter in said), f"{cell}: a letter that is not in the legend")
    does_it = all(letters[letter][0] for letter in said)
    check((status == 0) == does_it, f"{'it fails' if does_it else 'it does something'}: {done}")
    for letter, (_, sentence) in letters.items():
        check((sentence in text) == (letter in said), f"{letter} is {'not ' if letter in said else ''}said: {done}")


def others():
    """A fault without lines says how to get them; a checker to which nothing came does not say that nothing is wrong."""
    (TMP / "far.cl").write_text("kernel void k(global int *p) { p[get_global_id(0) * 1000000] = 1; }\n", encoding="ascii")
    launch = ["--global", "64", "--arg", "buffer:i32:4"]
    for name, options, expected in (("with", [], "-g compiles it again from the source in it"), ("without", ["--no-source"], "what 'cy cc -g' compiles"),
                                    ("lines", ["-g"], None)):
        must("cc", *options, "-o", f"{name}.riscv", "far.cl")
        status, text = cy("run", f"{name}.riscv", *launch)
        note = f"{name}.riscv: note: it has no lines, so there is an address: "
        check(status == 1 and (note in text and expected in text if expected else note not in text and "far.cl:1" in text), f"{name}: {text}")
    check("far.cl:1" in cy("run", "-g", "with.riscv", *launch)[1], "what the note says")
    status, text = cy("check", "0.metadata", *launch)
    check(status == 1 and "check: no kernel was launched; 0 errors, 0 notes" in text, f"nothing was checked: {text}")


def main():
    kinds, commands, letters = tables()
    prepare()
    pairs = set()
    for row, (name, cells) in enumerate(commands.items()):
        for column, kind in enumerate(kinds):
            for generation, march in enumerate(GENERATIONS):
                if kind == "pair" and generation:
                    continue  # they are of generation 1
                dimensions, many = (row + column + generation) % 3, (row + column // 2 + generation) % 2
                try_cell(command(name, kind, march, dimensions, many), cells[kind], letters)
                pairs |= {(name, march), (kind, march), (name, dimensions), (kind, dimensions), (name, many), (kind, many)}
    wanted = {(what, value) for what in [*kinds, *commands] for value in [*GENERATIONS, 0, 1, 2]} - {("pair", "ventus-gen2")}
    check(not wanted - pairs, f"pairs that do not occur: {wanted - pairs}")
    status, text = cy("replay", "-e", "k.ventus-gen2.riscv", "0.metadata")
    check(status == 1 and "recordings as pairs of files are of generation 1" in text, f"a pair and an executable of generation 2: {text}")
    others()
    print(f"{sum(len(cells) for cells in commands.values())} cells, {len(pairs)} pairs")
    finish()


main()
