#!/usr/bin/env python3
"""Random programs with branches near and far, data, sections and expressions: our object against llvm-mc-19's."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elf

TMP, CY = os.environ["CY_TMP"], os.environ["CY"]
REGISTERS = ["zero", "ra", "sp", "t0", "t1", "s0", "s1", "a0", "a1", "a7", "s11", "t6", "x5", "x31"]


def program(r):
    x = lambda: r.choice(REGISTERS)
    v = lambda: "v%d" % r.randrange(32)
    imm = lambda: r.choice(["%d", "%#x"]) % r.randrange(2048) if r.random() < .7 else str(-r.randrange(1, 2049))
    labels = ["fn%d" % i for i in range(r.randrange(2, 9))]
    data = ["dat%d" % i for i in range(r.randrange(1, 4))]
    lines = [" .data"]
    for name in data:
        lines += [" .p2align %d" % r.randrange(4), "%s:" % name]
        for _ in range(r.randrange(4)):
            lines.append(r.choice([
                " .word %d, %s" % (r.randrange(1 << 32), r.choice(labels + data)),
                " .half %d" % r.randrange(-32768, 65536), " .byte %d, 'x'" % r.randrange(256),
                " .asciz \"%s\"" % "".join(r.choice("ab\\nc ;#") for _ in range(5)).replace("\\", "\\\\"),
                " .float %r" % r.uniform(-1e6, 1e6), " .double %r" % (r.random() * 10 ** r.randrange(-300, 300)),
                " .zero %d" % r.randrange(20), " .fill %d, %d, %d" % (r.randrange(5), r.choice([1, 2, 4]), r.randrange(256)),
                " .word %d %s %d %s (%d %s %d)" % (r.randrange(99), r.choice("+-*|&^"), r.randrange(99),
                                                   r.choice(["+", "==", "<", "&&", "||", "*"]), r.randrange(20),
                                                   r.choice("+-*/%"), r.randrange(1, 20)),
                " .word %d << %d, %d >> %d" % (r.randrange(99), r.randrange(25), r.randrange(1 << 32), r.randrange(40))]))
    lines.append(" .text")
    for name in labels:
        lines.append(name + ":")
        for _ in range(r.randrange(2, 12)):
            near = r.choice(labels)
            lines.append(r.choice([
                " %s %s, %s, %s" % (r.choice(["add", "sub", "mul", "sltu", "xor"]), x(), x(), x()),
                " %s %s, %s, %s" % (r.choice(["addi", "andi", "xori"]), x(), x(), imm()),
                " %s %s, %s, %d" % (r.choice(["slli", "srai"]), x(), x(), r.randrange(32)),
                " %s %s, %s(%s)" % (r.choice(["lw", "lbu", "sw", "sh"]), x(), imm(), x()),
                " %s %s, %s, %s" % (r.choice(["beq", "bne", "blt", "bgeu", "bgt", "bleu"]), x(), x(), near),
                " %s %s, %s" % (r.choice(["beqz", "bnez", "blez"]), x(), near),
                " j %s" % near, " jal %s" % near, " call %s" % near, " call outside",
                " la %s, %s" % (r.choice(REGISTERS[1:]), r.choice(labels + data)),
                " lui %s, %%hi(%s + %d)" % (x(), r.choice(data), r.randrange(5000)),
                " addi %s, %s, %%lo(%s)" % (x(), x(), r.choice(data)),
                " sw %s, %%lo(%s)(%s)" % (x(), r.choice(data), x()),
                " li %s, %d" % (x(), r.choice([r.randrange(-2048, 2047), r.randrange(1 << 20, 1 << 31) | 1])),
                " %s %s, %s, %s" % (r.choice(["vadd.vv", "vxor.vv", "vmslt.vv"]), v(), v(), v()),
                " vadd.vx %s, %s, %s, v0.t" % (v(), v(), x()),
                " .rept %d; nop; .endr" % r.randrange(4), " .p2align %d" % r.randrange(2, 5),
                " .space %d" % (4 * r.choice([1, 500, 1000, 1023, 1024, 30000])), "1: bnez a0, 1b", " beqz a0, 2f\n2:"]))
    # vector compares must not write their own mask or overlap: llvm-mc checks some of that
    return "\n".join(line for line in lines if ", v0.t" not in line or not line.startswith(" vadd.vx v0,")) + "\n"


def main():
    count, failures = 50, 0
    for seed in range(count):
        source = os.path.join(TMP, "p%d.s" % seed)
        open(source, "w").write(program(random.Random(seed)))
        ours, theirs = source[:-2] + ".o", source[:-2] + ".llvm.o"
        a = subprocess.run([CY, "as", "-o", ours, source], capture_output=True, text=True)
        b = subprocess.run(["llvm-mc-19", "-triple=riscv32", "-mattr=+m,+zve32x", "-filetype=obj", "-o", theirs, source],
                           capture_output=True, text=True)
        if a.returncode or b.returncode:
            failures += 1
            print("program %d: ours %s theirs %s" % (seed, a.stderr or "ok", b.stderr or "ok"))
        elif elf.summary(ours) != elf.summary(theirs):
            failures += 1
            difference = set(elf.summary(ours)) ^ set(elf.summary(theirs))
            print("program %d differs: %s" % (seed, source), *sorted(difference)[:6], sep="\n  ")
        else:
            for path in (source, ours, theirs):
                os.remove(path)
    print("%d programs, %d failures" % (count, failures))
    return 1 if failures else 0


sys.exit(main())
