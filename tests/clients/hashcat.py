#!/usr/bin/env python3
"""hashcat on our platform: for each kind of hash its own self-test, and its example hash found among wrong words.

Numbers of hash modes as arguments replace the list below.
"""
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from client import on_our_platform

MODES = (
    0, 100, 300, 500, 900, 1000, 1400, 1700, 2410, 3000, 3200, 5100, 5600, 6000, 6100, 6900, 9900, 10000, 10800, 11500, 11700, 14000,
    17300, 400,
)

on_our_platform()
tmp = Path(os.environ["CY_TMP"])


def hashcat(*words):
    return subprocess.run(["hashcat", "--force", "--potfile-disable", "--quiet", *words], cwd=tmp, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3000)


def crack(title, *words, expect):
    """Whether hashcat finds this password, and only this one."""
    found = tmp / "found"
    found.unlink(missing_ok=True)
    run = hashcat("-o", str(found), "--outfile-format", "2", *words)
    passwords = found.read_text(errors="replace").splitlines() if found.exists() else []
    good = run.returncode == 0 and passwords == [expect]
    print(f"{'ok  ' if good else 'FAIL'} {title}" + ("" if good else f": {passwords}\n{run.stdout}"), flush=True)
    return good


def crack_example(mode):
    info = json.loads(hashcat("--hash-info", "--machine-readable", "-m", str(mode)).stdout)[str(mode)]
    words = [f"wrong{i}" for i in range(200)]
    words.insert(100, info["example_pass"])
    (tmp / "words").write_text("\n".join(words) + "\n")
    if info["example_hash_format"] != "plain":
        sys.exit(f"mode {mode} has no example in text")
    (tmp / "hash").write_text(info["example_hash"] + "\n")
    return crack(f"{mode} {info['name']}", "-m", str(mode), "-a", "0", str(tmp / "hash"), str(tmp / "words"),
                 expect=info["example_pass"])


def main():
    modes = [int(word) for word in sys.argv[1:]] or MODES
    results = [crack_example(mode) for mode in modes]
    for optimized in ([], ["-O"]):
        results.append(crack("brute force " + " ".join(optimized), *optimized, "-m", "0", "-a", "3",
                             hashlib.md5(b"zyxw").hexdigest(), "?l?l?l?l", expect="zyxw"))
    print(f"hashcat: {sum(results)} of {len(results)} passwords found")
    return 0 if all(results) else 1


sys.exit(main())
