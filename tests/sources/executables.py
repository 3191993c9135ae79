"""Executables of `cy cc` whose source is gone: tools compile them again from what they carry, or say first what is missing."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
import kernel  # noqa: E402
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"])
ARGUMENTS = ["--global", "8", "--arg", "buffer:f32:8=ones", "--arg", "buffer:f32:8", "--arg", "8"]
AGAIN = "x.riscv: note: compiled again from the source in it"


def cy(*words, cwd=TMP):
    return subprocess.run([CY, *words], cwd=cwd, capture_output=True, text=True, check=False)


def compile_away(march, *options):
    """Compiled here, run in a directory of its own without the source."""
    away = TMP / "away"
    away.mkdir(exist_ok=True)
    kernel.write(TMP)
    done = cy("cc", "-march=" + march, "-I", "inc", *options, "-o", "away/x.riscv", "k.cl")
    check(not done.returncode and not done.stderr, done.stderr)
    shutil.rmtree(TMP / "inc")
    (TMP / "k.cl").unlink()
    return away


def test_with_source(march, *options):
    away = compile_away(march, *options)
    done = cy("check", "x.riscv", *ARGUMENTS, cwd=away)
    check(done.stderr.startswith(AGAIN + " for the checker\n") and kernel.WRONG in done.stderr and "in pick, called at k.cl:7:16" in done.stderr,
          f"check: {done.stderr}")
    done = cy("profile", "--json", "p.json", "x.riscv", *ARGUMENTS, cwd=away)
    found = kernel.texts(json.loads((away / "p.json").read_text()))
    check(found.get(("more.h", 3)) == "return i > n ? 0 : in[i];" and found.get(("k.cl", 7)) == kernel.ADD, f"profile: {found}")
    check(done.stderr == ("" if "-g" in options else AGAIN + "\n"), f"profile: {done.stderr}")
    done = cy("debug", "--batch", "--ex", "break average", "--ex", "continue", "--ex", "next", "--ex", "info locals", "--ex", "kill", "x.riscv",
              *ARGUMENTS, cwd=away)
    check("4\t    int gid = get_global_id(0);" in done.stdout and "gid = 0" in done.stdout, f"debug: {done.stdout}{done.stderr}")
    done = cy("run", "x.riscv", *ARGUMENTS, "--print", "1", cwd=away)
    check(not done.stderr, f"an ordinary run says nothing: {done.stderr}")
    done = cy("dis", "--notes", "x.riscv", cwd=away)
    check(f"source    k.cl, {len(kernel.SOURCE)} bytes\nsource    inc/more.h, {len(kernel.HEADER)} bytes\n" in done.stdout, done.stdout)
    if "-g" in options:
        check(kernel.ADD in cy("dis", "-S", "x.riscv", cwd=away).stdout, "dis shows it")


def test_without(march):
    away = compile_away(march, "--no-source")
    for tool in ("check", "profile"):
        done = cy(tool, "x.riscv", *ARGUMENTS, cwd=away)
        check(done.stderr.startswith("x.riscv: note: it carries no source, so it runs as it is: there are addresses instead of lines"),
              f"{tool}: {done.stderr}")
    check("[out-of-bounds]" in cy("check", "x.riscv", *ARGUMENTS, cwd=away).stderr, "it is checked")


for target in ("ventus", "ventus-gen2"):
    test_with_source(target)
    test_with_source(target, "-g")
    test_without(target)
finish()
