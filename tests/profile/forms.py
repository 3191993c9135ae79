"""The profile of a kernel whose counts are known, in every form, read by the programs and the schema that define the form."""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import jsonschema

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
KERNEL = os.path.join(SOURCE, "tests", "profile", "kernels.cl")
RUN = [KERNEL, "--global", "256", "--local", "32", "--arg", "buffer:i32:256", "--arg", "buffer:i32:8192=iota", "--arg", "local:4096"]
MACHINE = ["--set", "sms=2", "--set", "warps=8", "--set", "threads=32"]
WARPS = 8


def run(*words, status=0):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def path(name):
    return os.path.join(TMP, name)


def profile(*words):
    return run(CY, "profile", *words, *RUN, *MACHINE)[0]


def read_json(*words):
    profile("--json", path("profile.json"), *words)
    with open(path("profile.json"), encoding="utf-8") as file:
        return json.load(file)


def schema():
    with open(os.path.join(SOURCE, "docs", "profile.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def line_of(text):
    with open(KERNEL, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def counts():
    """What follows from the source: 8 warps of 32 lanes."""
    document = read_json()
    jsonschema.Draft202012Validator(schema()).validate(document)
    broken = json.loads(json.dumps(document))
    broken["kernels"][0]["instructions"][0]["surprise"] = 1
    check(not jsonschema.Draft202012Validator(schema()).is_valid(broken), "the schema accepts anything")
    kernel, = document["kernels"]
    lines = {line["line"]: line for line in kernel["source_lines"] if "line" in line}
    check((kernel["name"], kernel["workgroups"], kernel["warps"], kernel["work_items"]) == ("patterns", 8, WARPS, 256), f"shape: {kernel['name']}")
    check(sum(row["issued"] for row in kernel["instructions"]) == kernel["total"]["issued"], "instructions do not add up")
    check(sum(row["issued"] for row in lines.values()) <= kernel["total"]["issued"], "lines do not add up")
    near, far = lines[line_of("near = in[i]")], lines[line_of("in[i * 32]")]
    store, load = lines[line_of("tile[l * 32] = near")], lines[line_of("tile[(l ^ 1) * 32]")]
    check((near["accesses"], near["lines"]) == (WARPS, WARPS), f"a coalesced load: {near}")
    check((far["accesses"], far["lines"]) == (WARPS, 32 * WARPS), f"a load of a column: {far}")
    check((store["local_accesses"], store["local_passes"]) == (WARPS, 32 * WARPS), f"a bank conflict: {store}")
    check((load["local_accesses"], load["local_passes"]) == (WARPS, 32 * WARPS), f"a bank conflict: {load}")
    divergent = [row for row in kernel["instructions"] if row["divergent"]]
    check(all(row["divergent"] == WARPS and row["issued"] == WARPS for row in divergent), f"divergence: {divergent}")
    half = [row for row in kernel["instructions"] if row["vector"] and row["active_lanes"] == 16 * row["issued"]]
    check(bool(half) == bool(divergent), "half of the lanes in the branch")
    check(kernel["barriers"] == 8, f"barriers: {kernel['barriers']}")
    check(kernel["occupancy"]["limited_by"] in ("warps", "local memory", "workgroup slots", "grid"), "the limiter")
    for threads in ("1", "3"):
        again = read_json("--set", f"host-threads={threads}")
        check(again == document, f"{threads} host threads change the profile")


def timed():
    document = read_json("--timing")
    jsonschema.Draft202012Validator(schema()).validate(document)
    kernel, = document["kernels"]
    cycles = int(re.search(r"cycles: (\d+)", run(CY, "run", "--timing", *RUN, *MACHINE)[0])[1])
    check(kernel["launch_cycles"] == cycles, f"profiling changes the cycles: {kernel['launch_cycles']}, not {cycles}")
    total = kernel["total"]
    check(total["cycles"] + kernel["empty_cycles"] == cycles * 2 * 8, "the cycles of all warp slots")
    check(total["cycles"] == total["issued"] + sum(total["stalls"].values()), "issued and stalled")
    check(total["stalls"]["barrier"] == 0 or total["stalls"]["memory"] > 0, "memory stalls")
    check(0 < total["l1d_hits"] < total["l1d_requests"], "cache hits")
    plain = read_json()["kernels"][0]
    for key in ("issued", "active_lanes", "lines", "local_passes", "divergent", "accesses", "flops"):
        check(plain["total"][key] == total[key], f"{key} with and without the model: {plain['total'][key]}, {total[key]}")
    slow = read_json("--timing", "--set", "memory_latency=200")["kernels"][0]
    check(slow["total"]["stalls"]["memory"] > 2 * total["stalls"]["memory"], "slow memory stalls more")


def callgrind():
    for words, event in ((["--timing"], "Cy"), ([], "Wi")):
        profile("--callgrind", path("callgrind.out"), *words)
        text, errors = run("callgrind_annotate", path("callgrind.out"))
        check(event in text and "kernels.cl:patterns" in text and not errors, f"callgrind_annotate: {text[:400]}{errors}")
        with open(path("callgrind.out"), encoding="utf-8") as file:
            written = file.read()
        names = re.search(r"^events: (.*)$", written, re.M)[1].split()
        costs = [0] * len(names)
        for line in re.findall(r"^0x[0-9a-f]+ \d+ (.*)$", written, re.M):
            costs = [a + int(b) for a, b in zip(costs, line.split(), strict=True)]
        totals = [int(word) for word in re.search(r"^totals: (.*)$", written, re.M)[1].split()]
        check(costs == totals, f"totals: {costs} {totals}")
        shown = re.search(r"^ *([\d,]+) .*PROGRAM TOTALS", text, re.M)
        check(shown and int(shown[1].replace(",", "")) == totals[0], "callgrind_annotate's total")
        check(re.search(r"[1-9].*int far = in\[i \* 32\];", text), "the annotated source")
        assembly(written)


def assembly(written):
    """As KCachegrind asks the program that $OBJDUMP names, here `cy dis`, for the code of a function."""
    file = re.search(r"^ob=(.*)$", written, re.M)[1]
    check(file == path("callgrind.out.1.riscv") and os.path.exists(file), f"the object: {file}")
    addresses = [int(word, 16) for word in re.findall(r"^(0x[0-9a-f]+) \d+ ", written, re.M)]
    text, _ = run(CY, "dis", "-C", "-d", f"--start-address={min(addresses):#x}", f"--stop-address={max(addresses) + 8:#x}", file)
    shown = {int(word, 16) for word in re.findall(r"^ *([0-9a-f]+):\s+[0-9a-f]", text, re.M)}
    check(set(addresses) <= shown and min(shown) == min(addresses), f"code of {set(addresses) - shown} is missing")


def perfetto():
    profile("--timing", "--perfetto", path("trace.json"))
    with open(path("trace.json"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    check({"command queues", "queue 0", "SM 0", "warp slot 0"} <= names, f"tracks: {names}")
    slices = [event for event in events if event["ph"] == "X"]
    check({event["cat"] for event in slices} == {"command", "workgroup", "warp", "issue", "stall"}, "kinds of slices")
    tracks = {}
    for event in slices:
        tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for track in tracks.values():  # slices of a track are nested, as the viewers demand
        track.sort(key=lambda event: (event["ts"], -event["dur"]))
        stack = []
        for event in track:
            while stack and stack[-1] <= event["ts"] + 1e-9:
                stack.pop()
            check(not stack or event["ts"] + event["dur"] <= stack[-1] + 1e-9, f"overlap at {event}")
            stack.append(event["ts"] + event["dur"])
    issued = sum(event["cat"] == "issue" for event in slices)
    total = read_json("--timing")["kernels"][0]["total"]["issued"]
    check(issued == total, f"{issued} issues of {total}")
    check(sum(event["cat"] == "workgroup" for event in slices) == WARPS, "a workgroup per warp")
    errors = run(CY, "profile", "--timing", "--perfetto", path("less.json"), "--events", "50", *RUN, *MACHINE)[1]
    check("events beyond the first 50 were left out" in errors, f"the limit is silent: {errors}")


def kanata():
    profile("--timing", "--kanata", path("log.kanata"))
    with open(path("log.kanata"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    check(lines[0] == "Kanata\t0004" and lines[1].startswith("C=\t"), f"head: {lines[:2]}")
    started, ended, stages = set(), set(), {}
    for line in lines[2:]:
        words = line.split("\t")
        if words[0] == "I":
            check(words[1] not in started, f"twice: {line}")
            started.add(words[1])
        elif words[0] == "S":
            check(words[1] in started - ended, f"a stage outside of its instruction: {line}")
            stages.setdefault(words[1], []).append(words[3])
        elif words[0] == "R":
            check(words[1] in started - ended, f"ends without a start: {line}")
            ended.add(words[1])
        else:
            check(words[0] in ("C", "L"), f"unknown: {line}")
            check(words[0] != "C" or int(words[1]) > 0, f"time: {line}")
    total = read_json("--timing")["kernels"][0]["total"]["issued"]
    check(started == ended and len(started) == total, f"{len(started)} begin, {len(ended)} end, {total} issued")
    check(all("Is" in of for of in stages.values()), "an instruction without issue")
    _, errors = run(CY, "profile", "--kanata", path("log.kanata"), *RUN, status=2)
    check("needs --timing" in errors, errors)


def others():
    profile("--flamegraph", path("folded"))
    with open(path("folded"), encoding="utf-8") as file:
        rows = [line.rsplit(" ", 1) for line in file.read().splitlines()]
    total = read_json()["kernels"][0]["total"]["issued"]
    check(sum(int(count) for _, count in rows) == total and all(stack.startswith("patterns;") for stack, _ in rows), "folded stacks")
    profile("--timing", "--roofline", path("roofline.svg"))
    root = xml.etree.ElementTree.parse(path("roofline.svg")).getroot()
    check(root.tag.endswith("svg") and any("SMs" in (node.text or "") for node in root.iter()), "the roofline plot")
    table = profile("--timing")
    for expected in ("kernel patterns", "occupancy", "limited by", "L1D hits", "source line", "int far = in[i * 32];", "arithmetic intensity"):
        check(expected in table, f"no '{expected}' in the table")
    check("kernel patterns" in run(CY, "run", "--profile", *RUN, *MACHINE)[0], "cy run --profile")


def limiters():
    """Occupancy: each resource in turn is the one of which there is too little."""
    for setting, limiter in (("vgprs=32", "vGPRs"), ("sgprs=64", "sGPRs"), ("lds=16K", "local memory"), ("warps=2", "warps"),
                             ("workgroups=2", "workgroup slots")):
        words = [CY, "profile", "--json", path("l.json"), *RUN, *MACHINE, "--set", "sms=1", "--set", setting]
        run(*words)
        with open(path("l.json"), encoding="utf-8") as file:
            kernel, = json.load(file)["kernels"]
        check(kernel["occupancy"]["limited_by"] == limiter, f"{setting}: {kernel['occupancy']}")
        check(f"limited by {limiter}" in run(CY, "profile", *words[4:])[0], f"{limiter} in the table")


def stalls():
    """Every reason to wait, by a kernel whose warps have it."""
    stall = os.path.join(SOURCE, "tests", "profile", "stalls.cl")
    seen = {}
    for kernel in ("waits", "divides", "diverges"):
        run(CY, "profile", "--timing", "--json", path("s.json"), stall, "--kernel", kernel, "--global", "512", "--local", "128",
            "--arg", "buffer:i32:512=iota", *MACHINE)
        with open(path("s.json"), encoding="utf-8") as file:
            document, = json.load(file)["kernels"]
        seen[kernel] = document["total"]["stalls"] | {"empty": document["empty_cycles"]}
    for kernel, reason in (("waits", "barrier"), ("waits", "memory"), ("divides", "unit busy"), ("divides", "scoreboard"),
                           ("divides", "bank conflict"), ("diverges", "divergence"), ("diverges", "no instruction"), ("waits", "empty")):
        check(seen[kernel][reason] > 0, f"no stall '{reason}' in {kernel}: {seen[kernel]}")
    check(not seen["divides"]["barrier"] and not seen["divides"]["divergence"], f"stalls without a cause: {seen['divides']}")
    check(seen["divides"]["unit busy"] > 4 * seen["diverges"]["unit busy"], "divisions keep their unit busy")


def program():
    example = os.path.join(os.environ["CY_BUILD"], "bin", "examples", "vecadd")
    table, _ = run(CY, "profile", "--", example)
    check("0 of them wrong" in table and "kernel vecadd (<source>)" in table and "c[i] = a[i] + b[i];" in table, table)
    run(CY, "profile", "--timing", "--json", path("p.json"), "--perfetto", path("t.json"), "--", example)
    with open(path("p.json"), encoding="utf-8") as file:
        document = json.load(file)
    jsonschema.Draft202012Validator(schema()).validate(document)
    check(document["kernels"][0]["launch_cycles"] > 0 and document["kernels"][0]["work_items"] == 1000, "an OpenCL program's profile")
    with open(path("t.json"), encoding="utf-8") as file:
        names = {event["name"] for event in json.load(file)["traceEvents"] if event.get("cat") == "command"}
    check("vecadd" in names and len(names) > 1, f"commands: {names}")
    run(CY, "profile", "--callgrind", path("c.out"), "--", example)
    text, errors = run("callgrind_annotate", path("c.out"))
    check("c.out.1.cl:vecadd" in text and re.search(r"[1-9].*c\[i\] = a\[i\] \+ b\[i\];", text) and not errors, f"a source in no file: {text}{errors}")
    run(CY, "profile", "--", "sh", "-c", "exit 7", status=7)
    run(CY, "profile", "--", "./no-such-program", status=127)
    run(CY, "profile", "--timing", "--set", "memory_latncy=1", "--", "true", status=1)


def looked_at():
    """The table says which part of the accesses lines and passes come from."""
    words = [KERNEL, "--global", "65536", "--local", "32", "--arg", "buffer:i32:65536", "--arg", "buffer:i32:2097152=iota", "--arg", "local:4096", *MACHINE]
    rows = [line for line in run(CY, "profile", *words)[0].splitlines() if " accesses " in line]
    check(len(rows) == 2 and all(re.search(r" lanes; 3\.2 % looked at$", row) for row in rows), f"one workgroup in 32, and one in 1024: {rows}")
    rows = [line for line in profile().splitlines() if " accesses " in line]
    check(len(rows) == 2 and all(row.endswith(" lanes") for row in rows), f"all of a small launch: {rows}")


def outputs():
    """A form on standard output is alone there; outputs that cannot be written are found before anything runs."""
    text, errors = run(CY, "profile", "--timing", "--json", "-", *RUN, *MACHINE)
    check(json.loads(text)["kernels"] and errors.startswith("timing: 2 SMs x 8 warps x 32 threads, ventus-verilog\ncycles: "), f"JSON on standard output: {text[:40]}{errors}")
    text, errors = run(CY, "run", "--html", "-", *RUN, *MACHINE)
    check(text.startswith("<!DOCTYPE html>") and errors.startswith("timing: 2 SMs x 8 warps x 32 threads, ventus-verilog\ncycles: "), f"a page on standard output: {text[:40]}{errors}")
    for words in (["--json", "-", "--callgrind", "-"], ["--json", "-", "--profile"], ["--json", "-", "--html", "-"], ["--cytrace", "-"]):
        text, errors = run(CY, "profile", *words, *RUN, status=2)
        check(not text and errors.startswith("cy profile: error: "), f"{words}: {text[:40]}{errors}")
    lost = path("no-such-directory/p.json")
    for words in (["--timing", *RUN], ["--", "sh", "-c", f"touch {path('ran')}"]):
        text, errors = run(CY, "profile", "--json", lost, *words, status=1)
        check(not text and errors == f"{lost}: error: cannot write: No such file or directory\n", f"{words}: {text}{errors}")
    check(not os.path.exists(path("ran")), "the program did not run")


counts()
timed()
callgrind()
perfetto()
kanata()
others()
limiters()
stalls()
program()
looked_at()
outputs()
finish()
