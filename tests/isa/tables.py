"""The instruction tables as the scripts see them, through isa_dump."""
import itertools
import os
import random
import subprocess

from llvm import TMP, run, write_words

DUMP = os.path.join(os.environ["CY_BUILD"], "tests", "isa_dump")
GEN1, GEN2, EPIC, FPGA = 1, 2, 4, 8
NO_ALIASES, NUMERIC, HEX = 1, 2, 8  # enum cy_print_flags


class Field:
    def __init__(self, text):
        self.name, self.kind, bits, *pieces = text.split(":")
        self.bits = int(bits)
        self.pieces = [tuple(map(int, piece.split(","))) for piece in pieces]
        self.step = 1 << min(value_lsb for _, _, value_lsb in self.pieces)

    def insert(self, word, value):
        for lsb, width, value_lsb in self.pieces:
            ones = (1 << width) - 1
            word = word & ~(ones << lsb) | (value >> value_lsb & ones) << lsb
        return word

    def mask(self):
        return self.insert(0, (1 << self.bits) - 1)


class Row:
    def __init__(self, line):
        self.id, self.mnemonic, match, mask, gens, self.format, self.syntax, fields = line.split("\t")
        self.match, self.mask, self.gens = int(match, 16), int(mask, 16), int(gens)
        self.fields = [Field(text) for text in fields.split()]

    def field(self, name):
        return next((field for field in self.fields if field.name == name), None)


def rows():
    return [Row(line) for line in run([DUMP, "rows"]).decode().splitlines()]


def csrs():
    pairs = (line.split("\t") for line in run([DUMP, "csrs"]).decode().splitlines())
    return {int(number, 16): name for number, name in pairs}


def text(words, target, flags=0, step=4):
    """What cy_print writes for each word at 0, step, 2 * step ..., None where it does not decode."""
    path = os.path.join(TMP, "words.bin")
    write_words(path, words)
    with open(path, "rb") as file:
        done = subprocess.run([DUMP, "text", target, str(flags), str(step)], stdin=file, stdout=subprocess.PIPE, check=True)
    return [None if line.startswith(".word") else line for line in done.stdout.decode().splitlines()]


def with_distance(row, line):
    """A line printed at address 0, the target of a branch as a signed distance, as assemblers take numbers there."""
    if not any(field.kind == "PCREL" for field in row.fields):
        return line
    head, number = line.rsplit("0x", 1)
    value = int(number, 16)
    return head + str(value - (1 << 32) if value >> 31 else value)


# ---- the operand space of a row ----

def values_of(row, field):
    """Every value of a small field, and of vtype and (in two rows) the CSR number; edges of the others."""
    if field.bits <= 5 or field.kind == "VTYPE" or (field.kind == "CSR" and row.id in ("csrrs", "csrrwi")):
        return range(1 << field.bits)
    edges = {0, 1, -1, 2, -2, 255, (1 << field.bits) - field.step}
    for bit in range(field.bits):
        edges |= {1 << bit, -(1 << bit), (1 << bit) - field.step, (1 << bit) + field.step}
    return sorted({value & ((1 << field.bits) - field.step) for value in edges})


def special_values(field):
    if field.kind in ("XREG", "XNUM", "VREG"):
        return (0, 1, 5)
    if field.kind == "CSR":
        return (1, 2, 3, 0x80C, 0xC00, 0xC01, 0xC02, 0xC80, 0xC81, 0xC82)
    return (0, 1, (1 << field.bits) - field.step, 255 & ((1 << field.bits) - field.step))


def space(row):
    """Words of a row."""
    chance = random.Random(row.id)

    def word_with(chosen):
        word = row.match
        for field in row.fields:
            value = chosen.get(field.name)
            word = field.insert(word, chance.getrandbits(field.bits) if value is None else value)
        return word

    words = {word_with({field.name: value}) for field in row.fields for value in values_of(row, field)}
    combinations = list(itertools.product(*(special_values(field) for field in row.fields)))
    for combination in chance.sample(combinations, min(400, len(combinations))):
        words.add(word_with(dict(zip((field.name for field in row.fields), combination))))
    words |= {word_with({}) for _ in range(20)} if row.fields else {row.match}
    return sorted(words)
