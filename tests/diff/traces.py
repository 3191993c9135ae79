"""Traces of one kernel, changed in known ways: what cy diff finds, and what it says about traces that are none."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]


def path(name):
    return os.path.join(TMP, name)


def write(name, lines):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write("".join(lines))
    return path(name)


def run(*words, status=0):
    done = subprocess.run([CY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def trace(name, *words):
    kernel = os.path.join(SOURCE, "examples", "asm", "vecadd.s")
    buffers = ["--arg", "buffer:f32:64=iota", "--arg", "buffer:f32:64=ones", "--arg", "buffer:f32:64"]
    run("run", kernel, "--global", "64", "--local", "32", "--set", "threads=8", *buffers, "--trace", path(name), *words)
    with open(path(name), encoding="utf-8") as file:
        return file.readlines()


commit = trace("commit.log", "--trace-format", "commit")
full = trace("full.log")
output, _ = run("diff", path("commit.log"), path("full.log"))
check(output == f"the same: {len(commit)} instructions that write something\n", f"the two forms of one run: {output}")

# how warps are interleaved does not matter
by_warp = sorted(commit, key=lambda line: int(line[4:line.index(":")]))
run("diff", path("commit.log"), write("sorted.log", by_warp))

# one lost instruction is one finding, wherever it is
third = [number for number, line in enumerate(commit) if line.startswith("core   3:")]
for at in (third[0], third[len(third) // 2], third[-1]):
    lost = commit[:at] + commit[at + 1:]
    output, _ = run("diff", path("commit.log"), write("lost.log", lost), status=1)
    check(f"warp 3: 1 instruction only in {path('commit.log')}, {path('commit.log')}:{at + 1}\n" in output, output)
    check("1 difference in 1 warp" in output and output.count("\n<") == 1 and "\n>" not in output, output)
    output, _ = run("diff", path("lost.log"), path("commit.log"), status=1)
    check("1 difference in 1 warp" in output and output.count("\n>") == 1, output)

# another value: both sides, the instruction, what precedes it
at = next(number for number in third if "v1 " in commit[number])
words = commit[at].split()
changed = commit[:at] + [commit[at].replace(words[-1], "0x12345678")] + commit[at + 1:]
output, _ = run("diff", path("commit.log"), write("changed.log", changed), "--context", "2", status=1)
check("warp 3: another effect" in output and "1 difference in 1 warp" in output and "0x12345678" in output, output)
check(len([line for line in output.splitlines() if line.startswith("  0x")]) == 2, f"context: {output}")

# which part of a long line it is
for index, value, expected in ((-3, "0000abcd", "v1 lane 2, "), (-len(words) + 6, "00000001", "mask of v1, "), (-len(words) + 5, "v9", "register, v1 and v9"),
                               (len(words), "mem 0x90000000", "only the second goes on: mem 0x90000000")):
    other = words[:index] + [value] + (words[index:][1:] if index < 0 else [])
    output, _ = run("diff", path("commit.log"), write("part.log", commit[:at] + [" ".join(other) + "\n"] + commit[at + 1:]), status=1)
    check(f"\n  differs: {expected}" in output, f"no {expected!r} in {output}")
output, _ = run("diff", path("commit.log"), write("word.log", commit[:at] + [commit[at].replace(words[4], "(0x00000013)")] + commit[at + 1:]), status=1)
check("warp 3: other instructions" in output and "differs" not in output, f"another instruction at the same address: {output}")

# source lines
run("cc", "-o", path("mandelbrot.riscv"), os.path.join(SOURCE, "examples", "kernels", "mandelbrot.cl"))
_, errors = run("diff", path("commit.log"), path("full.log"), "--elf", path("mandelbrot.riscv"))
check("no line numbers: compile it with -g" in errors, errors)
run("cc", "-g", "-o", path("mandelbrot.riscv"), os.path.join(SOURCE, "examples", "kernels", "mandelbrot.cl"))
run("run", path("mandelbrot.riscv"), "--global", "16", "--arg", "buffer:u8:16", "--arg", "i32:4", "--trace", path("first.log"))
with open(path("first.log"), encoding="utf-8") as log:
    lines = log.readlines()
at = next(number for number, line in enumerate(lines) if "; vfmul.vv" in line)
write("second.log", lines[:at] + lines[at + 1:])
output, _ = run("diff", path("first.log"), path("second.log"), "--elf", path("mandelbrot.riscv"), status=1)
check("vfmul.vv" in output and re.search(r", at \S*mandelbrot\.cl:\d+\n", output) and "1 difference in 1 warp" in output, f"no source line: {output}")

# a lost warp
output, _ = run("diff", path("commit.log"), write("warp.log", [line for line in commit if not line.startswith("core   3:")]), status=1)
check(f"warp 3: {len(third)} instructions only in" in output and "1 difference in 1 warp" in output, output)


def refuses(expected, lines):
    _, errors = run("diff", path("commit.log"), write("bad.log", lines), status=1)
    check(expected in errors, f"no {expected!r} in {errors!r}")


refuses("line 3 is not of the form", commit[:2] + ["core   0: 3 80000000 (oops)\n"])
refuses(f"line {len(commit)} is cut off", commit[:-1] + [commit[-1][:30]])
refuses("not a commit trace", ["hello\n"])
run("diff", path("commit.log"), path("none.log"), status=1)
run("diff", path("commit.log"), status=2)

# profiles
KERNEL = "kernel void k(global int *a)\n{\n    int i = get_global_id(0);\n    a[i] = i * 3;\n%s}\n"
for name, more in (("a", ""), ("b", "\n    a[i + 64] = a[i] / 7;\n")):
    write(f"{name}.cl", [KERNEL % more])
    for timing in ([], ["--timing"]):
        words = [path(f"{name}.cl"), "--global", "64", "--arg", "buffer:i32:128", "--json", path(f"{name}{len(timing)}.json")]
        run("profile", *timing, *words)
output, _ = run("diff", "--profile", path("a0.json"), path("a0.json"))
check(len(output.splitlines()) == 2 and "+0.0 %" in output, f"a profile and itself: {output}")
for timing, unit in (("0", "warp instructions"), ("1", "cycles of warps")):
    output, _ = run("diff", "--profile", path(f"a{timing}.json"), path(f"b{timing}.json"), status=1)
    check(unit in output and "new  a[i + 64] = a[i] / 7;" in output, output)
    if timing == "0":
        check("a[i] = i * 3;" not in output, f"a line that moved and did not change: {output}")
output, _ = run("diff", "--profile", path("b0.json"), path("a0.json"), status=1)
check("gone  a[i + 64] = a[i] / 7;" in output, output)
with open(path("a0.json"), encoding="utf-8") as document:
    text = document.read()

# of several kernels, the one that changed most is first
kernels = [dict(json.loads(text)["kernels"][0], name=name) for name in ("a_little", "m_most", "z_some")]
write("several.json", [json.dumps(dict(json.loads(text), kernels=kernels))])
for kernel, times in zip(kernels, (2, 9, 4)):
    for row in [kernel["total"], *kernel["source_lines"]]:
        row["issued"] *= times
    kernel["source_lines"] = json.loads(json.dumps(kernel["source_lines"]))
write("changed.json", [json.dumps(dict(json.loads(text), kernels=kernels))])
output, _ = run("diff", "--profile", path("several.json"), path("changed.json"), status=1)
check(re.findall(r"kernel (\w+)$", output, re.M) == ["m_most", "z_some", "a_little"], output)
for expected, changed in (("bad.json:1:", text[:200]), ("not a profile", "{}"), ("of version 2", text.replace('"version":1', '"version":2')),
                          ("expected a value", "[1, oops]")):
    _, errors = run("diff", "--profile", path("a0.json"), write("bad.json", [changed]), status=1)
    check(expected in errors, f"no {expected!r} in {errors!r}")
finish()
