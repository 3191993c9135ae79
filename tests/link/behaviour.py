"""The result of a link: which sections are kept, which library objects are linked, the start-up code, what other tools
report about it."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from elf32 import Elf

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0
os.chdir(TMP)


def check(condition, what, detail=""):
    global failures
    if not condition:
        failures += 1
        print("FAILED: %s %s" % (what, detail))


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode == status, " ".join(command), "\n" + done.stdout + done.stderr)
    return done


def assemble(name, text, attributes="+m,+a,-relax"):
    with open(name + ".s", "w") as file:
        file.write(text)
    run("llvm-mc-19", "-triple=riscv32", "-mattr=" + attributes, "-filetype=obj", name + ".s", "-o", name + ".o")
    return name + ".o"


def link(*arguments):
    done = run(CY, "ld", "-o", "out", *arguments)
    return Elf("out") if done.returncode == 0 else None


def kernel(name, body):
    return """
    .section .text.%s, "ax"
    .globl %s
    .type %s, @function
%s:
%s
    ret
    .size %s, .-%s
    .section .ventus.resource.%s, "w", @progbits
    .half 3, 6, 12, 8
""" % (name, name, name, name, body, name, name, name)


KERNELS = kernel("add", "call helper\nlui a0, %hi(table)\n") + kernel("mul", "call other_helper\n") + """
    .section .text.helper, "ax"
helper: la a0, constant
    ret
    .section .text.other, "ax"
other_helper: ret
    .section .text.unused, "ax"
    .globl unused
    .type unused, @function
unused: call only_unused
    ret
    .section .text.only, "ax"
only_unused: ret
    .section .rodata.constant, "a"
constant: .word 42
    .section .rodata.dead, "a"
dead: .word 43
    .section .data.table, "aw"
table: .word helper
    .section .cy.printf, "", @progbits
    .asciz "%d"
    .section .debug_fake, "", @progbits
    .word unused, helper
    .section .debug_ranges, "", @progbits
    .word unused, helper
    .section mine, "a"
    .word 7
    .comm wasted, 64
