#!/usr/bin/env python3
"""The trace file: what it holds is what other observers saw, and files that are damaged in any way are refused with a message."""
import json
import os
import re
import struct
import subprocess
import sys
import zlib

from cytrace import Trace, chunks

CY, SCRATCH, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
RUNS = {
    "mandelbrot": ["--set", "sms=2", "examples/kernels/mandelbrot.cl", "--global", "78,6", "--local", "78,1", "--arg", "buffer:u8:1950",
                   "--arg", "i32:12"],
    "sums": ["--set", "sms=2", "examples/slow/sums2.cl", "--global", "128", "--local", "32", "--arg", "buffer:f32:4096=random",
             "--arg", "buffer:f32:128", "--arg", "32"],
}
NAMES = ["issued", "no instruction", "scoreboard", "bank conflict", "unit busy", "memory", "barrier", "divergence", "empty"]
failures = checks = 0


def check(ok, what):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print("FAILED:", what)


def path(name):
    return os.path.join(SCRATCH, name)


def run(*words):
    done = subprocess.run([CY, *words], cwd=SOURCE, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def compare(name, words):
    """The same run with --trace and a profile: instructions of every warp, lines of memory, cycles of every instruction."""
    status, out, err = run("run", "--cytrace", path(name + ".cytrace"), "--trace", path(name + ".log"), "--json", path(name + ".json"), *words)
    check(status == 0, err)
    trace = Trace(path(name + ".cytrace"))
    with open(path(name + ".json"), encoding="utf-8") as file:
        profile = json.load(file)["kernels"][0]
    seen = {}
    with open(path(name + ".log"), encoding="utf-8") as file:
        for line in file:
            match = re.match(r"core\s*(\d+): \d 0x([0-9a-f]+)", line)
            if match:
                seen.setdefault(int(match[1]), []).append(int(match[2], 16))
    mine = sorted([insn["pc"] + insn["size"] - 4 for insn in warp] for warp in trace.warps.values())
    check(len(seen) == profile["warps"], f"{name}: the log has {len(seen)} warps, the profile {profile['warps']}")
    check(mine == sorted(seen.values()), f"{name}: the instructions are those of the log")
    issued, lines, lanes = {}, {}, {}
    for warp in trace.warps.values():
        for insn in warp:
            pc = insn["pc"]
            issued[pc] = issued.get(pc, 0) + 1
            lanes[pc] = lanes.get(pc, 0) + bin(insn["active"]).count("1")
            for access in insn["accesses"]:
                lines[pc] = lines.get(pc, 0) + len({address // 128 for address in access["addresses"].values()})
    cycles = {}
    for place, stretches in trace.times.items():
        at = None
        for begin, end, stall, step in sorted(stretches):
            check(at is None or begin == at, f"{name}: the cycles of warp {place} have a gap")
            at = end
            key = trace.warps[place][step]["pc"], NAMES[stall]
            cycles[key] = cycles.get(key, 0) + end - begin
    for row in profile["instructions"]:
        pc = row["pc"]
        check(issued.get(pc) == row["issued"], f"{name}: {pc:x} issued {issued.get(pc)}, not {row['issued']}")
        check(not row["lines"] or lines.get(pc) == row["lines"], f"{name}: {pc:x} touches {lines.get(pc)} lines, not {row['lines']}")
        check(not row["vector"] or lanes[pc] == row["active_lanes"], f"{name}: {pc:x} has {lanes[pc]} lanes, not {row['active_lanes']}")
        for stall, count in row["stalls"].items():
            # the profile leaves out the few cycles in which the model does not know the next instruction
            most = count + (4 * profile["warps"] if stall == "no instruction" else 0)
            check(count <= cycles.get((pc, stall), 0) <= most, f"{name}: {pc:x} {stall}: {cycles.get((pc, stall), 0)}, not {count}")
    total = int(out.split("cycles: ")[1].split()[0])
    check(trace.texts["DONE"][0]["cycles"] == total, f"{name}: cycles")
    check(trace.texts["END"][0]["instructions"] == sum(issued.values()), f"{name}: the end counts all")
    sources = {file["path"]: file["text"] for file in trace.texts["PROG"][0]["files"]}
    source = next(word for word in words if word.endswith(".cl"))
    with open(os.path.join(SOURCE, source), encoding="utf-8") as file:
        check(sources.get(source) == file.read(), f"{name}: the source is in the trace")


def check_stack():
    """Lanes that are not active are on the stack; each side of a branch has its own."""
    trace = Trace(path("mandelbrot.cytrace"))
    deep = 0
    for warp in trace.warps.values():
        exists = warp[0]["active"]
        for insn in warp:
            waiting = 0
            for _, _, mask in insn["stack"]:
                waiting |= mask
            check(insn["active"] | waiting == exists or not insn["stack"], "every lane runs or waits")
            deep = max(deep, len(insn["stack"]))
    check(deep >= 2, "the kernel diverges")


def refused(name, data, words, status=1):
    with open(path(name), "wb") as file:
        file.write(data)
    page = path(name + ".html")
    got, out, err = run("view", path(name), "-o", page)
    check(got == status and words in err and err.count("\n") == 1, f"{name}: status {got}, {err!r}, not {words!r}")
    check(not out and not os.path.exists(page), f"{name}: nothing is written")


def frame(kind, payload):
    head = struct.pack("<4sI", kind, len(payload))
    return head + struct.pack("<I", zlib.crc32(head + payload)) + payload


def check_bad():
    with open(path("sums.cytrace"), "rb") as file:
        good = file.read()
    parts = list(chunks(good))
    join = lambda some: good[:12] + b"".join(frame(kind.encode(), payload) for kind, payload in some)
    check(join(parts) == good, "the test's own writer agrees")
    refused("empty", b"", "the file is empty")
    refused("text", b"warp 0 80000000\n", "not a trace for the viewer")
    refused("short", good[:10], "truncated: it has 10 bytes")
    refused("version", good[:8] + struct.pack("<I", 2) + good[12:], "version 2 of the format, and this cy reads version 1")
    for size in (12, 20, len(good) // 2, len(good) - 1):
        refused("cut", good[:size], "truncated")
    refused("more", good + b"x", "goes on after its end")
    for at in range(40, len(good), len(good) // 12):
        broken = bytearray(good)
        broken[at] ^= 0x10
        refused("flip", bytes(broken), "the trace is")
    first = next(i for i, (kind, _) in enumerate(parts) if kind == "WARP")
    lost = parts[:first] + parts[first + 1:]
    refused("lost", join(lost), "missing")
    refused("order", join(parts[1:]), "the machine's chunk must come first")
    refused("unknown", join([*parts[:2], ("NEWS", b"{}"), *parts[2:]]), "no chunk begins at byte")
    refused("json", join([("MACH", b"{"), *parts[1:]]), "not JSON")
    refused("launch", join([part for part in parts if part[0] != "LNCH"]), "a launch that has not begun")
    refused("program", join([part for part in parts if part[0] != "PROG"]), "no such program")
    kind, payload = parts[first]
    for name, body, words in (("flags", payload[:-1] + b"\xff", "chunk WARP at byte"), ("rest", payload + b"\0", "more bytes than records"),
                              ("number", b"\xff" * 12, "chunk WARP at byte")):
        refused(name, join([*parts[:first], (kind, body), *parts[first + 1:]]), words)
    for words, message in ((["view"], "no trace"), (["view", "a", "b"], "one trace at a time"), (["view", path("sums.cytrace"), "-o", path("sums.cytrace")], "would overwrite the input"),
                           (["view", "--what", "a"], "--what"), (["run", "--gdb", "-", "--html", "x.html", "a.cl", "--global", "1"], "--gdb does not go with")):
        status, _, err = run(*words)
        check(status == 2 and message in err, f"{words}: {status} {err}")
    status, _, err = run("view", path("none.cytrace"))
    check(status == 1 and "No such file" in err, err)
    status, _, err = run("view", path("sums.cytrace"), "-o", path("no/such/place.html"))
    check(status == 1 and "cannot write" in err, err)
    status, _, err = run("run", "--cytrace", path("no/such/place.cytrace"), *RUNS["sums"])
    check(status == 1 and "cannot write" in err, err)


def check_full_disk():
    if os.path.exists("/dev/full"):
        for option in ("--cytrace", "--html"):
            status, _, err = run("run", option, "/dev/full", *RUNS["sums"])
            check(status == 1 and "cannot write" in err and "No space" in err, f"{option}: {status} {err}")


def check_limit():
    """--events cuts the trace, says so, and what is left is whole."""
    status, _, err = run("run", "--cytrace", path("few.cytrace"), "--events", "500", *RUNS["sums"])
    check(status == 0 and "beyond the first 500 were left out" in err, err)
    trace = Trace(path("few.cytrace"))
    check(sum(map(len, trace.warps.values())) == 500, "500 instructions")
    check(all(step < len(trace.warps[place]) for place, some in trace.times.items() for _, _, _, step in some), "cycles of these only")
    status, out, _ = run("view", path("few.cytrace"), "-o", path("few.html"))
    check(status == 0 and "500 warp instructions" in out, out)


def check_programs():
    """An OpenCL program with several launches; the default name of the page."""
    program = os.path.join(os.environ["CY_BUILD"], "bin/examples/life")
    status, _, err = run("profile", "--cytrace", path("life.cytrace"), "--html", path("life.html"), "--events", "30000", "--", program)
    check(status == 0 and "beyond the first 30000" in err, err)
    trace = Trace(path("life.cytrace"))
    check(len(trace.texts["LNCH"]) > 1 and len(trace.texts["PROG"]) == 1, "several launches of one program")
    check(trace.texts["PROG"][0]["files"][0]["text"].find("kernel") >= 0, "its source, which is in no file")
    check(all(buffer["size"] for launch in trace.texts["LNCH"] for buffer in launch["buffers"]), "its buffers")
    status, out, err = run("view", path("life.cytrace"))
    check(status == 0 and os.path.exists(path("life.html")) and f"{len(trace.texts['LNCH'])} launches" in out, out + err)
    status, _, err = run("profile", "--html", path("none.html"), "--", "true")
    check(status == 1 and "launched no kernel" in err, err)


def check_same():
    """A trace is the same however often it is recorded."""
    pair = []
    for name in ("one", "two"):
        run("run", "--cytrace", path(name), *RUNS["sums"])
        with open(path(name), "rb") as file:
            pair.append(file.read())
    check(pair[0] == pair[1], "two runs, one trace")


def main():
    for name, words in RUNS.items():
        compare(name, words)
    check_stack()
    check_bad()
    check_full_disk()
    check_limit()
    check_programs()
    check_same()
    print(f"{checks - failures} of {checks} checks passed")
    sys.exit(failures > 0)


main()
