"""docs/replay.md describes every key of launch.toml as record_fields.def has it, in its order, and no others."""
import os
import re
import sys

ROOT = os.environ["CY_SOURCE"]
VALUES = {"U32": "number", "U64": "number", "BOOL": "true, false", "TEXT": "text", "TRIPLE": "[x, y, z]", "BYTES": "text"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def heading(table):
    return "" if not table else f"`[[{table}]]`" if table in ("argument", "memory") else f"`[{table}]`"


ROW = re.compile(r'^(?:REQUIRED|RECORD)_FIELD\("([^"]*)",\s*"([^"]+)",\s*(\w+),\s*\w+,\s*[\w.]+,\s*"([^"]*)"\)', re.M)
source = read("src/gpu/replay/record_fields.def")
wanted = [(heading(table), f"`{key}`", VALUES[kind], text) for table, key, kind, text in ROW.findall(source)]
lines = len(re.findall(r"^(?:REQUIRED|RECORD)_FIELD", source, re.M))
section = read("docs/replay.md").split("### launch.toml")[1]
found = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in section.splitlines() if line.startswith("|")][2:]
missing = [row for row in wanted if row not in found] + [row for row in found if row not in wanted]
for row in missing:
    print("docs/replay.md and record_fields.def differ:", row)
if found != wanted and not missing:
    print("the order differs")
print(len(wanted), "keys")
sys.exit(found != wanted or len(wanted) != lines or not lines)
