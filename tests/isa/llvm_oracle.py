#!/usr/bin/env python3
"""Every standard row of the tables agrees with LLVM 19, in both directions.

For each row, words over its operand space (every value of each field, others random; and combinations of the values that
aliases look for):
    our text   == llvm-objdump's text of the word, decimal and hexadecimal, with and without aliases, ABI and numeric names
    llvm-mc    makes our word of our text
Then random words: what LLVM takes for an instruction of these extensions and we do not (or the other way round) must be
in the lists below, with the reason.

Custom rows have no foreign oracle: custom.golden compares them with the specification.  That `cy as` takes what is
printed here is shown by assembler.py.
"""
import itertools
import random
import re
import sys

import llvm
import tables
from tables import GEN1, HEX, NO_ALIASES, NUMERIC, space

# Opcodes (bits 6:0) of Ventus' own instructions: custom-0 .. custom-3; the prefixes of gen2 do not end in 11.
CUSTOM_OPCODES = {0x0B, 0x2B, 0x5B, 0x7B}
LOAD_FP, STORE_FP, OP_V, OP_FP = 0x07, 0x27, 0x57, 0x53

# LLVM's triple and features for a group of rows.  Its vector extension has scalar operands in f registers
# and cannot be combined with zfinx; ours are x registers of the same number.
CONFIGS = {
    "scalar": ("riscv32", "+m,+a,+zfinx"),
    "vector": ("riscv32", "+m,+a,+f,+v"),
    "pairs": ("riscv64", "+m,+a"),
}

# Words that llvm-mc does not assemble though llvm-objdump decodes them.  Here lanes are independent, and a register
# that is read and written in the same instruction is read first: there is nothing to forbid.
REFUSED = (
    "the destination vector register group cannot overlap the mask register",
    "the destination vector register group cannot overlap the source vector register group",
    "the destination vector register group cannot be V0",
)

# What LLVM decodes with these features and we leave out: pattern of its text, reason.  Each must be met.
LEFT_OUT = (
    (r"ecall|ebreak", "no environment to call: illegal instruction"),
    (r"[msd]ret|wfi|sfence\.vma.*", "no privileged mode"),
    (r"fence\.i", "not part of RV32I; running code does not write instructions"),
    (r"s(ll|rl|ra)i\t.*, 0x[23][0-9a-f]", "RV32 has shift amounts below 32; LLVM decodes the reserved ones"),
    (r"f[ls]d\t.*", "no D extension; LLVM's vector extension implies it"),
    (r"lwu\t.*|(mul|divu?|remu?)w\t.*", "not in gen2's subset of RV64"),
    (r"v[ls]s?seg.*|v[ls][uo]xseg.*", "segment loads and stores"),
    (r"vle\d+ff\.v\t.*", "fault-only-first loads"),
    (r"vf?w?red.*", "reductions work across lanes"),
    (r"vrgather.*|vcompress.*|vf?slide.*", "moves between lanes"),
    (r"(viota|vcpop|vfirst|vms[bio]f)\.m\t.*", "counts and searches across lanes"),
    (r"vn(srl|sra|clipu?|cvt)\..*|vfncvt\..*", "narrowing"),
)

# Aliases that LLVM prints and we do not.
NOT_PRINTED = {
    "sext.w": "addiw of gen2 adds 64-bit pairs: with 0 it is a move, not an extension",
    "negw": "subw of gen2 subtracts 64-bit pairs; the name says a 32-bit result",
}

ABI = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
       "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()
FLOAT_ABI = ([f"ft{i}" for i in range(8)] + ["fs0", "fs1"] + [f"fa{i}" for i in range(8)] +
             [f"fs{i}" for i in range(2, 12)] + [f"ft{i}" for i in range(8, 12)])
