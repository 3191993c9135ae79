#!/usr/bin/env python3
"""Standard sources through our assembler and llvm-mc-19: sections, relocations and symbols must be the same.

  same.py FILE.s...            assembles and compares
  same.py --clang FILE.c...    compiles with clang-19 for riscv32 first, at several optimisation levels
A line "# oracle: gas" in a source takes riscv64-unknown-elf-as.  That leaves relocations, with the distance put in as
well, where we only put in the distance; and puts something into places that are relocated: so words with relocations
are only compared in their opcode."""
import difflib
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elf

TMP = os.environ["CY_TMP"]
CY = os.environ["CY"]
HERE = os.path.dirname(os.path.abspath(__file__))
# DWARF that llvm-mc leaves to the linker where we know the distances already
DEBUG = {".debug_info", ".debug_loclists", ".debug_rnglists"}
# llvm-mc makes these from .loc, .cfi, .ident and .addrsig, which we ignore
IGNORED = {".eh_frame", ".debug_frame", ".debug_line", ".comment", ".llvm_addrsig", ".debug_line_str"}
failures = 0


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def fail(name, text):
    global failures
    failures += 1
    print("%s: FAILED\n%s" % (name, text))


def against_gas(ours, theirs):
    lines = []
    theirs = elf.Object(theirs)
    ours = elf.Object(ours)
    for obj in (ours, theirs):
        lines.append([])
        for section in theirs.sections:
            mine = obj.section(section["name"])
            if not section["flags"] & 2 or not section["size"]:
                continue
            relocated = {r[0] // 4 for r in section["relocs"]}
            data = mine["data"] if mine else b""
            for i in range(0, len(data), 4):
                word = int.from_bytes(data[i:i + 4], "little")
                lines[-1].append("%s+%x %08x" % (section["name"], i, word & 0x7f if i // 4 in relocated else word))
        lines[-1] += [elf.reloc_text(r) for s in ours.sections for r in s["relocs"] if obj is ours]
    known = {elf.reloc_text(r) for s in theirs.sections for r in s["relocs"]}
    lines[1] += [t for t in lines[0] if "type" in t and t in known]  # every relocation of ours is one of theirs
    return lines


def compare(name, source, oracle="llvm", ignored=IGNORED):
    ours, theirs = os.path.join(TMP, name + ".cy.o"), os.path.join(TMP, name + ".oracle.o")
    here = os.path.join(HERE, "same")
    result = run(CY, "as", "-I", here, "-o", ours, source)
    if result.returncode:
        return fail(name, result.stderr)
    if oracle == "llvm":
        command = ["llvm-mc-19", "-triple=riscv32", "-mattr=+m,+zve32x,+zicsr,+zfinx", "-I", here, "-filetype=obj",
                   "-o", theirs, source]
    else:
        command = ["riscv64-unknown-elf-as", "-march=rv32imv", "-mabi=ilp32", "-mno-relax", "-I", here, "-o", theirs,
                   source]
    result = run(*command)
    if result.returncode:
        return fail(name, "the oracle does not take it:\n" + result.stderr)
    if oracle == "llvm":
        a, b = elf.summary(ours, ignored), elf.summary(theirs, ignored)
    else:
        a, b = against_gas(ours, theirs)
    if a != b:
        fail(name, "\n".join(difflib.unified_diff(b, a, oracle, "cy as", lineterm="", n=2)))


def clang(path):
    name = os.path.splitext(os.path.basename(path))[0]
    for options in (["-O0"], ["-O1", "-g"], ["-O2", "-ffunction-sections", "-fdata-sections"], ["-Os", "-fPIC"]):
        label = name + "".join(options)
        assembly = os.path.join(TMP, label + ".s")
        result = run("clang-19", "--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32", "-mno-relax",
                     "-ffreestanding", "-fno-addrsig", *options, "-S", "-o", assembly, path)
        if result.returncode:
            fail(label, result.stderr)
        else:
            compare(label, assembly, ignored=IGNORED | DEBUG)


def main():
    files = sys.argv[1:]
    if files and files[0] == "--clang":
        for path in files[1:]:
            clang(path)
    else:
        for path in files:
            text = open(path).read()
            oracle = "gas" if "# oracle: gas" in text else "llvm"
            compare(os.path.splitext(os.path.basename(path))[0], path, oracle)
    print("%d files, %d failures" % (len(files), failures))
    return 1 if failures or not files else 0


sys.exit(main())
