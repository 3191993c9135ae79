#!/usr/bin/env python3
"""docs/intrinsics.md is what <ventus.h> and the instruction table say; --update writes it anew.

Every row of the table that only Ventus has is in the header, or in OTHERS with the reason why not."""
import os
import re
import subprocess
import sys

source = os.environ["CY_SOURCE"]
cy = os.environ["CY"]
PAGE = os.path.join(source, "docs/intrinsics.md")

# Rows without an intrinsic: what C already has, or what belongs to the compiler.
OTHERS = [
    (r"vb(eq|ne|lt|ge|ltu|geu)|join|setrpc", "control flow is the compiler's: it keeps the SIMT stack balanced"),
    (r"regext|regpair|regpairi|prefix|prefixi", "the assembler and the compiler insert them; `%L0`, `%H0` and doubles use pairs"),
    (r"endprg", "the compiler ends kernels"),
    (r"vl(b|h|w|bu|hu)12\.v|vs(b|h|w)12\.v", "loads and stores of C"),
    (r"vl(b|h|bu|hu)\.v|vs(b|h)\.v", "loads and stores of private variables; by address, the word forms"),
    (r"vl(b|h|bu|hu)12d\.v|vs(b|h)12d\.v", "loads and stores of C; with a hint, the word forms"),
    (r"pre_m_(private_|local_|global_)?(32|64|96|128)", "spaces and widths of C's loads and stores"),
]


def rows():
    """The mnemonics of ventus.def."""
    text = open(os.path.join(source, "src/isa/ventus.def"), encoding="utf-8").read()
    return re.findall(r'^(?:EXPR|HOOK)\(\w+,\s*"([^"]+)"', text, re.M)


def meaning(name):
    for march in ("ventus", "ventus-gen2"):
        done = subprocess.run([cy, "isa", "-march=" + march, name], capture_output=True, text=True)
        if done.returncode == 0:
            text = done.stdout
            found = re.search(r"^meaning +(.+(?:\n {3,}.+)*)", text, re.M)
            return " ".join(found.group(1).split())
    sys.exit(f"cy isa does not know {name}, which <ventus.h> names")


def entries(header):
    """(kind, names, text, prototype) in the order of the header."""
    made = []
    lines = header.splitlines()
    for at, line in enumerate(lines):
        found = re.match(r"/\* insn ([^:]+): (.+) \*/$", line)
        if found:
            after = lines[at + 1]
            macro = re.match(r"#define (ventus_\w+\([^)]*\))", after)
            function = re.match(r"VENTUS_\w+ (.+)$", after)
            made.append((found.group(1).split(", "), found.group(2), macro.group(1) if macro else function.group(1)))
        found = re.match(r"VENTUS_CSR\((\w+), CSR_(\w+)\)\s*/\* csr (\w+): (.+) \*/$", line)
        if found:
            assert found.group(2) == found.group(3), line
            made.append((["csrrs"], found.group(4) + f" (`{found.group(2)}`)", f"uint {found.group(1)}(void)"))
    return made


def page():
    header = open(os.path.join(source, "lib/include/ventus.h"), encoding="utf-8").read()
    found = entries(header)
    covered = {name for names, _, _ in found for name in names}
    for name in rows():
        if name not in covered and not any(re.fullmatch(pattern, name) for pattern, _ in OTHERS):
            sys.exit(f"{name} has neither an intrinsic in <ventus.h> nor a reason in {sys.argv[0]}")
    out = ["# Intrinsics: <ventus.h>", "",
           "Instructions that OpenCL C cannot express, as functions and macros. Every kernel finds the header, without a file or an",
           "option: `#include <ventus.h>`. They are inline assembly ([cc.md](cc.md#inline-assembly)), so operands are checked by clang, and",
           "constants by their ranges. This page is made from the header and the instruction table by `tests/docs/intrinsics.py --update`.",
           "", "| intrinsic | what it does | instructions |", "|---|---|---|"]
    for names, text, prototype in found:
        out.append(f"| `{prototype}` | {text} | {', '.join(f'`{name}`' for name in names)} |")
    out += ["", "What the instructions do, as `cy isa` says it:", "", "| instruction | meaning |", "|---|---|"]
    for name in sorted(covered):
        out.append(f"| `{name}` | {meaning(name).replace('|', chr(92) + '|')} |")
    out += ["", "Without an intrinsic:", "", "| instructions | why |", "|---|---|"]
    for pattern, why in OTHERS:
        matching = [name for name in rows() if re.fullmatch(pattern, name) and name not in covered]
        out.append(f"| {', '.join(f'`{name}`' for name in matching)} | {why} |")
    return "\n".join(out) + "\n"


def main():
    text = page()
    if "--update" in sys.argv:
        open(PAGE, "w", encoding="utf-8").write(text)
        return
    if open(PAGE, encoding="utf-8").read() != text:
        sys.exit("docs/intrinsics.md is not current: tests/docs/intrinsics.py --update")


main()
