"""The lint finds what it should: runs it over a small tree with one fault of each kind, and over the same tree fixed."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ["CY_TMP"]
MACHINE = "/".join(["", "home", "somebody", "chengying"])

GOOD = {
    "include/chengying/device.h": "#include <stdint.h>\n",
    "src/base/mem.h": "#include <stddef.h>\n",
    "src/isa/isa.h": '#include "base/mem.h"\n#include "isa/insns.def"\n',
    "src/isa/insns.def": "INSN(a)\n",
    "src/isa/isa_priv.h": "",
    "src/isa/decode.c": '#include "isa_priv.h"\n/* exit(1) in a comment */\nconst char *s = "printf(1)"; x.exit();\n',
    "src/as/as.c": '#include "isa/isa.h"\n#include "base/mem.h"\n#include <chengying/device.h>\n',
    "src/gpu/engine/engine.h": "",
    "src/gpu/engine/code.h": "",
    "src/gpu/engine/names.c": "free(entries); /* libc's */\n",
    "src/gpu/device/device.c": '#include "gpu/engine/engine.h"\n',
    "src/cc/ir/ir.h": "",
    "src/cc/codegen/mir.h": '#include "cc/ir/ir.h"\n',
    "src/as/long.c": "/* The lexer.  It is over\n * 1,000 lines because one table fills it. */\n" + "\n" * 1000,
    "src/cc/import/import.c": "#include <llvm-c/Core.h>\n",
    "tools/cy.c": '#include "isa/isa.h"\nint main(void) { printf("x"); exit(0); }\n',
    "src/abi/abi.def": 'ABI(LDS_BASE, 0x70000000, "local memory")\n',
    "src/cl/object/object.h": "",
    "src/cl/object/device.h": "",
    "src/cl/command/command.h": '#include "cl/object/object.h"\n',
    "docs/a.md": "see build/bin/cy, src/home/x and https://example.org/home/x\n",
}
BAD = {
    "src/base/up.c": ('#include "isa/isa.h"\n', "src/base/up.c:1: 'src/base' may not include 'src/isa/isa.h'"),
    "src/isa/side.c": ('\n#  include "../gpu/engine/engine.h"\n', "src/isa/side.c:2: 'src/isa' may not include 'src/gpu/engine/engine.h'"),
    "src/gpu/fp/as.c": ('#include "as/as.c"\n', "src/gpu/fp/as.c:1: 'src/gpu/fp' may not include 'src/as/as.c'"),
    "src/gpu/device/window.c": (
        '#include "gpu/engine/code.h"\n',
        "src/gpu/device/window.c:1: 'src/gpu/device' may not include 'src/gpu/engine/code.h'",
    ),
    "src/cc/ir/up.c": ('#include "cc/codegen/mir.h"\n', "src/cc/ir/up.c:1: 'src/cc/ir' may not include 'src/cc/codegen/mir.h'"),
    "src/gpu/loose.c": ("#include <stdio.h>\n", "src/gpu/loose.c:1: no row of the include table covers this file"),
    "src/isa/table.def": ('#include "gpu/engine/engine.h"\n', "src/isa/table.def:1: 'src/isa' may not include 'src/gpu/engine/engine.h'"),
    "src/as/priv.c": ('#include "isa/isa_priv.h"\n', "src/as/priv.c:1: 'src/isa/isa_priv.h' is private to 'src/isa'"),
    "src/cl/memory/up.c": (
        '#include "cl/command/command.h"\n',
        "src/cl/memory/up.c:1: 'src/cl/memory' may not include 'src/cl/command/command.h'",
    ),
    "src/cl/memory/window.c": (
        '#include "cl/object/device.h"\n',
        "src/cl/memory/window.c:1: 'src/cl/memory' may not include 'src/cl/object/device.h'",
    ),
    "src/as/gone.c": ('#include "isa/gone.h"\n', 'src/as/gone.c:1: "isa/gone.h" is nowhere'),
    "src/gpu/engine/llvm.c": (
        "#include <llvm-c/Core.h>\n",
        "src/gpu/engine/llvm.c:1: <llvm-c/Core.h> is neither of the C library nor listed for 'src/gpu/engine'",
    ),
    "include/chengying/in.h": (
        '#include "isa/isa.h"\n',
        "include/chengying/in.h:1: 'include' may not include 'src/isa/isa.h'",
    ),
    "src/new/new.c": ("#include <stdio.h>\n", "src/new/new.c:1: no row of the include table covers this file"),
    "src/as/big.c": (
        "/* No reason. */\n" + "\n" * 1000,
        "src/as/big.c:1001: 1001 lines: over 1,000 needs a reason ('over 1,000 lines because ...') in the first comment",
    ),
    "src/obj/exit.c": ("\n/* a\n * b */ exit(1);\n", "src/obj/exit.c:3: a library does not call exit()"),
    "src/obj/print.c": ('printf("x");\n', "src/obj/print.c:1: a library does not call printf()"),
    "src/obj/free.c": ("x->free(y);\nfree(x);\n", "src/obj/free.c:2: free() instead of a function of base/mem.h"),
    "src/as/spelling.c": (
        'if (strcmp(row->mnemonic, "ret") == 0 || strstr(row->semantics, "_fma("))\n',
        "src/as/spelling.c:1: the spelling of an instruction: isa/effects.h and isa/expr.h say what it does",
    ),
    "src/as/letter.c": (
        "vector = info->mnemonic[0] == 'v';\n",
        "src/as/letter.c:1: the spelling of an instruction: isa/effects.h and isa/expr.h say what it does",
    ),
    "src/obj/map.c": ("/* 0x70000000 */ x = 0x700000000;\ny = 0x70000000u;\n", "src/obj/map.c:2: 0x70000000 is an address of src/abi/abi.def: use its name"),
    "docs/b.md": (f"run {MACHINE}/build/bin/cy\n", f"docs/b.md:1: names a path of a build machine: {MACHINE[:14]}"),
}


def write(path, text):
    path = os.path.join(ROOT, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def lint():
    command = [sys.executable, os.path.join(HERE, "lint.py"), "--root", ROOT]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, sorted(done.stdout.splitlines()[:-1])


for name, content in GOOD.items():
    write(name, content)
status, lines = lint()
if (status, lines) != (0, []):
    sys.exit("the good tree has findings:\n" + "\n".join(lines))
for name, (content, _) in BAD.items():
    write(name, content)
status, lines = lint()
expected = sorted(message for _, message in BAD.values())
for line in sorted(set(lines) - set(expected)):
    print("not expected:", line)
for line in sorted(set(expected) - set(lines)):
    print("not found:   ", line)
print(f"{len(set(expected) & set(lines))} passed, {len(set(expected) ^ set(lines))} failed")
sys.exit(0 if status == 1 and lines == expected else 1)
