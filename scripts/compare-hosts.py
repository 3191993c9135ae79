#!/usr/bin/env python3
"""compare-hosts.py BUILD BUILD: everything that two builds, for two kinds of host, must agree in, byte for byte.

tests/hosts/outputs.py lists it.  Each build writes its outputs to a separate directory; then the directories are compared.
`make test-other-host-all` calls it.  CY_COMPARE_JOBS=N: run N programs at a time instead of one per processor.
CY_COMPARE_CLANG=PROGRAM: the second build uses this clang, so that the front end is another host's too (slow when emulated)."""
import filecmp
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests/hosts"))
import outputs  # noqa: E402


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    builds = [os.path.abspath(path) for path in sys.argv[1:]]
    os.chdir(ROOT)
    clangs = [None, os.environ.get("CY_COMPARE_CLANG")]
    outs = [f"{builds[1]}/compare/{which}" for which in ("first", "second")]
    for path, out, clang in zip(builds, outs, clangs):
        outputs.Build(path, out, clang, ["-g"]).everything()
    names = [sorted(os.listdir(out)) for out in outs]
    if names[0] != names[1]:
        print("not in both:", *sorted(set(names[0]) ^ set(names[1])))
    common = sorted(set(names[0]) & set(names[1]))
    same, different, _ = filecmp.cmpfiles(*outs, common, shallow=False)
    for name in different:
        print(f"different: {outs[0]}/{name} {outs[1]}/{name}")
    kinds = sorted({os.path.splitext(name)[1] for name in same})
    for kind in kinds:
        print(f"{sum(os.path.splitext(name)[1] == kind for name in same):5} files the same: *{kind}")
    raise SystemExit(names[0] != names[1] or bool(different) or not same)


main()
