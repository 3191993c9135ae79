"""Programs that do not end as they should are profiled all the same: killed, left by _exit, interrupted, or with launches that fault; and
what runs on a second device is in the profile, too."""
import json
import os
import signal
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE, BUILD = (os.environ[name] for name in ("CY", "CY_TMP", "CY_SOURCE", "CY_BUILD"))
PROGRAM = os.path.join(BUILD, "tests", "profile_ends")
FILE, PAGE = os.path.join(TMP, "profile.json"), os.path.join(TMP, "page.html")
INCOMPLETE = "a process did not end by exit"


def read():
    with open(FILE, encoding="utf-8") as text:
        document = json.load(text)
    with open(os.path.join(SOURCE, "docs", "profile.schema.json"), encoding="utf-8") as text:
        jsonschema.Draft202012Validator(json.load(text)).validate(document)
    for kernel in document["kernels"]:
        total = kernel["total"]
        check(sum(row["issued"] for row in kernel["instructions"]) == total["issued"], f"issues of {kernel['name']}")
        if document["timing"]:
            check(total["cycles"] == total["issued"] + sum(total["stalls"].values()), f"cycles are issues and stalls: {total}")
    return document


def run(*words, status, form=("--json", FILE)):
    for name in (FILE, PAGE):
        if os.path.exists(name):
            os.unlink(name)
    with tempfile.TemporaryDirectory(dir=TMP) as scratch:
        done = subprocess.run([CY, "profile", *form, *words], env={**os.environ, "TMPDIR": scratch}, capture_output=True, text=True, check=False)
        check(os.listdir(scratch) == [], f"{words} left {os.listdir(scratch)}")
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
    return done.stderr


def ends():
    whole = {}
    for how, status in (("", 0), ("quick", 6), ("_exit", 5), ("abort", 134), ("kill", 137)):
        for timing in ("", "--timing"):
            errors = run(*filter(None, [timing]), "--", PROGRAM, how, status=status)
            kernel, = read()["kernels"]
            check(INCOMPLETE not in errors, f"{how}: {errors}")
            check(kernel["launches"] == 3 and kernel["work_items"] == 384, f"{how}: {kernel['launches']} launches")
            check(kernel == whole.setdefault(timing, kernel), f"{how}: what a process that ends well has")


def running():
    """What had ended is there, and a note says that not all had."""
    errors = run("--", PROGRAM, "running", status=137)
    check(INCOMPLETE in errors, f"running: {errors}")
    kernels = {kernel["name"]: kernel for kernel in read()["kernels"]}
    check(kernels["fill"]["launches"] == 3 and kernels["loops"]["launches"] == 0, f"running: {kernels}")


def becomes():
    """A process that becomes another program, which launches kernels, too."""
    errors = run("--", PROGRAM, "exec", status=0)
    kernel, = read()["kernels"]
    check(not errors and kernel["launches"] == 6, f"exec: {errors} {kernel['launches']} launches")


def many():
    run("--", PROGRAM, "many", status=0)
    check(sum(kernel["launches"] for kernel in read()["kernels"]) == 1103, "launches of 1101 programs")


