#!/usr/bin/env python3
"""OpenCL programs under `cy check`: what is found, and how it is written down."""
import json
import os
import random
import re
import subprocess
import sys

cy, build, tmp = os.environ["CY"], os.environ["CY_BUILD"], os.environ["CY_TMP"]
program = os.path.join(build, "tests", "check_host")
SCENARIOS = {
    "mapped": "used-while-mapped", "mapped_read": "used-while-mapped", "sub_buffer": "out-of-bounds",
    "host_pointer": "out-of-bounds", "released": "released-argument", "read_only": "write-to-read-only",
    "write_only": "read-of-write-only", "uninitialised": "uninitialised-store", "half_written": "uninitialised-store",
    "copied": "uninitialised-store", "written_by_kernel": "uninitialised-store", "between_launches": "data-race",
    "two_queues": "missing-wait", "out_of_order": "missing-wait", "halves": "missing-wait", "host_waits": "missing-wait",
    "unmapped": "write-after-unmap", "released_mapped": "released-while-mapped", "small_argument": "out-of-bounds",
}
OBJECTS = {  # of check_objects
    "write": "out-of-bounds", "write_negative": "out-of-bounds", "read_none": "out-of-bounds",
    "read_none_float": "out-of-bounds", "read_no_sampler": "out-of-bounds", "read_normalised": "out-of-bounds",
    "layer": "out-of-bounds", "race": "data-race", "uninitialised": "uninitialised-store",
}
SHARED = {"svm": "out-of-bounds", "svm_race": "data-race", "svm_freed": "use-after-release"}
COMMANDS = {  # of check_commands
    "command_buffer": "missing-wait", "sync_point": "missing-wait", "recorded_kernel": "out-of-bounds",
    "semaphore": "missing-wait", "image_queues": "missing-wait", "image_halves": "missing-wait", "columns": "missing-wait",
    "row_between": "missing-wait", "sub_buffers": "missing-wait", "callback": "missing-wait", "polled": "missing-wait",
    "marker": "missing-wait", "user_event": "event-never-completed", "released_image": "released-argument",
    "released_sampler": "released-argument", "svm_freed_early": "freed-while-in-use",
    "svm_freed_by_queue": "freed-while-in-use", "semaphore_ahead": "missing-wait", "user_event_ahead": "missing-wait",
    "many_commands": "missing-wait", "many_before_barrier": "missing-wait", "many_buffers": "missing-wait",
    "interleaved": "missing-wait", "svm_queues": "missing-wait",
}
LEAKS = ("nothing", "contexts", "command queues", "buffers", "programs", "kernels", "samplers", "events", "command-buffers",
         "semaphores", "blocks of shared virtual memory")
GEN2 = {"CHENGYING_DEVICES": "gen2"}
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def check(*words, environment={}):
    run = subprocess.run([cy, "check", *words], capture_output=True, text=True, timeout=120, cwd=tmp,
                         env={**os.environ, **environment})
    return run.returncode, run.stdout, run.stderr


def faults_of(sarif):
    """What the standard (SARIF 2.1.0) does not allow."""
    if sarif.get("version") != "2.1.0" or not sarif.get("$schema") or not isinstance(sarif.get("runs"), list):
        yield "version, $schema, runs"
    for one in sarif["runs"]:
        driver = one["tool"]["driver"]
        rules = [rule["id"] for rule in driver["rules"]]
        if not driver["name"] or len(set(rules)) != len(rules) or not all(r["shortDescription"]["text"] for r in driver["rules"]):
            yield "tool"
        for found in one["results"]:
            if found["ruleId"] not in rules or found["level"] not in ("none", "note", "warning", "error"):
                yield f"{found['ruleId']}, {found['level']}"
            if not found["message"]["text"]:
                yield "message"
            for place in found["locations"] + found.get("relatedLocations", []):
                uri, region = place["physicalLocation"]["artifactLocation"]["uri"], place["physicalLocation"]["region"]
                if not re.fullmatch(r"(file://)?([\w.~/-]|%[0-9A-F]{2})+", uri, re.ASCII):
                    yield f"URI {uri!r}"
                if region["startLine"] < 1 or region["startColumn"] < 1:
                    yield f"region {region}"