"""


def has(elf, *names):
    present = set(elf.symbols) | {name for name, *_ in elf.locals}
    return [name in present for name in names]


def test_gc():
    objects = [assemble("kernels", KERNELS)]
    base = ("--no-library", "--no-start")
    elf = link(*base, *objects)
    check(all(has(elf, "add", "mul", "helper", "other_helper", "unused", "only_unused", "wasted")), "no gc: all stay")
    check("mine" in elf.sections, "no gc: other sections stay")
    elf = link(*base, "--gc-sections", "--map", "map", *objects)
    check(has(elf, "add", "mul", "helper", "other_helper", "constant", "table") == [True] * 6, "gc: what kernels reach")
    check(has(elf, "unused", "only_unused", "dead", "wasted") == [False] * 4, "gc: the rest goes")
    check("mine" not in elf.sections and ".bss" not in elf.sections, "gc: whole sections go")
    check(elf.sections[".cy.printf"]["data"] == b"%d\0", "gc: the format strings stay")
    check(elf.word(".debug_fake", 0) == 0 and elf.word(".debug_fake", 4) != 0, "gc: dropped code has address 0")
    check(elf.word(".debug_ranges", 0) == 1, "gc: 1 in a list that a pair of zeros ends")
    text = open("map").read()
    check(re.search(r"^dropped +8 kernels.o\(.text.unused\)$", text, re.M) is None and
          re.search(r"^dropped +c kernels.o\(.text.unused\)$", text, re.M) is not None, "the map lists what was dropped")
    elf = link(*base, "--kernel", "mul", *objects)
    check(has(elf, "mul", "other_helper") == [True] * 2 and has(elf, "add", "helper", "table") == [False] * 3,
          "one kernel")
    check(".ventus.resource.mul" in elf.sections and ".ventus.resource.add" not in elf.sections, "one record")
    elf = link(*base, "--kernel", "mul", "--kernel", "add", *objects)
    check(has(elf, "mul", "add", "unused") == [True, True, False], "two kernels")
    plain = assemble("plain", ".section .text.a, \"ax\"\n.globl a\n.type a, @function\na: ret\n"
                     ".section .text.b, \"ax\"\nb: ret\n")
    elf = link(*base, "--gc-sections", plain)
    check(has(elf, "a", "b") == [True, False], "without records every global function counts")
    reach = assemble("reach", kernel("k", "la a0, __start_mine\n") + ".section mine, \"a\"\n.word 7\n")
    check("mine" in link(*base, "--gc-sections", reach).sections, "__start_ keeps its section")


def test_layout():
    elf = link("--no-library", "--no-start", assemble("kernels", KERNELS))
    record = elf.sections[".ventus.resource.add"]
    check(record["data"] == bytes([3, 0, 6, 0, 12, 0, 8, 0]) and record["flags"] == 1 and record["address"] == 0,
          "resource records stay as they are")
    check(elf.sections[".text"]["address"] == 0x80000000 and elf.entry == 0x80000000, "the base address")
    pages = {}
    for kind, offset, address, _, filesz, memsz, flags, align in elf.segments:
        check(kind == 1 and align == 4096 and offset % 4096 == address % 4096, "segments are on pages")
        for page in range(address >> 12, (address + memsz + 4095) >> 12):
            check(page not in pages, "one permission to a page")
            pages[page] = flags
    for name, section in elf.sections.items():
        if section["flags"] & 2:
            rights = 4 | (section["flags"] & 1) << 1 | (section["flags"] >> 2 & 1)
            check(pages[section["address"] >> 12] == rights, "permission of %s" % name)
    for name, place in (("_etext", ".text"), ("_edata", ".data"), ("__BSS_END__", ".bss"), ("_end", ".bss")):
        section = elf.sections[place]
        check(elf.symbols[name][0] == section["address"] + section["size"], "symbol %s" % name)
    check(elf.symbols["__bss_start"][0] == elf.sections[".bss"]["address"], "symbol __bss_start")
    check(elf.symbols["__global_pointer$"][0] == elf.sections[".data"]["address"] + 0x800, "gp into .data")
    small = link("--no-library", "--no-start", assemble("small", ".section .sdata, \"aw\"\n.word 1\n.data\n.word 2\n"
                                                        ".section .sbss,\"aw\",@nobits\n.space 4\n.bss\n.space 64\n"))
    check(small.symbols["__global_pointer$"][0] == small.sections[".sdata"]["address"] + 0x800, "gp into .sdata")
    check(small.order[:5] == [".text", ".data", ".sdata", ".sbss", ".bss"] or
          small.order[:4] == [".data", ".sdata", ".sbss", ".bss"], "order of variables", small.order)
    low = link("--no-library", "--no-start", "--base", "0x1000", "-e", "mul", "kernels.o")
    check(low.sections[".text"]["address"] == 0x1000 and low.entry == low.symbols["mul"][0], "--base and --entry")
    run(CY, "ld", "--no-library", "--no-start", "-S", "-o", "stripped", "kernels.o")
    check(not any(name.startswith(".debug") for name in Elf("stripped").sections), "--strip-debug")
    first = open("out", "rb").read()
    link("--no-library", "--no-start", "--base", "0x1000", "-e", "mul", "kernels.o")
    check(first == open("out", "rb").read(), "the same link gives the same bytes")


def test_weak_and_common():
    weak = assemble("weak", ".weak f\nf: li a0, 1\nret\n.weak g\ng: li a0, 2\n")
    strong = assemble("strong", ".globl f\nf: li a0, 3\nret\n.weak g\ng: li a0, 4\n")
    for order in ((weak, strong), (strong, weak)):
        elf = link("--no-library", "--no-start", *order)
        at = elf.symbols["f"][0] - 0x80000000
        check(elf.word(".text", at) == 0x00300513, "the strong definition wins in the order %s" % (order,))
        at = elf.symbols["g"][0] - 0x80000000
        check(elf.word(".text", at) == (0x00200513 if order[0] == weak else 0x00400513), "the first weak one wins")
    common = assemble("common", ".comm f, 4, 4\n.comm c, 8, 4\n")
    bigger = assemble("bigger", ".comm c, 100, 64\n")
    elf = link("--no-library", "--no-start", common, strong, bigger)
    check(elf.symbols["f"][0] == 0x80000000, "a definition beats a common symbol")
    check(elf.symbols["c"][1] == 100 and elf.symbols["c"][0] % 64 == 0, "the larger common symbol wins")
    elf = link("--no-library", "--no-start", common, weak)
    check(elf.sections[".bss"]["address"] <= elf.symbols["f"][0], "a common symbol beats a weak definition")


def test_library():
    for name, text in (("sqrt", ".globl sqrt\nsqrt: call poly\nret\n"), ("poly", ".globl poly\npoly: ret\n"),
                       ("sin", ".globl sin\nsin: call poly\nret\n.globl broken\nbroken: call undefined_thing\n"),
                       ("start", ".globl _start\n_start: endless: j endless\n"),
                       ("data", ".globl _start_data\n.data\n_start_data: .word 1\n")):
        assemble(name, text)
    shutil.rmtree("mylib", ignore_errors=True)
    os.makedirs("mylib/sub")
    for name in ("sqrt", "poly", "sin", "start", "data"):
        shutil.move(name + ".o", "mylib/%s.o" % name)
    open("mylib/readme.txt", "w").write("not an object\n")
    user = assemble("user", "nop\ncall sqrt\n.weak sin\nlui a0, %hi(sin)\n")
    elf = link("--no-library", "-L", ".", "-l", "mylib", user)
    check(has(elf, "sqrt", "poly", "sin", "broken", "_start_data") == [True, True, True, False, False],
          "only what is needed is taken; a weak reference takes nothing")
    check(elf.symbols["sin"][3] == 0 and elf.symbols["_start"][0] == 0x80000000 == elf.entry, "start-up code comes first")
    elf = link("--no-library", "--no-start", "-l", "./mylib", user)
    check(has(elf, "_start") == [False], "--no-start")
    elf = link("--libdir", "mylib", user)
    check(has(elf, "sqrt", "_start") == [True] * 2, "--libdir")
    own = assemble("own", "nop\n.globl _start\n_start: call sqrt\n")
    elf = link("--libdir", "mylib", own)
    check(elf.symbols["_start"][0] == 0x80000004 == elf.entry, "start-up code of one's own")


def test_start_up():
    """The start-up code that comes with the tool, by the ABI."""
    elf = link(assemble("kernels", KERNELS))
    check(elf.symbols["_start"][0] == 0x80000000 == elf.entry, "_start is at the base")
    text = run("llvm-objdump-19", "-d", "--no-show-raw-insn", "--no-print-imm-hex", "--mattr=+m,+v", "out").stdout
    lines = text.split("<_start>:\n")[1].split("\n\n")[0].splitlines()
    code = [re.sub(r"\s+", " ", line.split("\t", 1)[1]) for line in lines]
    gp = elf.symbols["__global_pointer$"][0] - 0x80000000
    upper = gp + 0x800 >> 12
    check(code[:2] == ["auipc gp, %d" % upper, "addi gp, gp, %d" % (gp - (upper << 12))], "gp", code[:2])
    check("vsetvli t0, zero, e32, m1, ta, ma" in code, "one lane per thread", code)
    for line in ("csrr sp, 2054", "csrr t0, 2051", "li tp, 0", "lw a0, 4(t0)", "jalr t1"):
        check(line in code, "start-up code has '%s'" % line, code)
    check(elf.word(".text", 4 * len(code) - 4) == 0x0000400b, "endprg is last")
    gen2 = bytearray(open("kernels.o", "rb").read())
    gen2[39] = 1
    open("gen2.o", "wb").write(gen2)
    check(link("gen2.o").flags == 0x01000000, "gen2 takes its own start-up code")
    check(link("-march=ventus-gen2", "kernels.o").flags == 0x01000000, "unmarked objects as gen2")
    check(link("kernels.o").flags == 0, "gen1")


def test_tools():
    """What others say: readelf without a warning, the disassembly of llvm-objdump, symbols and code in gdb."""
    run("clang-19", "--target=riscv32-unknown-elf", "-march=rv32ima", "-mabi=ilp32", "-g", "-O1", "-c", "-x", "c",
        "-o", "debug.o", write("debug.c", "int twice(int x)\n{\n    return 2 * x;\n}\nint _start(void)\n{\n"
                               "    return twice(21);\n}\n"))
    link("--no-library", "debug.o", assemble("real", kernel("real", "nop")))
    done = run("readelf", "-aW", "out")
    check(not done.stderr and "arning" not in done.stdout, "readelf -a", done.stderr)
    done = run("readelf", "-wi", "-wl", "out")
    check("twice" in done.stdout, "readelf -w", done.stdout)
    done = run("llvm-objdump-19", "-d", "out")
    check("80000000 <" in done.stdout and not done.stderr, "llvm-objdump -d", done.stderr)
    done = run("gdb-multiarch", "-nx", "-batch", "-ex", "info symbol twice", "-ex", "disassemble twice", "-ex",
               "info line twice", "out")
    check("twice in section .text" in done.stdout, "gdb: info symbol", done.stdout)
    check("Dump of assembler code for function twice" in done.stdout and re.search(r"<\+4>:\s+ret", done.stdout),
          "gdb: disassemble", done.stdout)
    check('Line 3 of "debug.c" starts at address' in done.stdout, "gdb: line numbers", done.stdout)


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def test_attributes():
    """Extensions of all objects are united, so that llvm-objdump shows all of the code by itself."""
    one = assemble("attr_m", ".attribute arch, \"rv32i2p1_m2p0_zicsr2p0\"\n.attribute stack_align, 16\n"
                   "mul a0, a1, a2\n")
    two = assemble("attr_v", ".attribute arch, \"rv32i2p1_zve32x1p0_zvl32b1p0_zicsr2p0\"\nvadd.vv v1, v2, v3\n")
    link("--no-library", "--no-start", one, two)
    text = run("readelf", "-A", "out").stdout
    check('Tag_RISCV_arch: "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl32b1p0"' in text and "16-bytes" in text, "united", text)
    text = run("llvm-objdump-19", "-d", "out").stdout
    check("mul\ta0" in text and "vadd.vv\tv1" in text, "llvm-objdump knows both", text)


for test in (test_gc, test_layout, test_weak_and_common, test_library, test_start_up, test_tools, test_attributes):
    test()
sys.exit(1 if failures else 0)
