#!/usr/bin/env python3
"""Every file that docs/conformance.md names exists, and so does every test function; every row names both an implementation and a
test, and (D) is only where docs/decisions.md can be consulted."""
import os
import re
import sys

source = os.environ["CY_SOURCE"]
rows = wrong = 0


def complain(line, text):
    global wrong
    wrong += 1
    print(f"docs/conformance.md:{line}: {text}")


def check(line, cell, what):
    names = re.findall(r"`([^`]+)`", cell)
    if not names:
        complain(line, f"no {what}")
    for name in names:
        path, _, function = name.partition(":")
        full = os.path.join(source, path)
        if not os.path.exists(full):
            complain(line, f"there is no {path}")
        elif function and not re.search(rf"\b{re.escape(function)}\b", open(full, encoding="utf-8").read()):
            complain(line, f"{path} has no {function}")
        if what == "test" and not path.startswith("tests/"):
            complain(line, f"{path} is not a test")


for number, text in enumerate(open(os.path.join(source, "docs/conformance.md"), encoding="utf-8"), 1):
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    if not text.startswith("| ") or cells[0] in ("§", "---"):
        continue
    rows += 1
    if len(cells) != 5:
        complain(number, f"{len(cells)} columns instead of 5")
        continue
    check(number, cells[3], "implementation")
    check(number, cells[4], "test")
print(f"{rows} statements, {wrong} findings")
sys.exit(1 if wrong or rows < 100 else 0)
