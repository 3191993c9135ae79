#!/usr/bin/env python3
"""Absurd sources (endless repetition, recursion, reservation) fail quickly, with an error and in little memory."""
import os
import resource
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
SECONDS, BYTES = 30, 1500 << 20  # far above what is needed, far below what the sources ask for
HUGE = 100000000000

with open(f"{TMP}/self.inc", "w") as file:
    file.write(f'.include "{TMP}/self.inc"\n')

CASES = {
    f".rept {HUGE}\nbad\n.endr": "bytes of text",
    f".rept {HUGE}\nnop\n.endr": "bytes of text",
    f".rept {HUGE}\n.endr": "bytes of text",
    ".rept 20000000\nbad\n.endr": "too many errors; stopped before the end",
    ".rept 10000000\nadd a0, a1\n.endr": "too many errors; stopped before the end",
    f".rept 10000\n.rept {HUGE}\n.rept {HUGE}\nbad\n.endr\n.endr\n.endr": "too many errors",
    ".space n - 1\n.rept 10000000\nbad\n.endr\n.set n, 3": "too many errors",
    ".macro m\nbad\nm\n.endm\nm": "too many errors",
    ".macro m\nm\nm\n.endm\nm": "nested more than",
    ".macro m x\nm \\x\\x\n.endm\nm 1": "more than",
    ".macro m\nbad\n.endm\n.rept 20000000\nm\n.endr": "too many errors",
    ".rept 20000000\n.irp x, 1, 2\nbad \\x\n.endr\n.endr": "too many errors",
    ".rept 10000000\n.space 1000000\n.endr": "would be larger than",
    ".fill 100000000000, 8, 0": "would be larger than",
    ".fill 100000000000, 8, 1": "would be larger than",
    ".space 100000000000": "would be larger than",
    ".zero 4000000000": "would be larger than",
    ".skip 0x7fffffffffffffff": "would be larger than",
    ".org 0xfffffff0\nnop": "",
    "nop\n.p2align 31\nnop": "",
    ".p2align 40": "",
    ".balign 1 << 40": "",
    ".bss\n.space 0x7fffffff\n.space 0x7fffffff": "larger than",
    f'.include "{TMP}/self.inc"': "nested more than",
}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if "asan" not in os.environ.get("CY_BUILD", ""):  # whose shadow memory is larger than that
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


failures = 0
for source, expected in CASES.items():
    done = subprocess.run([CY, "as", "-o", f"{TMP}/out.o", "-"], input=source + "\n", text=True, capture_output=True,
                          preexec_fn=limit)
    lines = len(done.stderr.splitlines())
    if done.returncode != 1 or expected not in done.stderr or "error" not in done.stderr or lines > 2000:
        print(f"{source!r}: status {done.returncode}, {lines} lines:\n{done.stderr[-600:]}")
        failures += 1
    if os.path.exists(f"{TMP}/out.o"):
        print(f"{source!r}: an object was written")
        failures += 1

# Errors that are due to a guess about a later symbol do not stop the assembler before it knows better.
source = ".rept 300\n.space n - 1\n.endr\n.set n, 5\n"
done = subprocess.run([CY, "as", "-o", "-", "-"], input=source.encode(), capture_output=True)
if done.returncode or done.stderr:
    print(f"guesses: {done.stderr[:200]}")
    failures += 1
done = subprocess.run([CY, "as", "-o", "/dev/null", "-"], input='.rept 100000\n.warning "w"\n.endr\n', text=True,
                      capture_output=True)
if done.returncode or len(done.stderr.splitlines()) != 301:
    print(f"warnings: {done.returncode}, {len(done.stderr.splitlines())} lines: {done.stderr[-300:]}")
    failures += 1
sys.exit(failures != 0)
