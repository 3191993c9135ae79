#!/usr/bin/env python3
"""Debug information: read by foreign tools, and by our own disassembler and machine, with the same results."""

import os
import re
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
SOURCE = """#include "twice.h"
__attribute__((noinline)) int get(global int *p, int i)
{
    return p[i];
}

kernel void first(global int *o, int n)
{
    int i = get_global_id(0), r = 0;
    for (int k = 0; k < n; k++)
        if (o[k] > i)
            r += get(o, k);
        else
            r ^= twice(k);
    o[i] = r;
}
kernel void second(global int *o)
{
    int i = get_global_id(0);
    o[i] = get(o, i == 5 ? 1 << 28 : i);
}
"""
HEADER = "inline int twice(int x)\n{\n    return x * 2 + 1;\n}\n"
FEATURES = "--mattr=+m,+a,+zve32f,+zfinx"
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, cwd=TMP)
    check(done.returncode == status, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def line_of(text):
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


def comments(text):
    """Source lines; files without their directory, which older tables do not have."""
    return [re.sub(r"^; /.*/", "; ", line) for line in text.splitlines() if line.startswith(";")]


def compare_listings(name):
    """Ours is llvm-objdump's, as far as source lines go."""
    ours = comments(run(CY, "dis", "-l", "-S", name))
    theirs = comments(run("llvm-objdump-19", "-d", "-l", "-S", FEATURES, name))
    check(len(ours) > 3 and ours == theirs, f"{name}: source lines\n" + "\n".join(ours) + "\nbut\n" + "\n".join(theirs))


def check_compiled(level):
    name = f"debug{level}.riscv"
    run(CY, "cc", "-g", level, "-o", name, "debug.cl")
    check("No errors." in run("llvm-dwarfdump-19", "--verify", name), f"{name}: llvm-dwarfdump")
    decoded = run("readelf", "--debug-dump=decodedline", name)
    check("Warning" not in decoded and "debug.cl" in decoded, f"{name}: readelf: {decoded}")
    lines = {int(n) for n in re.findall(r"^debug\.cl +(\d+) ", decoded, re.M)}
    for text in ("return p[i]", "if (o[k] > i)", "o[i] = r;", "kernel void second"):
        check(line_of(text) in lines, f"{name}: no code of the line with '{text}'")
    check("twice.h" in decoded, f"{name}: nothing of the header")
    gdb = run("gdb-multiarch", "-q", "-batch", "-ex", "list first", "-ex", "info line get", "-ex", "break second", name)
    check("9\t    int i = get_global_id(0), r = 0;" in gdb, f"{name}: gdb's list: {gdb}")
    check(f"Line {line_of('get(global')}" in gdb and re.search(r"debug\.cl, line (19|20)\.", gdb),
          f"{name}: gdb's lines: {gdb}")
    compare_listings(name)
    stripped = run("readelf", "-S", "--wide", name)
    check(".debug_line" in stripped and ".debug_info" in stripped, f"{name}: sections")
    fault = run(CY, "run", name, "--kernel", "second", "--global", "8", "--local", "8", "--arg", "buffer:i32:8", status=1)
    check(f"debug.cl:{line_of('return p[i]')}\n" in fault, f"{name}: the fault says: {fault}")


def check_foreign(version):
    """Tables that clang made, linked by us."""
    name = f"foreign{version}.riscv"
    run("clang-19", "--target=riscv32", "-march=rv32im", "-O1", f"-gdwarf-{version}", "-mno-relax", "-c", "foreign.c",
        "-o", "foreign.o")
    run(CY, "ld", "-o", name, "foreign.o")
    compare_listings(name)


def check_none():
    run(CY, "cc", "-o", "plain.riscv", "debug.cl")
    check(".debug" not in run("readelf", "-S", "--wide", "plain.riscv"), "debug information without -g")
    check(not comments(run(CY, "dis", "-S", "plain.riscv")), "lines without a table")
    check("\t# debug.cl:12:             r += get(o, k);\n" in run(CY, "cc", "-S", "-o", "-", "debug.cl"), "the assembly names no lines")


def main():
    for name, text in (("debug.cl", SOURCE), ("twice.h", HEADER)):
        with open(os.path.join(TMP, name), "w") as file:
            file.write(text)
    with open(os.path.join(TMP, "foreign.c"), "w") as file:
        file.write("int table[4];\n\nint look(int i)\n{\n    int r = 0;\n    for (int k = 0; k < i; k++)\n"
                   "        r += table[k & 3];\n    return r;\n}\n\nint both(int i)\n{\n    return look(i) * look(i + 1);\n}\n")
    for level in ("-O2", "-O0"):
        check_compiled(level)
    for version in (3, 4, 5):
        check_foreign(version)
    check_none()
    sys.exit(1 if failures else 0)


main()
