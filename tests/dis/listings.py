#!/usr/bin/env python3
"""Listings of random words, in every style, give the same bytes back: `cy as` takes whatever `cy dis` prints."""
import os
import random
import struct
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
STYLES = (["--raw"], ["--raw", "--print-imm-hex"], [], ["--decimal", "--csr-names"], ["--no-aliases", "--numeric"])
VENTUS = (0x0B, 0x5B, 0x2B, 0x57, 0x7B, 0x33, 0x13, 0x53, 0x73, 0x07, 0x27, 0x63, 0x6F, 0x67, 0x2F, 0x43, 0x4F)
failures = 0


def fail(*words):
    global failures
    failures += 1
    print(*words)


def words(march, count):
    for i in range(count):
        word = random.getrandbits(32)
        if i % 3 and march.startswith("ventus"):
            word = word & ~0x7F | random.choice(VENTUS)
        yield word


def bytes_of(path):
    """What is in the one section that has anything."""
    data = open(path, "rb").read()
    shoff, shnum = struct.unpack_from("<I", data, 32)[0], struct.unpack_from("<H", data, 48)[0]
    for i in range(shnum):
        _, kind, flags, _, offset, size = struct.unpack_from("<6I", data, shoff + 40 * i)
        if kind == 1 and flags & 4 and size:
            return data[offset:offset + size]
    return b""


for march in ("ventus", "ventus-gen2", "epic", "epic-fpga"):
    for number, style in enumerate(STYLES):
        random.seed(number)
        code = struct.pack("<20000I", *words(march, 20000))
        with open(f"{TMP}/code.bin", "wb") as file:
            file.write(code)
        base = ("0", "0x80000000", "0xffffe000", "0x1000", "0")[number]  # branches may wrap around the address space
        if base == "0xffffe000":
            code = code[:0x1ff0]
            with open(f"{TMP}/code.bin", "wb") as file:
                file.write(code)
        listing = subprocess.run([CY, "dis", "--march", march, "--raw-binary", "--base", base, *style, f"{TMP}/code.bin"],
                                 capture_output=True, check=True).stdout
        done = subprocess.run([CY, "as", "--march", march, "-o", f"{TMP}/code.o", "-"], input=listing, capture_output=True)
        if done.returncode:
            fail(march, style, done.stderr.decode()[:500])
            continue
        got = bytes_of(f"{TMP}/code.o")
        if got != code:
            at = next((i for i in range(0, min(len(got), len(code)), 4) if got[i:i + 4] != code[i:i + 4]), None)
            fail(march, style, f"{len(got)} of {len(code)} bytes; the first difference is at", at,
                 code[at:at + 4].hex() if at is not None else "")

# The text counts, not the digits beside it, also where the digits are no source.
listing = subprocess.run([CY, "dis", "--march", "epic", "--hex", "090b20a0"], capture_output=True, text=True, check=True).stdout
head = "x.o:\tfile format elf32-epic\n\nDisassembly of section .text:\n\n"
line = next(line for line in listing.splitlines() if "or\tr0" in line)
for text, word in ((line, 0x090B20A0), (line.replace("r0", "r1"), 0x000B20A1)):
    done = subprocess.run([CY, "as", "--march", "epic", "-o", f"{TMP}/edited.o", "-"], input=head + text + "\n", text=True,
                          capture_output=True)
    if done.returncode or bytes_of(f"{TMP}/edited.o") != struct.pack("<I", word):
        fail(text, done.stderr, bytes_of(f"{TMP}/edited.o").hex())

# The vendor's tools print the bits of a prefix as a signed number.
for text, word in (("regexti zero, zero, -832", 0xCC00300B), ("regext zero, zero, -512", 0xE000200B)):
    done = subprocess.run([CY, "as", "-o", f"{TMP}/prefix.o", "-"], input=f"{text}\nvadd.vi v1, v2, 3\n", text=True,
                          capture_output=True)
    got = bytes_of(f"{TMP}/prefix.o")[:4] if not done.returncode else done.stderr
    if got != struct.pack("<I", word):
        fail(text, got)
for text in ("regexti zero, zero, -2049", "regexti zero, zero, 4096"):
    if not subprocess.run([CY, "as", "-o", "/dev/null", "-"], input=f"{text}\nvadd.vi v1, v2, 3\n", text=True,
                          capture_output=True).returncode:
        fail(text, "is taken")
sys.exit(failures != 0)