NUMBER = {name: i for i, name in enumerate(ABI)} | {f"x{i}": i for i in range(32)}
FLOAT_NUMBER = {name: i for i, name in enumerate(FLOAT_ABI)} | {f"f{i}": i for i in range(32)}
RPC = re.compile(r"\b(2060|0x80c)\b")  # the one register of Ventus whose name its own LLVM prints
WORD = re.compile(r"\b[a-z]+\d*\b")

failures = {}
left_out = {}  # reason: mnemonics met


def fail(what, *lines):
    """Counts a difference; the first two of each row or kind are shown."""
    failures[what] = failures.get(what, 0) + 1
    if failures[what] <= 2:
        print(what, *lines, sep="\n    ")


# ---- rows ----

def is_standard(row):
    return row.gens & 3 and row.match & 3 == 3 and row.match & 0x7F not in CUSTOM_OPCODES


def config_of(row):
    opcode, funct3 = row.match & 0x7F, row.match >> 12 & 7
    if opcode in (LOAD_FP, STORE_FP, OP_V) or row.id.startswith("fmv_"):
        return "vector"
    if not row.gens & GEN1:
        return "pairs"
    return "scalar"


def is_atomic(row):
    return row.match & 0x7F == 0x2F


def float_field(row):
    """The operand that LLVM's vector or F extension has in an f register."""
    if row.id in ("flw", "fmv_w_x", "vfmv_f_s"):
        return "rd"
    if row.id == "fsw":
        return "rs2"
    opcode, funct3 = row.match & 0x7F, row.match >> 12 & 7
    return "rs1" if row.id == "fmv_x_w" or (opcode == OP_V and funct3 == 5) else None


# ---- our spelling and LLVM's ----

def from_llvm(text, atomic=False):
    """LLVM's text with our registers: x for f, v for the x registers of atomics, the name of RPC."""
    def name(match):
        word = match.group()
        if word in FLOAT_NUMBER:
            number = FLOAT_NUMBER[word]
            return f"x{number}" if word == f"f{number}" else ABI[number]
        return f"v{NUMBER[word]}" if atomic and word in NUMBER else word

    mnemonic, tab, operands = text.partition("\t")
    if mnemonic.startswith("csr"):
        operands = RPC.sub("rpc", operands)
    return mnemonic + tab + WORD.sub(name, operands)


def to_llvm(row, word, text):
    """Our text of a word (at pc 0) as llvm-mc takes it: f registers, x in atomics, branch distances."""
    if is_atomic(row):
        return re.sub(r"\bv(\d+)\b", r"x\1", text)
    if row.field("csr"):
        return re.sub(r"\brpc\b", "2060", text)
    name = float_field(row)
    if name:
        (lsb, _, _), = row.field(name).pieces
        mnemonic, tab, operands = text.partition("\t")
        position = re.findall(r"\w+", row.syntax).index(name)
        words = re.split(r"(\w+)", operands)
        words[2 * position + 1] = f"f{word >> lsb & 31}"
        return mnemonic + tab + "".join(words)
    return tables.with_distance(row, text)


# ---- the comparisons ----

def compare_text(config, target, samples):
    triple, features = CONFIGS[config]
    words = [word for _, word in samples]
    for no_aliases, numeric, hexadecimal in itertools.product((False, True), repeat=3):
        options = ["-M", "no-aliases"] * no_aliases + ["-M", "numeric"] * numeric
        options += ["--no-print-imm-hex"] * (not hexadecimal)
        flags = NO_ALIASES * no_aliases | NUMERIC * numeric | HEX * hexadecimal
        theirs = llvm.disassemble(words, triple, features, *options)
        ours = tables.text(words, target, flags)
        for (row, word), their, our in zip(samples, theirs, ours):
            if their and their.split("\t")[0] in NOT_PRINTED:
                continue
            if (their and from_llvm(their, is_atomic(row))) != our:
                fail(row.id, f"{word:#010x} {' '.join(options)}", f"llvm-objdump: {their}", f"ours:         {our}")


