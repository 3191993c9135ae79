#!/usr/bin/env python3
"""The manual: docs/ is what the tables say, every instruction has a page, names are found.

    manual.py [--update]        --update writes docs/isa.md and docs/epic-isa.md anew
"""
import os
import subprocess
import sys

import tables

CY, SOURCE = os.environ["CY"], os.environ["CY_SOURCE"]
DOCUMENTS = {"docs/isa.md": "ventus", "docs/epic-isa.md": "epic"}
failures = 0


def check(condition, text):
    global failures
    if not condition:
        failures += 1
        print(f"failed: {text}")


def isa(*arguments, status=0):
    done = subprocess.run([CY, "isa", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(done.returncode == status, f"cy isa {' '.join(arguments)}: status {done.returncode}, expected {status}")
    return (done.stdout + done.stderr).decode()


def documents(update):
    for name, march in DOCUMENTS.items():
        path, text = os.path.join(SOURCE, name), isa("--markdown", "--march", march)
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            check(file.read() == text, f"{name} is not what the tables say: run tests/isa/manual.py --update")


def pages():
    rows = tables.rows()
    for march, gens in (("ventus", 1), ("ventus-gen2", 2), ("epic", 4), ("epic-fpga", 8)):
        own = [row for row in rows if row.gens & gens]
        text = isa("--march", march, *(row.mnemonic for row in own))
        for row in own:
            check(f"match      {row.match:08x}, mask {row.mask:08x}, format {row.format}\n" in text, f"{march}: page of {row.id}")
        check(text.count("\nexample  ") == len(own), f"{march}: every page has an example")
        listed = [line for line in isa("--march", march).splitlines() if line.startswith("  ")]
        check(len(listed) == len(own), f"{march}: {len(listed)} instructions listed, {len(own)} rows")
    print(f"{len(rows)} pages")


PAGE = """\
vadd.vv - Vector integer

 31    26 25   24   20 19   15 14   12 11    7 6       0
┌────────┬────┬───────┬───────┬───────┬───────┬─────────┐
│ 000000 │ vm │  vs2  │  vs1  │  000  │  vd   │ 1010111 │
└────────┴────┴───────┴───────┴───────┴───────┴─────────┘

syntax     vadd.vv vd, vs2, vs1[, v0.t]
operands   vd      vGPR v0-v31, v32-v255 with a prefix
           vs2     vGPR v0-v31, v32-v255 with a prefix
           vs1     vGPR v0-v31, v32-v255 with a prefix
           vm      v0.t: only lanes whose mask bit in v0 is 1; omitted: all active lanes
meaning    vd = vs2 + vs1
           In each active lane, on elements of SEW bits: 8, 16, 32 or 64 (register pairs).
sets       Ventus generation 1, Ventus generation 2
class      valu: vector integer; latency 1, interval 1 cycle
match      00000057, mask fc00707f, format VV
example    vadd.vv v8, v16, v24                 030c0457
           vadd.vv v200, v48, v56               04e0200b 030c0457
"""


def names():
    check(isa("vadd.vv") == PAGE, "the page of vadd.vv")
    check("no instruction 'vad.vv'; did you mean 'vadd.vv'?" in isa("vad.vv", status=1), "nearest name")
    check("no instruction 'qqqqqqqq'" in isa("qqqqqqqq", status=1), "nothing near")
    check("is another spelling of addi" in isa("mv"), "an alias")
    check("is another spelling of addi" in isa("li"), "an alias that is only printed")
    check("sets       Ventus generation 2\n" in isa("vwadd.vv"), "an instruction of the other generation")
    check("EpicGPU" in isa("disp"), "an instruction of another machine")
    check(isa("--march", "epic", "add") != isa("add"), "one name, two machines")
    check(isa("vmslt*.v?").count("\n  vmslt") == 4, "a pattern")
    check("no instruction of epic matches 'vm*'" in isa("--march", "epic", "vm*", status=1), "a pattern without result")
    check("  0x800  tid       ro  " in isa("csr"), "the list of control registers")
    check(isa("CSR_RPC").startswith("0x80c  rpc       rw  "), "a control register")
    check("unknown target 'mips'" in isa("--march", "mips", status=2), "unknown target")
    check("takes no names" in isa("--markdown", "add", status=2), "--markdown with a name")


def main():
    documents("--update" in sys.argv[1:])
    pages()
    names()
    if failures:
        sys.exit(f"{failures} failures")


main()