def faults():
    run("--timing", "--", PROGRAM, "fault", status=0)
    kernel, = read()["kernels"]
    check((kernel["launches"], kernel["failed_launches"], kernel["work_items"]) == (3, 1, 384), f"a fault without cycles is left out: {kernel}")
    good = kernel["total"]["issued"]
    run("--", PROGRAM, "fault", status=0)
    kernel, = read()["kernels"]
    check((kernel["launches"], kernel["failed_launches"]) == (4, 1), f"a fault is counted: {kernel}")
    check(good < kernel["total"]["issued"] <= good * 4 // 3, f"as far as it went: {kernel['total']['issued']} of {good}")


def kernels():
    """The same for a kernel that `cy run` launches."""
    source = os.path.join(TMP, "far.cl")
    with open(source, "w", encoding="ascii") as text:
        text.write("kernel void far(global int *p) { int i = get_global_id(0); p[i] = i; if (i == 70) p[400000000] = 1; }\n")
    for timing in ([], ["--timing"]):
        run(*timing, source, "--global", "128", "--local", "64", "--arg", "buffer:i32:128", status=1)
        document = read()
        kernel, = document["kernels"]
        check(document["timing"] is None and kernel["failed_launches"] == 1 and kernel["total"]["issued"] > 20, f"{kernel['total']}")


def devices():
    run("--", PROGRAM, "", "both", status=0)
    found = read()["kernels"]
    check([kernel["launches"] for kernel in found] == [3, 3] and len({str(kernel["instructions"]) for kernel in found}) == 2, f"two devices: {found}")
    pipeline_log(found)
    time_line()
    errors = run("--", PROGRAM, "", "both", status=0, form=("--html", PAGE))
    check("3 launches on others were left out" in errors and os.path.exists(PAGE), f"the page has one: {errors}")


def pipeline_log(found):
    """Programs share addresses and launches count from cycle 0: instructions have their own program's text, and launches follow each other."""
    log = os.path.join(TMP, "log.kanata")
    run("--timing", "--", PROGRAM, "", "both", status=0, form=("--kanata", log))
    cycle, texts, spans, number = 0, {}, {}, 0
    with open(log, encoding="utf-8") as lines:
        for words in (line.rstrip("\n").split("\t") for line in lines):
            if words[0] in ("C=", "C"):
                cycle += int(words[1])
            elif words[0] == "I":
                check(int(words[1]) == number, f"instructions are numbered as they appear: {words} is number {number}")
                number += 1
            elif words[0] == "L" and words[2] == "0":
                text = words[3].split(": ", 1)[1]
            elif words[0] == "L":
                launch = int(words[3].split()[1].rstrip(","))
                texts.setdefault(launch, set()).add(text)
                spans.setdefault(launch, []).append(cycle)
    check(sorted(spans) == [1, 2, 3, 4, 5, 6], f"launches {sorted(spans)}")
    for launch, begins in spans.items():
        check(launch == 1 or min(begins) > max(spans[launch - 1]), f"launch {launch} begins after the one before")
        program = {f"{row['pc'] + row['size'] - 4:08x} {row['text']}" for row in found[launch > 3]["instructions"]}
        check(texts[launch] == program, f"launch {launch}: {texts[launch] ^ program}")


def time_line():
    """Both devices' clocks begin at 0: each has its own tracks, in which slices are nested."""
    run("--timing", "--", PROGRAM, "", "both", status=0, form=("--perfetto", FILE))
    with open(FILE, encoding="utf-8") as text:
        events = json.load(text)["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    check({"command queues of device 0", "command queues of device 1", "SM 0 of device 0", "SM 0 of device 1"} <= names, f"tracks {names}")
    tracks = {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for track, slices in tracks.items():
        inside = []
        for begin, end in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
            while inside and inside[-1] < begin + 1e-6:
                inside.pop()
            check(not inside or end < inside[-1] + 1e-6, f"track {track}: a slice from {begin} to {end} in one to {inside}")
            inside.append(end)


def signals():
    """Ctrl-C reaches both processes; a signal for cy alone is passed on."""
    for number, whole in ((signal.SIGINT, True), (signal.SIGTERM, False)):
        with tempfile.TemporaryDirectory(dir=TMP) as scratch:
            with subprocess.Popen([CY, "profile", "--json", FILE, "--", PROGRAM, "sleep"], env={**os.environ, "TMPDIR": scratch}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
                check(process.stdout.readline() == "asleep\n", "it sleeps")
                if whole:
                    os.killpg(process.pid, number)
                else:
                    process.send_signal(number)
                _, errors = process.communicate(timeout=60)
            check(process.returncode == 128 + number and not errors, f"signal {number}: {process.returncode} {errors}")
            check(os.listdir(scratch) == [], f"it left {os.listdir(scratch)}")
        check(read()["kernels"][0]["launches"] == 3, "three launches")


def pipes():
    """Whoever reads only the beginning of the table (`| head`) has the files all the same."""
    source = os.path.join(TMP, "short.cl")
    with open(source, "w", encoding="ascii") as text:
        text.write("kernel void short_one(global int *p) { p[get_global_id(0)] = 1; }\n")
    for words in (["--", PROGRAM], [source, "--global", "64", "--arg", "buffer:i32:64"]):
        for name in (FILE, PAGE):
            if os.path.exists(name):
                os.unlink(name)
        with tempfile.TemporaryDirectory(dir=TMP) as scratch:
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([CY, "profile", "--profile", "--json", FILE, "--html", PAGE, *words], stdout=writer, stderr=subprocess.PIPE,
                                  env={**os.environ, "TMPDIR": scratch}, check=False)
            os.close(writer)
            check(os.listdir(scratch) == [], f"{words} left {os.listdir(scratch)}")
        check(done.returncode != 0 and os.path.exists(FILE) and os.path.exists(PAGE), f"{words}: {done}")


def traces():
    """A page of what there was."""
    trace = os.path.join(TMP, "run.cytrace")
    errors = run("--", PROGRAM, "kill", status=137, form=("--html", PAGE, "--cytrace", trace))
    check("was not written to its end" in errors and os.path.getsize(PAGE) > 10000, f"{errors}")
    done = subprocess.run([CY, "view", trace, "-o", PAGE], capture_output=True, text=True, check=False)
    check("3 launches" in done.stdout and not done.stderr, f"the trace is whole: {done.stdout}{done.stderr}")
    with open(trace, "rb") as file:
        whole = file.read()
    at = whole.index(b"LNCH")
    first = at + 12 + int.from_bytes(whole[at + 4:at + 8], "little")
    for length in range(12, len(whole), len(whole) // 40):
        with open(trace, "wb") as file:
            file.write(whole[:length])
        done = subprocess.run([CY, "view", trace, "-o", PAGE], capture_output=True, text=True, check=False)
        check(done.returncode == 1 and "truncated" in done.stderr, f"{length} bytes: {done.stderr}")
        done = subprocess.run([CY, "view", "--partial", trace, "-o", PAGE], capture_output=True, text=True, check=False)
        check(done.returncode == (0 if length >= first else 1), f"{length} bytes, a launch from {first} on: {done.stdout}{done.stderr}")


ends()
running()
becomes()
many()
faults()
kernels()
devices()
signals()
pipes()
traces()
finish()