def both(name, scenario, kind, environment={}):
    """The wrong program is reported as it must be, the mended one is silent."""
    for which in ("wrong", "right"):
        status, out, errors = check("--json", "-q", "--", os.path.join(build, "tests", name), f"{which}_{scenario}",
                                    environment=environment)
        found = json.loads(out)["reports"]
        kinds = [r["kind"] for r in found]
        fits = (status, kinds) == (0, []) if which == "right" else status == 3 and kind in kinds
        expect(fits, f"{which} {scenario} {environment}: {status} {found} {errors}")


for number, (scenario, kind) in enumerate(SCENARIOS.items()):
    both("check_host", scenario, kind)
    if number % 3 == 0:
        both("check_host", scenario, kind, GEN2)
for number, (scenario, kind) in enumerate(OBJECTS.items()):
    both("check_objects", scenario, kind, GEN2 if number % 3 == 1 else {})
for scenario, kind in SHARED.items():
    both("check_objects", scenario, kind, GEN2)
for number, (scenario, kind) in enumerate(COMMANDS.items()):
    both("check_commands", scenario, kind, GEN2 if number % 3 == 1 or scenario.startswith("svm") else {})
for what in LEAKS: # of an object that holds others these are kept, too
    status, out, text = check("--json", "-q", "--", os.path.join(build, "tests", "check_commands"), f"leak_{what}",
                              environment=GEN2)
    messages = [r["message"] for r in json.loads(out)["reports"]]
    expect(status == 0 and any(what in m for m in messages) == (what != "nothing"), f"leak of {what}: {status} {messages}")

# The image by its name, with the coordinates and its size.
status, out, text = check("--", os.path.join(build, "tests", "check_objects"), "wrong_layer")
part = "write of the element (0, 0, 2), outside of `out`, argument 1 of `k`, an image of 8 x 4 x 2 [out-of-bounds]\n"
expect(part in text, f"{part!r} in {text}")

# The text: what, where with a caret, who.
status, out, text = check("--", program, "wrong_sub_buffer")
for part in ("<source>:4:5: error: write of 4 bytes outside of `out`, argument 1 of `add`: 0 bytes after its 124 [out-of-bounds]\n",
             "    4 |     out[i] = in[i] + n;\n      |     ^\n",
             "by work-item (31,0,0), local (31,0,0) of group (0,0,0), warp 0, lane 31", "check: 1 error, "):
    expect(part in text, f"{part!r} in {text}")

# Exit status, tools, suppressions.
expect(check("--error-exitcode", "77", "-q", "--", program, "wrong_mapped")[0] == 77, "--error-exitcode")
expect(check("--tool", "race", "-q", "--", program, "wrong_mapped")[0] == 0, "--tool leaves the others out")
suppressions = os.path.join(tmp, "suppressions")
open(suppressions, "w").write("# known\nused-while-mapped pu* *\n")
status, out, text = check("--suppressions", suppressions, "--", program, "wrong_mapped")
expect(status == 0 and "1 suppressed" in text, f"--suppressions: {status} {text}")
expect(check("-q", "--", "sh", "-c", "exit 5")[0] == 5, "the program's own status")
expect(check("--tool", "speed", "--", "true")[0] == 2, "an unknown tool")

# SARIF.
result = os.path.join(tmp, "result.sarif")
status, out, text = check("--sarif", "-o", result, "--", program, "wrong_between_launches")
sarif = json.load(open(result))
found = sarif["runs"][0]["results"]
expect(sarif["version"] == "2.1.0" and found and found[0]["ruleId"] == "data-race", sarif)
region = found[0]["locations"][0]["physicalLocation"]["region"]
expect(region["startLine"] in (14, 15), region)
expect(status == 3, "SARIF's exit status")
expect(not list(faults_of(sarif)), list(faults_of(sarif)))
status, out, text = check("--sarif", "-q", "--", os.path.join(build, "tests", "check_commands"), "leak_events")
found = json.loads(out)["runs"][0]["results"]
expect(found and all("(kernel" not in r["message"]["text"] for r in found), "a leak is no kernel's")
expect(not list(faults_of(json.loads(out))), list(faults_of(json.loads(out))))

