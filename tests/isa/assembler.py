#!/usr/bin/env python3
"""`cy as` assembles everything the tables print to the same words: every row of every instruction set over its operand space,
with and without aliases, and instructions whose registers and immediates need a prefix.

(That the printed text is the right one is shown elsewhere: llvm_oracle.py, custom.golden.)
"""
import sys

import tables
from cyas import assemble
from llvm import run
from tables import EPIC, FPGA, GEN1, GEN2, HEX, NO_ALIASES, NUMERIC

TARGETS = {"ventus": GEN1, "ventus-gen2": GEN2, "epic": EPIC, "epic-fpga": FPGA}
PREFIX_FORMATS = {"PREFIX", "PREM", "PRE"}
ENDPRG = 0x0000400B
failures = 0


def fail(*lines):
    global failures
    failures += 1
    if failures <= 20:
        print(*lines, sep="\n    ")


def is_refused(row, word):
    """Words that decode and are still no valid source: a write to one of EpicGPU's read-only registers."""
    rd = row.field("erd")
    return rd is not None and word & 31 in (0, 2, 3)


def compare(march, lines, expected):
    """lines[i] must become the words expected[i]."""
    words = assemble(lines, march)
    if len(words) != sum(map(len, expected)):
        sys.exit(f"cy as -march={march}: {len(words)} words instead of {sum(map(len, expected))}")
    at = 0
    for line, wanted in zip(lines, expected):
        got = words[at:at + len(wanted)]
        at += len(wanted)
        if got != wanted:
            fail(f"{march}: {line}", "expected: " + " ".join(f"{word:08x}" for word in wanted),
                 "cy as:    " + " ".join(f"{word:08x}" for word in got))


def behind_prefix(row):
    """What has to follow a row so that it is a program: a prefix needs an instruction, here one without operands."""
    return (["endprg"], [[ENDPRG]]) if row.format in PREFIX_FORMATS else ([], [])


def check_rows(march):
    samples = [(row, word) for row in tables.rows() if row.gens & TARGETS[march] for word in tables.space(row)
               if not is_refused(row, word)]
    texts = tables.text([word for _, word in samples], march)
    samples = [sample for sample, text in zip(samples, texts) if text]  # others: reserved operand values
    for flags in (0, NO_ALIASES | NUMERIC | HEX):
        lines, expected = [], []
        for (row, word), line in zip(samples, tables.text([word for _, word in samples], march, flags, step=0)):
            more_lines, more_words = behind_prefix(row)
            lines += [tables.with_distance(row, line)] + more_lines
            expected += [[word]] + more_words
        compare(march, lines, expected)
    print(f"{march}: {len({row.id for row, _ in samples})} rows, {len(samples)} words")


def check_prefixed(march):
    """Instructions that need a prefix: it is added without being written."""
    rows = {row.id: row for row in tables.rows()}
    lines, expected, prefixed = [], [], 0
    for line in run([tables.DUMP, "random", march, "40"]).decode().splitlines():
        prefix, word, name, text = line.split("\t", 3)
        more_lines, more_words = behind_prefix(rows[name])
        lines += [tables.with_distance(rows[name], text)] + more_lines
        expected += [[int(prefix, 16)] * (prefix != "00000000") + [int(word, 16)]] + more_words
        prefixed += prefix != "00000000"
    compare(march, lines, expected)
    print(f"{march}: {prefixed} random instructions with a prefix")
    if not prefixed:
        fail(f"{march}: no instruction had a prefix")


def main():
    for march in TARGETS:
        check_rows(march)
    check_prefixed("ventus")
    check_prefixed("ventus-gen2")
    if failures:
        sys.exit(f"{failures} differences")


main()
