"""Who asks for translated code, or sees how fast kernels are, is told which the interpreter ran, and why: no clang, no compile server, one
that fails, code that is refused, too short a run."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, BUILD = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"]), pathlib.Path(os.environ["CY_BUILD"]).resolve()
PROGRAM = BUILD / "tests" / "sources_program"
KERNEL = """kernel void average(global const float *in, global float *out, int n)
{
    int s = 0;
    for (int i = 0; i < TURNS; i++)
        s = s * 3 + i * n;
    EXTRA
    out[get_global_id(0)] = in[0] + (s == 77);
}
"""
REFUSED = '__asm__ volatile("vsetvli zero, zero, e16, m1, ta, ma");'
ARGUMENTS = ["--global", "8", "--arg", "buffer:f32:8=ones", "--arg", "buffer:f32:8", "--arg", "8"]


def run(command, *words, **environment):
    return subprocess.run([str(command), *map(str, words)], cwd=TMP, env=os.environ | environment, capture_output=True, text=True, check=False)


def program(name, turns, extra):
    """As a source, an executable, and a binary for the OpenCL program."""
    (TMP / (name + ".cl")).write_text(KERNEL.replace("TURNS", str(turns)).replace("EXTRA", extra), encoding="ascii")
    for words in (("cc", name + ".cl"), ("exec", "--", PROGRAM, "write", name + ".cl", "", name + ".bin")):
        done = run(CY, *words)
        check(not done.returncode and not done.stderr, f"{words}: {done.stderr}")


def installation(server):
    """A copy whose compile server is this script, or missing."""
    root = TMP / "copy"
    shutil.rmtree(root, ignore_errors=True)
    (root / "bin").mkdir(parents=True)
    (root / "lib" / "chengying").mkdir(parents=True)
    shutil.copy(CY, root / "bin" / "cy")
    for library in (BUILD / "lib").glob("libchengying*.so*"):
        shutil.copy(library, root / "lib", follow_symlinks=False)
    for directory in ("ventus", "ventus-gen2"):
        (root / "lib" / directory).symlink_to(BUILD / "lib" / directory)
    if server:
        path = root / "lib" / "chengying" / "compile-server"
        path.write_text(server, encoding="ascii")
        path.chmod(0o755)
    return root / "bin" / "cy"


def expect_both(cy, reason, **environment):
    """From `cy run` in its first line, from an OpenCL program once, although it has been built."""
    done = run(cy, "run", "--engine", "jit", "short.riscv", *ARGUMENTS, "--stats", **environment)
    check(re.match(f"note: the interpreter ran 'average': {reason}\n", done.stderr), f"cy run, {reason}: {done.stderr}")
    check(re.search(r"^translated .*; not: " + reason, done.stdout, re.M), f"its statistics, {reason}: {done.stdout}")
    done = run(cy, "exec", "--engine", "jit", "--", PROGRAM, "run", "short.bin", **environment)
    check(re.match(f"chengying: the interpreter ran 'average': {reason}\n$", done.stderr), f"cy exec, {reason}: {done.stderr}")
    done = run(cy, "exec", "--engine", "jit", "--stats", "--", PROGRAM, "run", "short.bin", **environment)
    check(re.search(f"^  average +not: {reason}$", done.stderr, re.M) and done.stderr.count("average ") == 2,
          f"cy exec --stats, {reason}: {done.stderr}")
    done = run(cy, "profile", "--", PROGRAM, "run", "short.bin", CHENGYING_ENGINE="jit", **environment)
    check(re.match(f"chengying: the interpreter ran 'average': {reason}\n", done.stderr), f"cy profile, {reason}: {done.stderr}")


def test_missing():
    expect_both(CY, "cannot run /nonexistent: No such file or directory; install the package clang-19", CHENGYING_CLANG="/nonexistent")
    expect_both(installation(None), r"cannot run \S*compile-server: No such file or directory")
    expect_both(installation("#!/bin/sh\nexit 3\n"), r"the compiler \S*compile-server exited without an answer")


def test_refused():
    """In a launch that is long enough to be translated, and is not: its reason is the refusal."""
    for name in ("refused.bin", "long.bin"):
        done = run(CY, "exec", "--stats", "--", PROGRAM, "run", name)
        why = re.search(r"^  average +not: (.*)$", done.stderr, re.M)
        if name == "refused.bin":
            check(why and why[1] == "another vtype than e32, m1", f"refused: {done.stderr}")
        else:
            check(not why or why[1].startswith("it was translated while it ran"), f"translated late, or in time: {done.stderr}")
    done = run(CY, "run", "--engine", "jit", "refused.riscv", *ARGUMENTS)
    check(done.stderr.endswith("note: the interpreter ran 'average': another vtype than e32, m1\n"), f"cy run: {done.stderr}")
    done = run(CY, "profile", "--", PROGRAM, "run", "refused.bin")
    check(done.stderr.startswith("chengying: the interpreter ran 'average': "), f"cy profile, of a long launch: {done.stderr}")


def test_short():
    done = run(CY, "exec", "--stats", "--", PROGRAM, "run", "short.bin")
    check("not: it has not run for long" in done.stderr, f"short: {done.stderr}")
    for words in (("exec",), ("profile",)):
        done = run(CY, *words, "--", PROGRAM, "run", "short.bin")
        check(not done.stderr, f"nobody asked: {done.stderr}")
    done = run(CY, "exec", "--engine", "jit", "--", PROGRAM, "run", "short.bin")
    check(not done.stderr and done.stdout, f"translated: {done.stderr}")


program("short", 10, "")
program("refused", 60000000, REFUSED)
program("long", 60000000, "")
test_missing()
test_refused()
test_short()
finish()