# How often, and the limit on what is shown.
status, out, text = check("--json", "-q", "--", program, "wrong_between_launches")
document = json.loads(out)
expect(all(document["counts"][str(r["id"])] >= 1 for r in document["reports"]), document["counts"])

status, out, text = check("--json", "-q", "--", program, "wrong_mapped")
expect(list(json.loads(out)["counts"].values()) == [64], f"one occurrence for each of 64 work-items: {out}")

# Exact columns, and the calls of inlined functions, on both sides.
source = os.path.join(tmp, "calls.cl")
open(source, "w").write("""int pick(global const int *p, int i)
{
    return p[0] + p[i];
}
int twice(global const int *q, int k) { return 2 * pick(q, k + 1); }
void put(global int *q, int k) { q[k + 8] = q[k] + 1; }
kernel void calls(global int *io)
{
    int i = get_global_id(0), v = twice(io, i);
    put(io, i);
    io[i] = v;
}
""")
status, out, text = check("--json", "-q", source, "--kernel", "calls", "--global", "8", "--local", "8", "--arg",
                          "buffer:i32:17=ones")
both = [(side["line"], side["column"], [(c["function"], c["line"], c["column"]) for c in side.get("calls", [])])
        for report in json.loads(out)["reports"] for side in report["sides"]]
expect((3, 19, [("pick", 5, 52), ("twice", 9, 35)]) in both, both)
expect((6, 43, [("put", 10, 5)]) in both, both)
expect((11, 5, []) in both, both)
status, out, text = check(source, "--kernel", "calls", "--global", "8", "--local", "8", "--arg", "buffer:i32:17=ones")
expect(f"  in pick, called at {source}:5:52\n  in twice, called at {source}:9:35\n" in text, text)

# What the source has is written so that readers of JSON can read it: any bytes, in the lines that are shown.
odd = os.path.join(tmp, 'odd "name" \\.cl')
dice = random.Random(1)
bytes_of = lambda: bytes(b for b in dice.choices(range(256), k=60) if b not in b"\n\r*/?\\\0")
with open(odd, "wb") as file:
    file.write(b"kernel void k(global int *p)\n{\n    int i = get_global_id(0);\n")
    for line in range(20):
        file.write(b"    p[i + %d] = 1; /* " % (4 + line) + bytes_of() + b" */\n")
    file.write(b"}\n")
for form in ("--json", "--sarif"):
    run = subprocess.run([cy, "check", form, "-q", "--max-reports", "99", odd, "--global", "4", "--arg", "buffer:i32:4"],
                         capture_output=True, timeout=60)
    document = json.loads(run.stdout.decode("utf-8"))
    found = document["reports"] if form == "--json" else document["runs"][0]["results"]
    expect(form == "--json" or not list(faults_of(document)), "SARIF of an odd name")
    expect(len(found) == 20, f"{form}: {len(found)} of 20 reports, {run.stderr}")

# A document on standard output is alone there.
talks = os.path.join(tmp, "talks.cl")
open(talks, "w").write('kernel void k(global int *p) { printf("hello\\n"); p[1] = 1; }\n')
for words in ((talks, "--global", "1", "--arg", "buffer:i32:1"), ("--", "sh", "-c", "echo hello")):
    status, out, errors = check("--json", *words)
    expect(isinstance(json.loads(out)["reports"], list) and "hello\n" in errors, f"{words}: {out} {errors}")
    status, out, errors = check("--json", "-o", result, *words)
    expect(out == "hello\n" and "reports" in json.load(open(result)), f"-o, {words}: {out} {errors}")

print("failed" if failures else "ok")
sys.exit(failures != 0)
