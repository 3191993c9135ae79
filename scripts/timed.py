#!/usr/bin/env python3
"""timed.py [--tests BUILD] STEP COMMAND...: runs a step of `make test`, and says how long it took next to its budget.
timed.py --start | --table: before the first step, and after the last one: all of them.  Outside, a step is only run.

The budget is the table of docs/testing.md whose first column has the steps and whose second one has minutes on two idle cores.  A step
without a row fails, so do rows that add up to more than the budget's 30 minutes.  Being late fails nothing, since other load makes any
machine late: therefore the minutes of all processors are printed too (without compile servers that outlive the step), of which half is
what two idle cores need at least.

--tests BUILD: the command is ctest's in that build; of its labels, and of its longest tests, the minutes are printed too.

Between --start and --table the steps are kept in build/minutes.tsv."""
import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# A test has its own.
KEPT = pathlib.Path(os.environ.get("CY_MINUTES", SOURCE / "build/minutes.tsv"))
DOCUMENT = pathlib.Path(os.environ.get("CY_BUDGET", SOURCE / "docs/testing.md"))
MOST = 30  # minutes


def read_budget():
    """Minutes by step, in the document's order."""
    text = DOCUMENT.read_text(encoding="utf-8")
    table = re.search(r"^\| step +\| minutes \|.*\n\|[-| :]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    if not table:
        sys.exit(f"error: {DOCUMENT} has no table of steps and minutes")
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.group(1).splitlines()]
    budget = {row[0]: float(row[1]) for row in rows}
    if sum(budget.values()) > MOST:
        sys.exit(f"error: the steps in {DOCUMENT} add up to {sum(budget.values()):g} minutes of {MOST}")
    return budget


def processor_minutes():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) / 60


def count_tests(build):
    """Minutes by label, which is the tests' directory, and by test, in the last run of ctest."""
    log = (build / "Testing/Temporary/LastTest.log").read_text(errors="replace")
    taken = dict(re.findall(r"^\d+/\d+ Testing: (\S+)$.*?^Test time = +([\d.]+) sec$", log, re.MULTILINE | re.DOTALL))
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
                                       text=True).stdout)
    labels, tests = collections.Counter(), collections.Counter()
    for test in listed["tests"]:
        if test["name"] in taken:
            label = next((each["value"][0] for each in test["properties"] if each["name"] == "LABELS"), "none")
            labels[label] += float(taken[test["name"]]) / 60
            tests[test["name"]] = float(taken[test["name"]]) / 60
    return labels, tests


def print_tests(step, build):
    labels, tests = count_tests(build)
    print(f"{step}, minutes of tests by label: " + ", ".join(f"{label} {minutes:.1f}" for label, minutes in labels.most_common()))
    print(f"{step}, minutes of the longest: " + ", ".join(f"{test} {minutes:.1f}" for test, minutes in tests.most_common(10)), flush=True)


def run_step(step, command, build):
    if not KEPT.exists():
        os.execvp(command[0], command)
    budget = read_budget()
    if step not in budget:
        sys.exit(f"error: the budget in {DOCUMENT} has no step '{step}'")
    before, began = processor_minutes(), time.monotonic()
    status = subprocess.run(command).returncode
    minutes, all_processors = (time.monotonic() - began) / 60, processor_minutes() - before
    with KEPT.open("a") as kept:
        kept.write(f"{step}\t{minutes:.2f}\t{all_processors:.2f}\n")
    print(f"{step}: {minutes:.1f} minutes of {budget[step]:g}" + (", failed" if status else ""), flush=True)
    if build:
        print_tests(step, build)
    sys.exit(status if status >= 0 else 128 - status)


def print_table():
    budget, taken = read_budget(), {}
    if not KEPT.exists():
        sys.exit("error: there was no --start")
    for line in KEPT.read_text().splitlines():
        step, minutes, all_processors = line.split("\t")
        so_far = taken.get(step, (0.0, 0.0))
        taken[step] = so_far[0] + float(minutes), so_far[1] + float(all_processors)
    KEPT.unlink()
    processor = subprocess.run([SOURCE / "scripts/processor.sh"], capture_output=True, text=True).stdout.strip()
    print(f"\n{processor}; load {os.getloadavg()[2]:.1f}\n{'step':24}{'minutes':>10}{'budget':>10}{'all processors':>16}")
    for step, (minutes, all_processors) in taken.items():
        late = "   late" if minutes > budget[step] else ""
        print(f"{step:24}{minutes:10.1f}{budget[step]:10.1f}{all_processors:16.1f}{late}")
    totals = [sum(column) for column in zip(*taken.values())] or [0, 0]
    print(f"{'all':24}{totals[0]:10.1f}{sum(budget.values()):10.1f}{totals[1]:16.1f}")
    for step in budget:
        if step not in taken:
            print(f"not run: {step}")


def main():
    words = sys.argv[1:]
    if words == ["--start"]:
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text("")
    elif words == ["--table"]:
        print_table()
    else:
        build = pathlib.Path(words[1]) if words[:1] == ["--tests"] else None
        words = words[2:] if build else words
        if len(words) < 2 or words[0].startswith("-"):
            sys.exit(__doc__)
        run_step(words[0], words[1:], build)


main()
