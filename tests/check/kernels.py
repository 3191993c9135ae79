#!/usr/bin/env python3
"""Runs the cases of tests/check/kernels: every wrong kernel is reported as its line says, every mended one is silent.

    kernels.py [FILE.cl...]             all files without arguments
    kernels.py --gen2 [FILE.cl...]      compiled for generation 2, buffers above 4 GiB; --part: every fifth pair
    kernels.py --O0 [FILE.cl...]        not optimised
    kernels.py --oclgrind [FILE.cl...]  what Oclgrind finds in the same cases (a foreign opinion, not a test)
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
cy = os.environ["CY"]
tmp = os.environ.get("CY_TMP", "/tmp")
extra = []


class Case:
    def __init__(self, path, line, options):
        match = re.match(r"//! (wrong|right) (\w+) (\S+?)(?:/(\S+?))?(?:\+(\S+))? (.*?)(?: -> (\S+)(?: at (.+))?)?$", line)
        if not match:
            sys.exit(f"{path}: cannot read: {line}")
        self.path = path
        self.options = options
        self.wrong = match[1] == "wrong"
        self.kernel, self.range, self.local, self.offset = match[2], match[3], match[4], match[5]
        self.arguments = match[6].split()
        self.kind = match[7]
        self.at = match[8] or ""  # a part of the line that must be named

    def __str__(self):
        return f"{os.path.basename(self.path)}: {self.kernel}"


def read(path):
    lines = [line.rstrip() for line in open(path) if line.startswith("//!")]
    options = next((line[12:] for line in lines if line.startswith("//! options ")), "")
    return [Case(path, line, options) for line in lines if not line.startswith("//! options ")]


def check(case):
    command = [cy, "check", *extra, "--json", "--quiet", case.path, "--kernel", case.kernel, "--global", case.range]
    command += ["--local", case.local] if case.local else []
    command += ["--offset", case.offset] if case.offset else []
    command += ["--build-options", case.options] if case.options else []
    for argument in case.arguments:
        command += ["--arg", argument]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return case, -1, [], "does not end"
    try:
        reports = json.loads(run.stdout)["reports"]
    except (ValueError, KeyError):
        return case, run.returncode, [], f"no JSON\n{run.stdout}{run.stderr}"
    return case, run.returncode, reports, run.stderr


def judge(case, status, reports, messages):
    """The kinds of a wrong kernel include the expected one; a right one has none."""
    kinds = sorted({report["kind"] for report in reports})
    if case.wrong:
        report = next((r for r in reports if r["kind"] in case.kind.split("|")), None)
        if not report:
            return f"expected {case.kind}, not {kinds}\n{messages}"
        if not report["message"] or not (report["sides"][0].get("line") or report["kind"] == "api"):
            return f"no line: {report}"
        if case.at not in report["sides"][0].get("source", ""):
            return f"not at '{case.at}': {report}"
        places = [(r["kind"], r.get("object"), str([(side.get("line"), side.get("column"), side.get("calls")) for side in r["sides"]]))
                  for r in reports]
        if len(set(places)) < len(places):
            return f"one place reported twice: {places}"
        if status != (0 if report["severity"] == "note" and all(r["severity"] == "note" for r in reports) else 3):
            return f"exit status {status}"
        return None
    if kinds:
        return f"expected silence, not {kinds}: {[r['message'] for r in reports]}"
    return None if status == 0 else f"exit status {status}\n{messages}"


def oclgrind(case):
    sizes = {"i8": 1, "u8": 1, "i16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "f64": 8}
    triple = lambda text: " ".join((text.split(",") + ["1", "1"])[:3])
    lines = [case.path, case.kernel, triple(case.range), triple(case.local or case.range)]
    for argument in case.arguments:
        match = re.match(r"(buffer|readonly|writeonly):(\w+):(\d+)(?:=(\w+))?$", argument)
        if match:
            size = sizes[match[2]]
            flags = {"buffer": "", "readonly": "ro ", "writeonly": "wo "}[match[1]]
            how = match[4]
            kind = {"f32": "float", "u8": "uchar", "i16": "short"}.get(match[2], "int")
            fill = "noinit" if not how else f"range=0:1:{int(match[3]) - 1}" if how == "iota" else \
                f"fill={ {'zeros': 0, 'ones': 1}.get(how, how) }"
            lines.append(f"<size={size * int(match[3])} {kind} {flags}{fill}>")
        elif argument.startswith("local:"):
            lines.append(f"<size={argument[6:]}>")
        else:
            lines += ["<size=4 int>", argument]
    sim = os.path.join(tmp, case.kernel + ".sim")
    open(sim, "w").write("\n".join(lines) + "\n")
    run = subprocess.run(["oclgrind-kernel", "--data-races", "--uninitialized", "--uniform-writes", sim],
                         capture_output=True, text=True, timeout=60)
    return case, run.stderr + run.stdout


def main():
    arguments = sys.argv[1:]
    foreign = "--oclgrind" in arguments
    if "--gen2" in arguments:
        extra.append("-march=ventus-gen2")
    if "--O0" in arguments:
        extra.append("-O0")
    files = [a for a in arguments if not a.startswith("--")] or [os.path.join(here, "kernels", f) for f in sorted(os.listdir(os.path.join(here, "kernels")))]
    cases = [case for path in files for case in read(path)]
    if "--part" in arguments:
        cases = [case for i, case in enumerate(cases) if i // 2 % 5 == 0]
    if foreign:
        for case in cases:
            case, text = oclgrind(case)
            print(("silent" if not text.strip() else "report"), "wrong" if case.wrong else "right", case,
                  " | ".join(text.strip().splitlines()[:1]))
        return
    os.environ["CHENGYING_CACHE"] = "1"
    os.environ["CHENGYING_CACHE_DIR"] = os.path.join(tmp, "cache")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, status, reports, messages in pool.map(check, cases):
            what = judge(case, status, reports, messages)
            if what:
                failed += 1
                print(f"{case}: {what}")
    wrong = sum(case.wrong for case in cases)
    print(f"{wrong} wrong kernels and {len(cases) - wrong} right ones, {failed} failed")
    if failed or wrong < 100 and not arguments:
        sys.exit(1)


if __name__ == "__main__":
    main()
