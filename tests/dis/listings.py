#!/usr/bin/env python3
"""Listings of random words, in every style, give the same bytes back: `cy as` accepts whatever `cy dis` prints."""
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


def rows(march):
    """Every row of the table with random operands, four times; in Ventus also after each prefix."""
    found, prefixes = [], []
    dump = subprocess.run([os.environ["CY_BUILD"] + "/tests/isa_dump", "rows"], capture_output=True, text=True, check=True).stdout
    for line in dump.splitlines():
        columns = line.split("\t") if "\t" in line else line.split()
        match, mask = (int(column, 16) for column in columns[2:4])
        found.append((match, mask))
        if "ext:UIMM" in line:
            prefixes.append((match, mask))
    for match, mask in found:
        for _ in range(4):
            yield match | random.getrandbits(32) & ~mask
        for prefix, prefix_mask in prefixes if march.startswith("ventus") else ():
            yield prefix | random.getrandbits(32) & ~prefix_mask
            yield match | random.getrandbits(32) & ~mask


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
        code = list(words(march, 20000)) + list(rows(march))
        code = struct.pack(f"<{len(code)}I", *code)
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

# The text counts, not the digits next to it, even if the digits cannot be written as source.
listing = subprocess.run([CY, "dis", "--march", "epic", "--hex", "090b20a0"], capture_output=True, text=True, check=True).stdout
head = "x.o:\tfile format elf32-epic\n\nDisassembly of section .text:\n\n"
line = next(line for line in listing.splitlines() if "or\tr0" in line)
for text, word in ((line, 0x090B20A0), (line.replace("r0", "r1"), 0x000B20A1)):
    done = subprocess.run([CY, "as", "--march", "epic", "-o", f"{TMP}/edited.o", "-"], input=head + text + "\n", text=True,
                          capture_output=True)
    if done.returncode or bytes_of(f"{TMP}/edited.o") != struct.pack("<I", word):
        fail(text, done.stderr, bytes_of(f"{TMP}/edited.o").hex())

# After a prefix that is shown, operands have their full names, whichever prefix it is; the low five bits are accepted as well.
for prefix, word in (("regext zero, zero, 3633", 0xE310200B), ("regext zero, zero, 49", 0x0310200B),
                     ("prefix 1, 1, 0, 49", 0x03190002), ("prefix 0, 0, 0, 49", 0x03100002), ("pre_m_32 0, 3, 49", 0x03118006)):
    shown = subprocess.run([CY, "dis", "--march", "ventus-gen2", "--decimal", "--hex", f"{word:08x}", "02140457"],
                           capture_output=True, text=True, check=True).stdout.split("\t", 1)[1].strip()
    # pre_m is for memory accesses: before anything else it has no effect
    full = "vadd.vv\tv8, v1, v8" if prefix.startswith("pre_m") else "vadd.vv\tv40, v1, v200"
    wanted = full if word == 0x0310200B else prefix.replace(" ", "\t", 1) + "; " + full
    if shown != wanted:
        fail(f"{shown!r} is shown for {wanted!r}")
    for text in (shown, prefix + "; vadd.vv v8, v1, v8"):
        done = subprocess.run([CY, "as", "--march", "ventus-gen2", "-o", f"{TMP}/full.o", "-"], input=text + "\n", text=True,
                              capture_output=True)
        if done.returncode or bytes_of(f"{TMP}/full.o") != struct.pack("<2I", word, 0x02140457):
            fail(text, done.stderr, bytes_of(f"{TMP}/full.o").hex())

# A line for every word: no alias that the prefix makes untrue; bits that EpicGPU ignores are shown, and kept.
for march, hexadecimal, wanted in (
        ("ventus", ("0080200b", "262110d7"), "vfsgnjn.vv\tv1, v2, v2"), ("ventus", ("0480200b", "262110d7"), "vfneg.v\tv1, v2"),
        ("ventus", ("0090200b", "262110d7"), "vfsgnjn.vv\tv1, v2, v2"), ("ventus", ("00000013", "262110d7"), "vfneg.v\tv1, v2"),
        ("ventus", ("0080200b", "0e2040d7"), "vrsub.vx\tv1, v2, zero"), ("epic", ("f0001c00",), "exit # unused bits 0x10000000"),
        ("epic", ("f0001805",), "sync # unused bits 0x10000005"), ("epic", ("fffe0c20",), "ret\tr1 # unused bits 0x1ffe0000"),
        ("epic", ("e0001c00",), "exit"), ("epic", ("101f8c20",), None), ("epic", ("10ff8020",), None)):
    listing = subprocess.run([CY, "dis", "--march", march, "--raw", "--hex", *hexadecimal], capture_output=True, text=True,
                             check=True).stdout
    shown = listing.splitlines()[-1].split("\t", 1)[1]
    if wanted is not None and shown != wanted:
        fail(march, hexadecimal, f"is shown as {shown!r}, not {wanted!r}")
    done = subprocess.run([CY, "as", "--march", march, "-o", f"{TMP}/raw.o", "-"], input="x.o:\tfile format elf32-x\n\nDisassembly of "
                          "section .text:\n\n" + listing, capture_output=True, text=True)
    if done.returncode or bytes_of(f"{TMP}/raw.o") != b"".join(struct.pack("<I", int(word, 16)) for word in hexadecimal):
        fail(march, hexadecimal, done.stderr or bytes_of(f"{TMP}/raw.o").hex())

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
