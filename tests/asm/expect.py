#!/usr/bin/env python3
"""Sources that carry their expectation: the lines "#: ..." at the end are the object, section by section.

  expect.py [--update] FILE.s...
A first line "#! options" gives options for `cy as`.  --update writes what the assembler makes now: look at the
difference before you keep it, and check words by hand or against isa.md."""
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elf

TMP = os.environ.get("CY_TMP", "/tmp")
CY = os.environ.get("CY", "cy")


def describe(path):
    obj = elf.Object(path)
    lines = ["machine %x flags %x" % (obj.machine, obj.flags)]
    for s in obj.sections:
        if s["type"] in (0, 2, 3, 4) or s["size"] == 0:
            continue
        lines.append("%s type %x flags %x size %d align %d" % (s["name"], s["type"], s["flags"], s["size"], s["align"]))
        data = s["data"]
        size = 4 if s["flags"] & 4 or len(data) % 4 == 0 and not s["name"].startswith(".ventus") else 2
        items = ["%0*x" % (2 * size, int.from_bytes(data[i:i + size], "little")) for i in range(0, len(data), size)]
        rows = [" ".join(items[i:i + 8]) for i in range(0, len(items), 8)]
        for i, row in enumerate(rows):
            if i and i + 1 < len(rows) and row == rows[i - 1] == rows[i + 1]:
                if lines[-1] != "  *":
                    lines.append("  *")
            else:
                lines.append("  %04x: %s" % (i * 8 * size, row))
        lines += ["  reloc " + elf.reloc_text(r) for r in s["relocs"]]
    lines += sorted("symbol %(name)s %(section)s %(value)x size %(size)x bind %(bind)d type %(type)d" % s
                    for s in obj.symbols if s["name"] and s["type"] not in (3, 4) and not s["name"].startswith(".L"))
    return lines


def main():
    update = "--update" in sys.argv
    failures = 0
    files = [a for a in sys.argv[1:] if not a.startswith("-")]
    for path in files:
        text = open(path).read()
        source = [line for line in text.splitlines() if not line.startswith("#: ")]
        expected = [line[3:] for line in text.splitlines() if line.startswith("#: ")]
        options = shlex.split(source[0][2:]) if source[0].startswith("#!") else []
        out = os.path.join(TMP, os.path.basename(path) + ".o")
        result = subprocess.run([CY, "as", *options, "-o", out, path], capture_output=True, text=True)
        got = describe(out) if result.returncode == 0 else ["error"]
        if result.stderr:
            print(result.stderr, end="")
        if update and got != ["error"]:
            open(path, "w").write("\n".join(source + ["#: " + line for line in got]) + "\n")
        elif got != expected:
            failures += 1
            print("%s: FAILED" % path)
            for i in range(max(len(got), len(expected))):
                a = got[i] if i < len(got) else "(nothing)"
                b = expected[i] if i < len(expected) else "(nothing)"
                if a != b:
                    print("  got      %s\n  expected %s" % (a, b))
    print("%d files, %d failures" % (len(files), failures))
    return 1 if failures or not files else 0


sys.exit(main())
