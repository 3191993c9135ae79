#!/usr/bin/env python3
"""Compares the tables with custom.golden, which was written from the specification: no custom row may differ or be
missing on either side, and the pairs of words and text there are what `cy as` and the printer make of each other."""
import os
import subprocess
import sys

import tables
from cyas import assemble
from tables import EPIC, FPGA, GEN1, GEN2

GOLDEN = os.path.join(os.path.dirname(__file__), "custom.golden")
SETS = {"1": GEN1, "2": GEN2, "E": EPIC, "F": FPGA}
# Standard RISC-V is llvm_oracle.py's: 32-bit encodings outside of custom-0 .. custom-3.
CUSTOM_OPCODES = {0x0B, 0x2B, 0x5B, 0x7B}
failures = 0


def fail(text):
    global failures
    failures += 1
    print(text)


def is_custom(row):
    return row.gens & (EPIC | FPGA) or row.match & 3 != 3 or row.match & 0x7F in CUSTOM_OPCODES


def read_golden():
    rows, texts = {}, []
    with open(GOLDEN, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0] == "#":
                continue
            if words[0] == "row":
                gens = sum(SETS[letter] for letter in words[1])
                rows[words[2], bool(gens & (EPIC | FPGA))] = gens, int(words[3], 16), int(words[4], 16)
            elif words[0] in ("text", "as"):
                count = next(i for i, word in enumerate(words[2:]) if len(word) != 8 or not is_hex(word))
                texts.append((number, words[0] == "text", words[1], [int(word, 16) for word in words[2:2 + count]],
                              " ".join(words[2 + count:])))
            else:
                sys.exit(f"{GOLDEN}:{number}: unknown line")
    return rows, texts


def is_hex(word):
    return all(digit in "0123456789abcdef" for digit in word)


def compare_rows(golden):
    table = {(row.mnemonic, bool(row.gens & (EPIC | FPGA))): row for row in tables.rows() if is_custom(row)}
    for key in golden.keys() | table.keys():
        row = table.get(key)
        if row is None:
            fail(f"{key[0]}: in the golden file, not in the tables")
        elif key not in golden:
            fail(f"{key[0]}: in the tables, not in the golden file")
        elif golden[key] != (row.gens, row.match, row.mask):
            gens, match, mask = golden[key]
            fail(f"{key[0]}: sets {gens}, match {match:#010x}, mask {mask:#010x} expected; "
                 f"the table has {row.gens}, {row.match:#010x}, {row.mask:#010x}")
    return len(table)


def words_to_text(target, lines):
    done = subprocess.run([tables.DUMP, "lines", target], input="".join(line + "\n" for line in lines).encode(),
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().replace("\t", " ").splitlines()


def with_distance(text):
    """The code is at 0: the target of a branch, as a number, is its distance."""
    head, _, number = text.rpartition(" 0x")
    return head + " " + str(int(number, 16) - (int(number, 16) >> 31 << 32)) if number and head else text


def compare_texts(target, texts):
    got = words_to_text(target, [" ".join(f"{word:08x}" for word in words) for _, _, _, words, _ in texts])
    for (number, printed, _, _, text), line in zip(texts, got):
        if printed and line != text:
            fail(f"custom.golden:{number}: prints as: {line}")
    expected = [word for _, _, _, words, _ in texts for word in words]
    assembled = assemble([with_distance(text) for _, _, _, _, text in texts], target)
    at = 0
    for number, _, _, words, _ in texts:
        if assembled[at:at + len(words)] != words:
            fail(f"custom.golden:{number}: assembles to " + " ".join(f"{word:08x}" for word in assembled[at:at + len(words)]))
        at += len(words)
    if len(assembled) != len(expected):
        fail(f"{target}: {len(assembled)} words assembled, {len(expected)} expected")


def main():
    rows, texts = read_golden()
    print(f"{compare_rows(rows)} custom rows")
    for target in ("ventus", "ventus-gen2", "epic"):
        chosen = [entry for entry in texts if entry[2] == target]
        compare_texts(target, chosen)
        print(f"{target}: {len(chosen)} pairs of words and text")
    if failures:
        sys.exit(f"{failures} differences")


main()