def compare_words(config, target, samples):
    triple, features = CONFIGS[config]
    decoded = [text is not None for text in tables.text([word for _, word in samples], target)]
    missing = {row.id for row, _ in samples} - {row.id for (row, _), known in zip(samples, decoded) if known}
    if missing:
        fail("no word decodes", *missing)
    samples = [sample for sample, known in zip(samples, decoded) if known]  # others: reserved operand values
    for flags in (0, NO_ALIASES | NUMERIC | HEX):
        lines = tables.text([word for _, word in samples], target, flags, step=0)
        lines = [to_llvm(row, word, line) for (row, word), line in zip(samples, lines)]
        theirs, refused = llvm.assemble(lines, triple, features)
        for (row, word), line, their, index in zip(samples, lines, theirs, itertools.count()):
            if their is None and refused[index] not in REFUSED:
                fail(row.id, f"{word:#010x} {line}", f"llvm-mc: {refused[index]}")
            elif their is not None and their != word:
                fail(row.id, f"{word:#010x} {line}", f"llvm-mc: {their:#010x}")


def compare_rows():
    groups = {}
    for row in tables.rows():
        if is_standard(row):
            key = config_of(row), "ventus" if row.gens & GEN1 else "ventus-gen2"
            groups.setdefault(key, []).extend((row, word) for word in space(row))
    for (config, target), samples in groups.items():
        print(f"{config}, {target}: {len({row.id for row, _ in samples})} rows, {len(samples)} words")
        compare_text(config, target, samples)
        compare_words(config, target, samples)


OPCODES = {
    "scalar": (0x03, 0x0F, 0x13, 0x17, 0x23, 0x2F, 0x33, 0x37, 0x43, 0x47, 0x4B, 0x4F, 0x53, 0x63, 0x67, 0x6F, 0x73),
    "vector": (0x07, 0x27, 0x57, 0x57, 0x57, 0x57),
    "pairs": (0x03, 0x1B, 0x23, 0x2F, 0x3B),
}


def random_words(config):
    """Random words with the opcodes of standard instructions; those without operands are searched through."""
    chance = random.Random(19)
    for _ in range(150000):
        yield chance.getrandbits(32) & ~0x7F | chance.choice(OPCODES[config])
    if config == "scalar":
        for upper in range(1 << 12):
            yield upper << 20 | 0x73
            yield upper << 20 | 0x0F
            yield upper << 20 | 0x100F


def compare_random(config, target):
    triple, features = CONFIGS[config]
    words = list(random_words(config))
    known = 0
    for word, their, our in zip(words, llvm.disassemble(words, triple, features), tables.text(words, target, HEX)):
        if their is None and our is None:
            continue
        if their is None:
            fail("only we decode it", f"{word:#010x} {our}")
        elif our is None:
            mnemonic = their.split("\t")[0]
            reasons = [reason for pattern, reason in LEFT_OUT if re.fullmatch(pattern, their)]
            if not reasons:
                fail("only LLVM decodes " + mnemonic, f"{word:#010x} {their}")
            for reason in reasons:
                left_out.setdefault(reason, set()).add(mnemonic)
        elif their.split("\t")[0] not in NOT_PRINTED and from_llvm(their, word & 0x7F == 0x2F) != our:
            fail("different", f"{word:#010x}", f"llvm-objdump: {their}", f"ours:         {our}")
        else:
            known += 1
    print(f"{config}, {target}: {known} random words decode alike")


def main():
    compare_rows()
    compare_random("scalar", "ventus")
    compare_random("vector", "ventus-gen2")
    compare_random("pairs", "ventus-gen2")
    for _, reason in LEFT_OUT:
        print(f"left out: {reason}: {len(left_out.get(reason, ()))} mnemonics")
        if reason not in left_out:
            fail("never met", reason)
    if failures:
        sys.exit(f"{sum(failures.values())} differences: " + ", ".join(failures))


main()
