"""Parameters: presets, files, --set, what is wrong with them and where; docs/timing.md lists them all."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
ROW = os.path.join(SOURCE, "bench", "timing_rows", "4-threads", "vecadd_w1.metadata")


def run(*words, status=0):
    done = subprocess.run([CY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def write(name, text):
    path = os.path.join(TMP, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def refuses(expected, *words, status=1):
    _, errors = run(*words, status=status)
    check(expected in errors, f"{words}: no {expected!r} in {errors!r}")


def cycles(*words):
    output, _ = run("replay", "-q", "--timing", *words, ROW)
    return int(output.split()[-1])


def bad_parameters():
    replay = ("replay", "--timing")
    refuses("unknown timing parameter 'memory_latncy'; did you mean 'memory_latency'?", *replay, "--set", "memory_latncy=4", ROW)
    refuses("unknown timing parameter 'qwertyuiop_asdf'", *replay, "--set", "qwertyuiop_asdf=4", ROW)
    refuses("'memory_latency' needs a number (cycles), not 'fast'", *replay, "--set", "memory_latency=fast", ROW)
    refuses("'memory_latency' must be from 1 to 1000000, not 0", *replay, "--set", "memory_latency=0", ROW)
    refuses("'l1d_line' must be a power of two, not 12", *replay, "--set", "l1d_line=12", ROW)
    for setting in "memory_latency", "memory_latency=":
        refuses(f"--set {setting}: error: no value for 'memory_latency': expected 'memory_latency = value'", *replay, "--set", setting, ROW)
    for setting in "memory_latenc", "memorylatency=4", "Memory-Latency=4":
        name = setting.partition("=")[0]
        refuses(f"--set {setting}: error: unknown timing parameter '{name}'; did you mean 'memory_latency'?", *replay, "--set", setting, ROW)
    refuses("expected '", *replay, "--set", "", ROW)
    refuses("unknown timing preset 'ventus-verilg'; did you mean 'ventus-verilog'? available: ventus-verilog, ventus-chisel", "replay", "--timing=ventus-verilg", ROW)
    refuses("none.conf", "replay", "--timing=./none.conf", ROW)
    refuses("needs --timing", "replay", "--set", "memory_latency=4", ROW, status=2)
    refuses("needs --timing", "run", "--set", "memory_latency=4", "x.s", "--global", "4", status=2)
    refuses("unknown timing parameter", "exec", "--timing", "--set", "memory_latncy=4", "--", "true")
    broken = write("broken.conf", "preset = ventus-chisel\n\n  l1d_wais = 4 # four\n")
    refuses(f"{broken}:3:3: error: unknown timing parameter 'l1d_wais'; did you mean 'l1d_ways'?", "replay", f"--timing={broken}", ROW)


def files():
    plain = cycles()
    check(cycles("--set", "memory_latency=40") > plain, "memory_latency=40 is not slower")
    check(cycles("--set", "preset=ventus-verilog") == plain, "the default is not ventus-verilog")
    slow = write("slow.conf", "# slower memory\nmemory_latency = 40 # cycles\nl1d_sets=32\n")
    output, _ = run("replay", "-q", f"--timing={slow}", ROW)
    check(output.splitlines() == ["timing: 2 SMs x 8 warps x 4 threads, ventus-verilog with memory_latency=40",
                                  f"cycles: {cycles('--set', 'memory_latency=40')}"], f"a file: {output!r}")
    output, _ = run("replay", "-q", f"--timing={slow}", "--set", "memory_latency=4", ROW)
    check(output.splitlines()[1:] == [f"cycles: {plain}"], f"--set goes after the file: {output!r}")


def presets():
    for preset in ("ventus-verilog", "ventus-chisel"):
        text, _ = run("run", f"--timing={preset}", "--timing-print")
        again, _ = run("replay", f"--timing={write(preset + '.conf', text)}", "--timing-print")
        check(again == text, f"{preset} printed and read back differs")
    rows = {name: [a, b] for name, a, b in
            re.findall(r"^PARAMETER\((\w+), *(\w+), *(\w+),", open(os.path.join(SOURCE, "src/timing/timing.def"), encoding="utf-8").read(),
                       re.M)}
    shown = {name: [a, b] for name, a, b in
             re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", open(os.path.join(SOURCE, "docs/timing.md"), encoding="utf-8").read(), re.M)}
    different = [name for name in sorted(set(rows) | set(shown)) if rows.get(name) != shown.get(name)]
    check(not different, f"docs/timing.md and timing.def differ: {different}")
    printed = dict(re.findall(r"^(\w+) = (\w+) #", run("run", "--timing=ventus-chisel", "--timing-print")[0], re.M))
    check({n: int(v, 0) for n, v in printed.items()} == {n: int(b, 0) for n, (_, b) in rows.items()}, "ventus-chisel as printed")


def bounds():
    """The model comes to an end with the smallest and with the largest value of every parameter."""
    text = open(os.path.join(SOURCE, "src/timing/timing.def"), encoding="utf-8").read()
    found = re.findall(r"^PARAMETER\((\w+), *\w+, *\w+, *(\w+), *(\w+),", text, re.M)
    check(len(found) > 60, f"parameters: {found}")
    row = os.path.join(SOURCE, "bench", "timing_rows", "4-threads", "dot_w4.metadata")
    for name, low, high in found:
        for value in (low, high):
            output, errors = run("replay", "-q", "--timing", "--set", f"{name}={value}", row)
            check(re.fullmatch(rf"timing: 2 SMs x 8 warps x 4 threads, ventus-verilog( with {name}={int(value, 0)})?\ncycles: \d+\n", output), f"{name}={value}: {output}{errors}")
    plain = cycles()
    for name in ("fetch_redirect=9", "fetch_latency=9", "launch_cycles=99", "alu_latency=9", "lsu_accept=9", "l1d_fill=9"):
        check(cycles("--set", name) > plain, f"{name} is not slower")


bad_parameters()
files()
presets()
bounds()
finish()
