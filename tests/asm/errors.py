#!/usr/bin/env python3
"""Erroneous sources and the exact messages for them: errors/NAME.s and errors/NAME.err.

  errors.py [--update] [FILE.s...]
A first line "#! options" gives options for `cy as`.  The exit status must be 1 and no object may be left behind; a
source with "# accepted" in its first lines only has warnings and must give an object."""
import glob
import os
import shlex
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "errors")
TMP = os.environ.get("CY_TMP", "/tmp")
CY = os.environ.get("CY", "cy")


def main():
    update = "--update" in sys.argv
    files = [os.path.basename(a) for a in sys.argv[1:] if not a.startswith("-")]
    files = files or sorted(os.path.basename(p) for p in glob.glob(os.path.join(HERE, "*.s")))
    failures = 0
    for name in files:
        path = os.path.join(HERE, name)
        lines = open(path, encoding="latin-1").read().splitlines()
        options = shlex.split(lines[0][2:]) if lines[0].startswith("#!") else []
        accepted = "# accepted" in lines[:3]
        out = os.path.join(TMP, name + ".o")
        if os.path.exists(out):
            os.remove(out)
        result = subprocess.run([CY, "as", *options, "-o", out, name], capture_output=True, cwd=HERE, timeout=60)
        got = result.stderr.decode("latin-1")
        golden = path[:-2] + ".err"
        if update:
            open(golden, "w", encoding="latin-1").write(got)
        expected = open(golden, encoding="latin-1").read() if os.path.exists(golden) else "(no %s)\n" % golden
        problems = []
        if got != expected:
            problems.append("messages differ\n--- expected\n%s--- got\n%s" % (expected, got))
        if result.returncode != (0 if accepted else 1):
            problems.append("exit status %d" % result.returncode)
        if os.path.exists(out) != accepted:
            problems.append("an object was left behind" if not accepted else "there is no object")
        if problems:
            failures += 1
            print("%s: FAILED: %s" % (name, "; ".join(problems)))
    print("%d files, %d failures" % (len(files), failures))
    return 1 if failures or not files else 0


sys.exit(main())
