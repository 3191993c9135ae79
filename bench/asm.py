#!/usr/bin/env python3
"""Assembler and disassembler throughput next to LLVM's, on one generated source in the same run.

    asm.py [LINES]                  1,000,000 lines when not given

The source uses what both assemblers know: RV32IM, Zicsr, vector instructions, labels and branches to them, data, aliases
and pseudo-instructions.  Both objects must hold the same code.  Each number is the best of three runs, output to a file.
Environment: CY, the tool (default build/bin/cy); CY_TMP, a scratch directory.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

CY = os.environ.get("CY", "build/bin/cy")
TRIPLE = ["--triple=riscv32", "--mattr=+m,+v"]
X = ["zero", "ra", "sp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "s2", "s3", "t3", "t4", "t5", "t6"]

# X: a scalar register, V: a vector register, I: 12 bits, S: 5 bits, U: 0 to 31, W: 32 bits, H: 20 bits, L: a label near by
FORMS = """
add X, X, X|addi X, X, I|lw X, I(X)|sw X, I(X)|mul X, X, X|lui X, H|slli X, X, U|mv X, X|li X, I|li X, W|csrr X, vl
bnez X, L|blt X, X, L|j L|vadd.vv V, V, V|vadd.vx V, V, X|vsll.vi V, V, U|vle32.v V, (X)|vse32.v V, (X)|vmv.v.x V, X
vfmul.vv V, V, V|vfmacc.vv V, V, V|vmslt.vx V, V, X|vsetvli X, X, e32, m1, ta, ma|vmul.vv V, V, V\t# a remark
vadd.vi V, V, S, v0.t
""".strip().replace("\n", "|").split("|")


def source(wanted):
    """Blocks of straight code with a label in front, branches to blocks near by, functions, some data."""
    chance = random.Random(1)
    operand = {
        "X": lambda: chance.choice(X), "V": lambda: f"v{chance.randrange(1, 32)}", "I": lambda: str(chance.randrange(-2048, 2048)),
        "S": lambda: str(chance.randrange(-16, 16)), "U": lambda: str(chance.randrange(32)), "W": lambda: hex(chance.getrandbits(32)),
        "H": lambda: hex(chance.getrandbits(20)), "L": lambda: f".L{block + chance.randrange(-2, 3) if block > 1 else block}"}
    letters, lines, block = re.compile(r"\b[XVISUWHL]\b"), ["\t.text"], 0
    while len(lines) < wanted:
        if block % 16 == 0:
            lines += [f"\t.globl\tf{block}", f"f{block}:"]
        lines.append(f".L{block}:")
        for _ in range(chance.randrange(8, 40)):
            form = letters.sub(lambda match: operand[match[0]](), chance.choice(FORMS))
            lines.append("\t" + form.replace(" ", "\t" if chance.random() < 0.5 else " ", 1))
        if block % 32 == 31:
            lines += ["\tret", "\t.data", "\t.word\t1, 2, 0xdeadbeef", "\t.asciz\t\"text\"", "\t.p2align\t2", "\t.text"]
        block += 1
    return lines + [f".L{block}:", f".L{block + 1}:", "\tret"]


def best_time(command, output=None):
    times = []
    for _ in range(3):
        with open(output or os.devnull, "wb") as out:
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=out)
            times.append(time.perf_counter() - start)
    return min(times)


def code_of(path):
    binary = path + ".bin"
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "--only-section=.text", path, binary], check=True)
    with open(binary, "rb") as file:
        return file.read()


def show(what, unit, count, ours, theirs, their_name):
    print(f"{what:<14} {'cy':>18} {their_name:>18}")
    print(f"  seconds      {ours:>18.3f} {theirs:>18.3f}")
    print(f"  {unit:<12} {count / ours / 1e6:>16.2f} M {count / theirs / 1e6:>16.2f} M")
    print(f"  cy is {theirs / ours:.1f} times as fast\n")


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    with tempfile.TemporaryDirectory(dir=os.environ.get("CY_TMP")) as scratch:
        path, ours, theirs, listing = (os.path.join(scratch, name) for name in ("a.s", "cy.o", "llvm.o", "a.txt"))
        lines = source(wanted)
        count = len(lines)
        with open(path, "w", encoding="ascii") as out:
            out.write("\n".join(lines) + "\n")
        print(f"{count} lines, {os.path.getsize(path) / 1e6:.1f} MB\n")
        cy_time = best_time([CY, "as", "-o", ours, path])
        mc_time = best_time(["llvm-mc-19", *TRIPLE, "--filetype=obj", "-o", theirs, path])
        if code_of(ours) != code_of(theirs):
            sys.exit("error: the two objects differ")
        show("assembler", "lines/s", count, cy_time, mc_time, "llvm-mc-19")
        words = len(code_of(ours)) // 4
        dis_time = best_time([CY, "dis", theirs], listing)
        dump_time = best_time(["llvm-objdump-19", "-d", "--mattr=+m,+v", theirs], listing)
        show("disassembler", "words/s", words, dis_time, dump_time, "llvm-objdump-19")


main()
