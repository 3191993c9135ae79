"""The instruction tables as the scripts see them, through isa_dump."""
import os
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


def text(words, target, flags=0):
    """What cy_print writes for each word at 0, 4, 8 ..., None where it does not decode."""
    path = os.path.join(TMP, "words.bin")
    write_words(path, words)
    with open(path, "rb") as file:
        done = subprocess.run([DUMP, "text", target, str(flags)], stdin=file, stdout=subprocess.PIPE, check=True)
    return [None if line.startswith(".word") else line for line in done.stdout.decode().splitlines()]
