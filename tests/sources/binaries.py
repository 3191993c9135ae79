"""Programs from binaries whose source and headers are gone: checker, profiler, viewer and debugger show what they show of a program from
source, and a binary made under one of them runs without it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "view"))
import cytrace  # noqa: E402
import kernel  # noqa: E402
from checks import check, finish  # noqa: E402

CY, TMP, BUILD = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"]), os.environ["CY_BUILD"]
PROGRAM = os.path.join(BUILD, "tests", "sources_program")
RESULT = "1 1 1 1 1 1 1\n"


def cy(*words, cwd=TMP, **environment):
    return subprocess.run([CY, *words], cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)


def write(name, *tool, options="-I inc", **environment):
    kernel.write(TMP)
    done = cy(*(tool or ("exec",)), "--", PROGRAM, "write", "k.cl", options, name, **environment)
    check((TMP / name).exists(), f"{name}: {done.stdout}{done.stderr}")
    shutil.rmtree(TMP / "inc")
    (TMP / "k.cl").unlink()


def run(name, *tool, **environment):
    elsewhere = TMP / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return cy(*tool, "--", PROGRAM, "run", str(TMP / name), cwd=elsewhere, **environment)


def instructions(name, **environment):
    row, = (line for line in run(name, "exec", "--stats", **environment).stderr.splitlines() if line.startswith("average  "))
    return int(row.split()[4])


def check_tools(name, where, **environment):
    done = run(name, "check", **environment)
    check("error: read of 4 bytes outside of `in`, argument 0 of `average`" in done.stderr and kernel.WRONG in done.stderr and
          "in pick, called at <source>:7:16" in done.stderr and "chengying:" not in done.stderr, f"{where}: check: {done.stderr}")
    run(name, "profile", "--json", "profile.json", **environment)
    found = kernel.texts(json.loads((TMP / "elsewhere" / "profile.json").read_text()))
    check(found.get(("more.h", 3)) == "return i > n ? 0 : in[i];" and found.get(("<source>", 7)) == kernel.ADD, f"{where}: profile: {found}")
    run(name, "profile", "--cytrace", "run.cytrace", **environment)
    programs = [payload for kind, payload in cytrace.chunks((TMP / "elsewhere" / "run.cytrace").read_bytes()) if b'"files"' in payload]
    check(len(programs) == 1 and kernel.ADD.encode() in programs[0] and b"return i > n" in programs[0], f"{where}: view: {programs}")
    done = run(name, "debug", "--batch", "--ex", "break average", "--ex", "continue", "--ex", "next", "--ex", "info locals", "--ex", "kill",
               **environment)
    check("4\t    int gid = get_global_id(0);" in done.stdout and "gid = 0" in done.stdout, f"{where}: debug: {done.stdout}{done.stderr}")


def test_generation(generation):
    device = {"CHENGYING_DEVICES": generation}
    write("plain.bin", **device)
    check(run("plain.bin", "exec", **device).stdout == RESULT, "it runs")
    check_tools("plain.bin", generation, **device)
    for tool in (("check",), ("debug", "--batch", "--ex", "continue")):
        write("tool.bin", *tool, **device)
        done = run("tool.bin", "exec", **device)
        check(done.stdout == RESULT and not done.stderr, f"{generation}: made under cy {tool[0]}: {done.stdout}{done.stderr}")
        check(instructions("tool.bin", **device) == instructions("plain.bin", **device), f"{generation}: it is optimised")


def test_without():
    """Left out by an option or the environment: the first line says what is missing."""
    for options, environment in (("-I inc -cy-no-source", {}), ("-I inc", {"CHENGYING_NO_SOURCE": "1"})):
        write("without.bin", options=options, **environment)
        check(b"kernel void" not in (TMP / "without.bin").read_bytes(), "no source")
        done = run("without.bin", "check")
        check(done.stderr.startswith("chengying: a program binary cannot be compiled again for cy check: it does not carry its source;"),
              f"{done.stderr}")
        check("[out-of-bounds]" in done.stderr, "it is checked")
        done = run("without.bin", "exec")
        check(done.stdout == RESULT and not done.stderr, f"{done.stderr}")


def test_size():
    """Compressed: a long source takes a small part of its size."""
    write("plain.bin")
    size = (TMP / "plain.bin").stat().st_size
    text = kernel.SOURCE + "".join(f"// line {i} of a long comment, as files have them\n" for i in range(4000))
    (TMP / "inc").mkdir()
    (TMP / "inc" / "more.h").write_text(kernel.HEADER, encoding="ascii")
    (TMP / "long.cl").write_text(text, encoding="ascii")
    cy("exec", "--", PROGRAM, "write", "long.cl", "-I inc", "long.bin")
    check((TMP / "long.bin").stat().st_size - size < len(text) / 8, "compressed")


test_generation("gen1")
test_generation("gen2")
test_without()
test_size()
finish()
