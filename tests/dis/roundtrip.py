"""`cy dis | cy as` gives the same back: with --as sections, relocations and symbols of objects and executables (ours,
clang's, llvm-mc's), from a plain listing the code; and random words of every instruction set."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "link"))
from elf32 import Elf

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = trips = 0
os.chdir(TMP)


def fail(text):
    global failures
    failures += 1
    print("FAILED: " + text)


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s\n%s%s" % (" ".join(command), done.stdout[:2000], done.stderr[:2000]))
    return done.stdout


def relocations(path, names):
    """Without the names that only the assembler knows: those of private labels."""
    result = []
    for line in run("readelf", "-rW", path).splitlines():
        words = line.split()
        if len(words) >= 3 and words[2].startswith("R_"):
            rest = words[3:]
            named = len(rest) > 1 and rest[1] in names
            result.append((words[0], words[2], tuple(rest) if named else rest[:1] if len(rest) == 1 else ()))
    return sorted(result, key=repr)


def same_sections(path, again, only_code):
    one, two = Elf(path), Elf(again)
    for name, section in one.sections.items():
        if name in (".symtab", ".strtab", ".shstrtab", ".riscv.attributes", ".llvm_addrsig") or \
                name.startswith(".rela") or not section["size"]:
            continue
        if only_code and not section["flags"] & 4:
            continue
        if name not in two.sections:
            fail("%s: section %s is gone" % (path, name))
        elif section["data"] != two.sections[name]["data"] or section["size"] != two.sections[name]["size"]:
            at = next((i for i, (a, b) in enumerate(zip(section["data"], two.sections[name]["data"])) if a != b), "end")
            fail("%s: section %s differs at %s" % (path, name, at))
    return one, two


def as_trip(path, march="ventus"):
    global trips
    trips += 1
    source = run(CY, "dis", "--as", path)
    run(CY, "as", "-march=" + march, "-o", "again.o", "-", text=source)
    one, two = same_sections(path, "again.o", False)
    if one.type != 1:
        return
    keep = lambda elf: {name: symbol[:3] for name, symbol in elf.symbols.items()}
    if keep(one) != keep(two):
        fail("%s: symbols differ: %s" % (path, set(keep(one).items()) ^ set(keep(two).items())))
    names = set(one.symbols)
    if relocations(path, names) != relocations("again.o", names):
        fail("%s: relocations differ: %s" % (path, [r for r in relocations(path, names)
                                                    if r not in relocations("again.o", names)][:5]))
    for name, section in one.sections.items():
        if name in two.sections and section["flags"] & 2 and (
                section["align"] != two.sections[name]["align"] or section["flags"] != two.sections[name]["flags"]):
            fail("%s: alignment or flags of %s" % (path, name))


def plain_trip(path, march="ventus", options=()):
    global trips
    trips += 1
    listing = run(CY, "dis", *options, path)
    run(CY, "as", "-march=" + march, "-o", "again.o", "-", text=listing)
    same_sections(path, "again.o", True)


C_SOURCE = """
extern int g(int), table[];
static int state = 7;
const char *text = "constant";
int f(int x) { switch (x) { case 0: return g(1); case 1: return table[x]; case 2: return state++; case 3: return g(g(x)); } return x / 3; }
int _start(void) { return f(3); }
"""
OWN_SOURCE = """
    .text
    .globl kernel
    .type kernel, @function
kernel:
    vadd.vv v40, v1, v200
    regext zero, zero, 72
    vsw.v v33, -8(v32)
    vbeq v1, v2, .Lend
    lui t0, %hi(data)
    lw t1, %lo(data+4)(t0)
    sw t1, %lo(data)(t0)
    la a0, data
    call helper
    tail kernel
.Lhigh:
    auipc t0, %pcrel_hi(.Lend)
    setrpc zero, t0, %pcrel_lo(.Lhigh)
    vadd.vi v1, v2, 100
    .word kernel, 0, 0x12345678
