"""The rows of the instruction tables (src/isa/*.def), for random programs in assembly: which there are, what their operands are,
and which ones no program can have.

The list comes from the tables.  A row of a format that no maker knows is an error, so that a new one is either generated or
said not to be, with the reason.
"""
import os
import re
from dataclasses import dataclass

SOURCE = os.environ.get("CY_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
GENERATIONS = {"gen1": "GEN1", "gen2": "GEN2"}
MARCH = {"gen1": "ventus", "gen2": "ventus-gen2"}

ROW = re.compile(r'^(EXPR|HOOK)\((\w+),\s*"([^"]+)",\s*(\w+),\s*(0x\w+),\s*(\w+),\s*(\w+),\s*([\w|]+),\s*(.*)\)$')
FORMAT = re.compile(r'^FORMAT\((\w+),\s*(0x\w+),\s*"([^"]*)",\s*(\w+)\(([^)]*)\)\)$')
FIELD = re.compile(r'^FIELD\((\w+),\s*(\w+),\s*(\d+),\s*(\w+),')

# Rows that no program has.  Everything else must be generated (missing() below).
NOT_GENERATED = {}


@dataclass(frozen=True)
class Format:
    name: str
    operands: tuple     # names of fields, in the order of the assembler
    syntax: str
    loop: str           # SCALAR, LANES, MEMORY, OWN, JOINED
    shape: tuple        # of LANES: loop, evaluation, a, b, d


@dataclass(frozen=True)
class Row:
    mnemonic: str
    format: Format
    generations: str    # VENTUS, GEN1, GEN2
    flags: frozenset
    value: str
    is_expression: bool

    def is_in(self, generation):
        return self.generations in ("VENTUS", GENERATIONS[generation])


def read_formats():
    formats = {}
    for line in open(f"{SOURCE}/src/isa/formats.def"):
        match = FORMAT.match(line.strip())
        if match:
            name, _, syntax, loop, shape = match.groups()
            operands = tuple(word for word in re.findall(r"'?[a-z]\w*'?", syntax) if word not in ("'v0'",))
            formats[name] = Format(name, operands, syntax, loop, tuple(word.strip() for word in shape.split(",")))
    return formats


def read_rows():
    formats, rows = read_formats(), {}
    for name in ("rv32", "rvv", "ventus"):
        for line in open(f"{SOURCE}/src/isa/{name}.def"):
            match = ROW.match(line.strip())
            if match:
                kind, _, mnemonic, form, _, generations, _, flags, value = match.groups()
                rows[mnemonic] = Row(mnemonic, formats[form], generations, frozenset(flags.split("|")), value, kind == "EXPR")
            elif line.startswith(("EXPR", "HOOK")):
                raise SystemExit(f"{name}.def: a row that this does not understand: {line}")
    return rows


ROWS = read_rows()
FIELDS = {match[1]: (match[2], match[4]) for match in map(FIELD.match, open(f"{SOURCE}/src/isa/fields.def")) if match}


def rows_of(generation):
    return [row for row in ROWS.values() if row.is_in(generation)]
