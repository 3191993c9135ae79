#!/usr/bin/env python3
"""piglit's OpenCL tests on our platform: each passes, or piglit-reasons.txt says why it does not.

docs/piglit.md lists the results.  With --update (in the environment of a test) it is written anew.
"""
import bz2
import fnmatch
import json
import os
import subprocess
import sys
from pathlib import Path

from client import on_our_platform

on_our_platform()
source = Path(os.environ["CY_SOURCE"])
page = source / "docs/piglit.md"
results_dir = Path(os.environ["CY_TMP"]) / "results"

HEAD = """# piglit's OpenCL tests

What `piglit run cl` (Debian package `piglit`) finds on our platform: {passed} of {count} tests pass, {skipped} skip
themselves, {failed} fail. `make test-clients` runs them; `tests/clients/piglit.py` wrote this page and compares it with every run.
A test that PoCL 3.1 fails the same way is marked.

"""


def read_reasons():
    """[(result, pattern, reason)] of the lines `result pattern: reason`."""
    reasons = []
    for line in (source / "tests/clients/piglit-reasons.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            head, reason = line.split(": ", 1)
            result, pattern = head.split(" ", 1)
            reasons.append((result, pattern.strip(), reason.strip()))
    return reasons


def run_piglit():
    """{name: result} of every test of the profile."""
    subprocess.run(["piglit", "run", "--no-concurrency", "-l", "quiet", "cl", str(results_dir)], check=True,
                   stdout=subprocess.DEVNULL)
    with bz2.open(results_dir / "results.json.bz2") as file:
        tests = json.load(file)["tests"]
    for name, test in tests.items():
        if test["result"] not in ("pass", "skip"):
            print(f"--- {name}: {test['result']}\n{test['out'][-1500:]}{test['err'][-1500:]}")
    return {name: test["result"] for name, test in tests.items()}


def table(results, reasons, wanted, title):
    """The tests with this result, grouped by reason; those without one are returned too."""
    groups, unexplained = {}, []
    for name, result in sorted(results.items()):
        if result == wanted:
            reason = next((why for want, pattern, why in reasons if want == wanted and fnmatch.fnmatch(name, pattern)), None)
            if reason is None:
                unexplained.append(name)
            groups.setdefault(reason, []).append(name)
    rows = [f"| {', '.join(f'`{name}`' for name in names)} | {reason} |" for reason, names in groups.items()]
    return "\n".join([f"## {title}", "| tests | why |", "|---|---|", *rows, "", ""]), unexplained


def main():
    results, reasons = run_piglit(), read_reasons()
    passed = sorted(name for name, result in results.items() if result == "pass")
    count = {wanted: sum(result == wanted for result in results.values()) for wanted in ("skip", "fail")}
    failures, bad = table(results, reasons, "fail", "Failures")
    skips, unexplained = table(results, reasons, "skip", "Skips")
    bad += unexplained + [name for name, result in results.items() if result not in ("pass", "skip", "fail")]
    stale = [pattern for wanted, pattern, _ in reasons
             if not any(result == wanted and fnmatch.fnmatch(name, pattern) for name, result in results.items())]
    text = HEAD.format(passed=len(passed), count=len(results), skipped=count["skip"], failed=count["fail"])
    text += failures + skips + "## Passes\n" + "\n".join(f"- `{name}`" for name in passed) + "\n"
    print(f"piglit: {len(passed)} pass, {count['skip']} skip, {count['fail']} fail")
    for name in bad:
        print(f"error: {name} is '{results[name]}' and piglit-reasons.txt does not say why", file=sys.stderr)
    for pattern in stale:
        print(f"error: piglit-reasons.txt explains '{pattern}', and no test does that any more", file=sys.stderr)
    if "--update" in sys.argv:
        page.write_text(text)
    elif page.read_text() != text:
        print("error: the results are not those of docs/piglit.md; see --update", file=sys.stderr)
        return 1
    return 1 if bad or stale else 0


sys.exit(main())