.Lend:
    join
    endprg
    barrier x0, x0, 1
    csrr t0, CSR_KNL
    .size kernel, .-kernel
    .weak helper
    .ventus_kernel kernel, vgpr=48, sgpr=32, lds=1024, pds=64
    .data
    .p2align 4
    .globl data
    .type data, @object
    .size data, 8
data: .word kernel+4, helper
    .half 1
    .byte 2
odd: .word data-.
    .space 40
    .section "strange name", "aw"
    .word 1
    .bss
    .hidden secret
    .globl secret
secret: .space 100
inner: .space 4
    .comm common, 64, 16
    .set absolute, 0x1234
    .globl absolute
"""


def test_objects():
    open("c.c", "w").write(C_SOURCE)
    for case, options in (("plain", "-O1"), ("debug", "-O2 -g -ffunction-sections"), ("norelax", "-Os -mno-relax"),
                          ("pic", "-O2 -fpic -gdwarf-4")):
        path = case + ".o"
        run("clang-19", "--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32", *options.split(), "-c", "c.c",
            "-o", path)
        as_trip(path)
        plain_trip(path)
    open("own.s", "w").write(OWN_SOURCE)
    for march in ("ventus", "ventus-gen2"):
        source = OWN_SOURCE if march == "ventus" else OWN_SOURCE.replace("vsw.v v33", "vsw12.v v33")
        open("own.s", "w").write(source)
        run(CY, "as", "-march=" + march, "-o", "own.o", "own.s")
        as_trip("own.o", march)
        plain_trip("own.o", march)
        plain_trip("own.o", march, ("--csr-names", "--no-aliases"))
        plain_trip("own.o", march, ("--numeric", "--decimal", "--no-comments"))
        run(CY, "ld", "--no-start", "-e", "kernel", "-o", "own", "own.o")
        as_trip("own", march)
        plain_trip("own", march)
        plain_trip("own", march, ("--raw",))


EPIC_SOURCE = """
    .globl start
start:
    la r5, data
    jump start
    jump near
    @p add r5, r6, r7
near:
    branch near
    call r9, 8(r4)
    exit
    .data
data: .word start, 5
"""


def test_epic():
    open("epic.s", "w").write(EPIC_SOURCE)
    run(CY, "as", "-march=epic", "-o", "epic.o", "epic.s")
    as_trip("epic.o", "epic")
    plain_trip("epic.o", "epic")
    run(CY, "ld", "-o", "epic", "epic.o")
    as_trip("epic", "epic")


# Opcodes that are used, so that many of the random words are instructions.
OPCODES = [0x33, 0x13, 0x03, 0x23, 0x63, 0x6f, 0x67, 0x17, 0x37, 0x57, 0x0b, 0x5b, 0x7b, 0x2b, 0x07, 0x27, 0x2f, 0x73,
           0x53, 0x43, 0x0f]
GEN2_OPCODES = [0x02, 0x0a, 0x06, 0x26, 0x4e, 0x7e, 0x3b, 0x1b]


def test_random():
    random.seed(9)
    for march, flags in (("ventus", OPCODES), ("ventus-gen2", OPCODES + GEN2_OPCODES), ("epic", None)):
        words = [random.getrandbits(32) for _ in range(60000)]
        if flags:
            words = [word & ~0x7f | random.choice(flags) if random.random() < 0.95 else word for word in words]
        with open("words.s", "w") as file:
            file.writelines(".word 0x%08x\n" % word for word in words)
        run(CY, "as", "-march=" + march, "-o", "words.o", "words.s")
        source = run(CY, "dis", "--as", "words.o")
        instructions = sum(1 for line in source.splitlines() if line.startswith("\t") and line[1] != ".")
        if instructions < 3000:
            fail("%s: only %d instructions among the random words" % (march, instructions))
        as_trip("words.o", march)
        print("%-12s %d of %d words are instructions" % (march, instructions, len(words)))


test_objects()
test_epic()
test_random()
print("%d round trips" % trips)
sys.exit(1 if failures else 0)
