"""Sweeps on this machine: results, the cache, killing it, tables and plots, and what is wrong with a plan and where."""
import csv
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]


def path(name):
    return os.path.join(TMP, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def run(*words, status=0):
    done = subprocess.run([CY, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def rows(name):
    with open(path(name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


with open(os.path.join(SOURCE, "examples", "asm", "vecadd.s"), encoding="utf-8") as source:
    KERNEL = write("vecadd.s", source.read())
WORDS = [KERNEL, "--global", "{n}", "--local", "32"] + ["--arg", "buffer:f32:{n}"] * 3
PLAN = f"run = {WORDS!r}\n[cross]\nn = [32, 64] # work-items\nmemory_latency = [4, 40]\nthreads = [4, 8]\n"


def results():
    plan = write("plan.toml", PLAN)
    _, errors = run("sweep", plan, "--csv", path("out.csv"))
    check("8 points: 0 known before, 8 measured, 0 missing" in errors, errors)
    for row in rows("out.csv"):
        words = [word.replace("{n}", row["n"]) for word in WORDS]
        output, _ = run("run", "--timing", "--set", f"memory_latency={row['memory_latency']}", "--set", f"threads={row['threads']}", *words)
        check(output.splitlines()[1:] == [f"cycles: {row['cycles']}"], f"{row}: {output}")
    first = rows("out.csv")
    _, errors = run("sweep", plan, "--csv", path("out.csv"))
    check("8 known before, 0 measured" in errors and rows("out.csv") == first, f"again: {errors}")
    with open(KERNEL, "a", encoding="utf-8") as file:
        file.write("# changed\n")
    _, errors = run("sweep", "show", plan)
    check(not errors, errors)  # no result is known of the new contents
    _, errors = run("sweep", plan)
    check("0 known before, 8 measured" in errors, f"the kernel's contents count: {errors}")
    name = next(entry for entry in os.listdir(path("plan.sweep")) if entry.endswith(".result"))
    write(os.path.join("plan.sweep", name), "chengying sweep 2\ncycles 1\nlaun")
    damaged = run("sweep", plan)[1]
    check("measured" in damaged and "0 missing" in damaged, f"a damaged result: {damaged}")




def own_lines():
    """What kernels and programs print is not taken for cycles, and a point that fails says how."""
    source = write("prints.cl", 'kernel void k(global int *p) { p[get_global_id(0)] = 1; printf("cycles: 1000000\\n"); }\n')
    words = [source, "--global", "4", "--local", "4", "--arg", "buffer:i32:4"]
    output, _ = run("run", "--timing", *words)
    run("sweep", write("prints.toml", f"run = {words!r}\n[cross]\nmemory_latency = [4]\n"), "--csv", path("prints.csv"))
    row, = rows("prints.csv")
    check((f"cycles: {row['cycles']}\n", row["launches"]) == (output.splitlines(True)[-1], "1"), f"{row} of {output}")
    example = os.path.join(os.environ["CY_BUILD"], "bin", "examples", "vecadd")
    for name, script in (("quiet", ""), ("loud", "echo cycles: 777; echo cycles: 778 >&2; ")):
        run("sweep", write(f"{name}.toml", f"program = ['sh', '-c', '{script}exec {example}']\n[cross]\nmemory_latency = [4]\n"), "--csv", path(f"{name}.csv"))
    check([row["cycles"] for row in rows("loud.csv")] == [row["cycles"] for row in rows("quiet.csv")], f"{rows('loud.csv')}")
    for script, expected in (("exit 3", "it ended with status 3"), ("kill -SEGV $$", "it was killed by signal 11"), ("true", "it launched no kernel"),
                             ("echo no luck; exit 1", "no luck")):
        _, errors = run("sweep", write("fails.toml", f"program = ['sh', '-c', '{script}']\n[cross]\nmemory_latency = [4]\n"), status=1)
        check(f"\n{expected}" in errors, f"{script}: {errors}")


def includes():
    """What a source includes counts, beside it or found by -I, however deep."""
    os.makedirs(path("headers"), exist_ok=True)
    write("deep.h", "#define FACTOR 2\n")
    write("headers/found.h", '#pragma once\n#if 1\n #  include "../deep.h"\n#endif\n')
    write("beside.h", "#pragma once\n#define OFFSET 1\n")
    source = write("includes.cl", '#include "beside.h"\n#include <found.h>\nkernel void k(global int *p) { p[get_global_id(0)] = FACTOR + OFFSET; }\n')
    plan = write("includes.toml", f"run = ['{source}', '--build-options=-DX -I {path('headers')}', '--global', '32', '--arg', 'buffer:i32:32']\n"
                 "[cross]\nmemory_latency = [4]\n")
    for name, text in (("", ""), ("beside.h", "#define OFFSET 7\n"), ("deep.h", "#define FACTOR 5\n"), ("headers/found.h", "#define FACTOR 6\n")):
        if name:
            write(name, text)
        _, errors = run("sweep", plan)
        check("0 known before, 1 measured" in errors, f"{name}: {errors}")
        _, errors = run("sweep", plan)
        check("1 known before, 0 measured" in errors, f"{name} as before: {errors}")


def killed():
    latencies = ", ".join(str(i) for i in range(1, 101))
    plan = write("long.toml", f"run = {WORDS!r}\n[cross]\nn = [32]\nmemory_latency = [{latencies}]\n")
    store = path("long.sweep")

    def results():
        return sum(entry.endswith(".result") for entry in os.listdir(store)) if os.path.isdir(store) else 0

    with subprocess.Popen([CY, "sweep", "-q", plan]) as child:
        while child.poll() is None and results() < 10:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
    time.sleep(0.3)
    known = results()
    _, errors = run("sweep", plan)
    found = re.search(r"100 points: (\d+) known before, (\d+) measured, 0 missing", errors)
    check(found and int(found[1]) >= known >= 10, f"after a kill: {known} {errors}")


def pixels(name):
    """Size and colours, as netpbm reads them."""
    data = subprocess.run(["pngtopnm", path(name)], stdout=subprocess.PIPE, check=True).stdout
    kind, size, depth, body = data.split(b"\n", 3)
    check((kind, depth) == (b"P6", b"255"), data[:20])
    width, height = map(int, size.split())
    return width, height, {tuple(body[i:i + 3]) for i in range(0, 3 * width * height, 3)}


def many():
    """More maps than fit are refused, with what to do; estimates are marked."""
    words = "[0, 1, 2, 3, 4, 5, 6]"
    plan = write("many.toml", f"run = {WORDS!r}\n[cross]\nn = [32, 64]\nthreads = [4, 8]\nl1d_request = {words}\nl2_request = {words}\n")
    _, errors = run("sweep", "show", plan, "--plot", path("many.svg"), status=1)
    check("would be 49 maps, and 36 fit: choose other axes with --x and --y" in errors and "l1d_request, l2_request" in errors, errors)
    run("sweep", "show", plan, "--plot", path("many.svg"), "--x", "l1d_request", "--y", "l2_request")
    launch = [os.path.join(os.environ["CY_SOURCE"], "examples/kernels/mandelbrot.cl"), "--global", "624,200", "--local", "78,1", "--arg",
              "buffer:u8:124800", "--arg", "i32:200"]
    for after, estimated in ((0, "0"), (1000, "1")):
        plan = write("estimated.toml", f"run = {launch!r}\n[cross]\nsample_after = [{after}]\n")
        _, errors = run("sweep", plan, "--csv", path("estimated.csv"))
        row, = rows("estimated.csv")
        check(row["estimated"] == estimated and ("note: the cycles of 1 of 1 points are estimates" in errors) == (estimated == "1"), f"{row} {errors}")


def shown():
    plan = path("plan.toml")
    table, _ = run("sweep", "show", plan, "--plot", path("pareto.svg"), "--x", "threads")
    check(len(table.splitlines()) == 9 and "memory_latency" in table, table)
    run("sweep", "show", plan, "--plot", path("heat.svg"), "--x", "n", "--y", "memory_latency")
    front = [node for node in xml.etree.ElementTree.parse(path("pareto.svg")).iter() if node.get("class") == "front"]
    check(front, "a Pareto front")
    cells = [node for node in xml.etree.ElementTree.parse(path("heat.svg")).iter() if (node.get("fill") or "").startswith("rgb")]
    check(len(cells) == 8, f"a heat map for each number of threads: {len(cells)} cells")
    texts = [node.text for node in xml.etree.ElementTree.parse(path("heat.svg")).iter() if node.tag.endswith("text")]
    check([text for text in texts if "=" in text] == ["threads=4", "threads=8"] and
          all(row["cycles"] in texts for row in rows("out.csv")), f"every point is in the plot, and each map says which it is: {texts}")
    run("sweep", "show", plan, "--plot", path("chosen.svg"))
    texts = [node.text for node in xml.etree.ElementTree.parse(path("chosen.svg")).iter() if node.tag.endswith("text")]
    check([text for text in texts if "=" in text] == ["threads=4", "threads=8"], f"the first two parameters are the axes: {texts}")
    titles = [node.text for node in xml.etree.ElementTree.parse(path("pareto.svg")).iter() if node.tag.endswith("title")]
    check(all(name in title for title in titles for name in ("n=", "memory_latency=", "threads=")), f"a dot says which point it is: {titles}")
    run("sweep", "show", plan, "--plot", path("heat.png"), "--x", "n", "--y", "memory_latency")
    colours = {tuple(int(part) for part in node.get("fill")[4:-1].split(",")) for node in cells}
    width, height, seen = pixels("heat.png")
    check((width, height) == (1820, 780) and colours <= seen, f"a PNG of {width} by {height} with {colours - seen} missing")
    run("sweep", "show", plan, "--plot", path("pareto.png"), "--x", "threads")
    check({(0x33, 0x66, 0xcc), (0, 0, 0), (255, 255, 255)} <= pixels("pareto.png")[2], "dots and words as PNG")


def listed():
    plan = write("list.toml", f"run = {WORDS!r}\n[[point]]\nn = 32\n[[point]]\nn = 64\nmemory_latency = 40\n")
    run("sweep", plan, "-q", "--csv", path("list.csv"))
    check([(row["n"], row["memory_latency"]) for row in rows("list.csv")] == [("32", ""), ("64", "40")], rows("list.csv"))


def program():
    example = os.path.join(os.environ["CY_BUILD"], "bin", "examples", "vecadd")
    plan = write("program.toml", f"program = ['{example}']\n[cross]\nmemory_latency = [4, 40]\nsms = [1, 2]\n")
    run("sweep", plan, "-q", "--csv", path("program.csv"))
    found = [int(row["cycles"]) for row in rows("program.csv")]
    check(len(found) == 4 and found[0] < found[2] and found[1] < found[0], f"an OpenCL program: {found}")


def refuses(expected, text, *words, status=1):
    _, errors = run("sweep", write("bad.toml", text), *words, status=status)
    check(expected in errors, f"no {expected!r} in {errors!r}")


def bad_plans():
    refuses("bad.toml:4:1: error: unknown timing parameter 'memory_latncy'; did you mean 'memory_latency'?", PLAN.replace("latency", "latncy"))
    refuses("bad.toml:4:1: error: unknown timing parameter 'memorylatency'; did you mean 'memory_latency'?", PLAN.replace("memory_latency", "memorylatency"))
    refuses("bad.toml:5:1: error: unknown setting 'treads'; did you mean 'threads'?", PLAN.replace("threads", "treads"))
    refuses("no value for {m}; did you mean {n}?", PLAN.replace("'{n}'", "'{m}'"))
    refuses("bad.toml:4:22: error: 'memory_latency' must be from 1 to 1000000, not 0", PLAN.replace("[4, 40]", "[4, 0]"))
    refuses("bad.toml:5:15: error: 'threads' must be a power of two from 4 to 64, not 5", PLAN.replace("[4, 8]", "[4, 5]"))
    refuses("bad.toml:5:12: error: 'threads' must be a power of two from 4 to 64, not 128", PLAN.replace("[4, 8]", "[128]"))
    refuses("bad.toml:5:10: error: 'warps' must be from 1 to 64, not 65", PLAN.replace("threads = [4, 8]", "warps = [65]"))
    refuses("bad.toml:4:13: error: 'l1d_sets' must be a power of two, not 3", PLAN.replace("memory_latency = [4, 40]", "l1d_sets = [3]"))
    refuses("bad.toml:5:11: error: 1024 SMs of 1048576 bytes do not fit in the local memory window of 268435456 bytes",
            PLAN.replace("memory_latency = [4, 40]", "lds = ['1M']").replace("threads = [4, 8]", "sms = [2, 1024]"))
    refuses("bad.toml:1:1: error: unknown key 'rum'; did you mean 'run'?", PLAN.replace("run =", "rum ="))
    refuses("bad.toml:2:2: error: unknown table 'corss'; did you mean 'cross'?", PLAN.replace("cross", "corss"))
    refuses("error: expected ',' or ']'", PLAN.replace("[4, 40]", "[4, 40"))
    refuses("the string does not end on its line", "timing = 'ventus-verilog\n" + PLAN)
    refuses("text needs quotes", PLAN.replace("[4, 40]", "[4, fast]"))
    refuses("the key is there already", PLAN + "n = [1]\n")
    refuses("neither run nor program", "[cross]\nthreads = [4]\n")
    refuses("'threads' has no values", PLAN.replace("[4, 8]", "[]"))
    refuses("unknown timing preset", "timing = 'ventus'\n" + PLAN)
    refuses("no-such.s: error: cannot open", PLAN.replace("vecadd.s", "no-such.s"))
    refuses("no parameter 'memry_latency'; did you mean 'memory_latency'?", PLAN, "--plot", path("x.svg"), "--x", "memry_latency", "-q")
    run("sweep", status=2)
    run("sweep", path("none.toml"), status=1)


results()
includes()
own_lines()
killed()
many()
shown()
listed()
program()
bad_plans()
finish()
