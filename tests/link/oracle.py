"""Links standard objects with `cy ld` and with ld.lld-19, the latter told by a linker script to lay sections out at the
same addresses, and compares every byte of every section, every symbol and the entry.  The objects come from clang and
llvm-mc: C in several code models, with and without debug information, and assembly with every kind of relocation."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from elf32 import Elf

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED: " + text)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done


def path(name):
    return os.path.join(TMP, name)


def write(name, text):
    with open(path(name), "w") as file:
        file.write(text)
    return path(name)


# Which input sections lld is to put where, as the linker does by itself.
INPUTS = {
    ".text": "*(.text.init) *(.text .text.*)", ".rodata": "*(.rodata .rodata.*)", ".srodata": "*(.srodata .srodata.*)",
    ".data": "*(.data .data.*)", ".data.rel.ro": "*(.data.rel.ro .data.rel.ro.*)", ".sdata": "*(.sdata .sdata.*)",
    ".sbss": "*(.sbss .sbss.*)", ".bss": "*(.bss .bss.*) *(COMMON)",
}


def script_for(elf):
    lines = ["SECTIONS {"]
    for name in elf.order:
        section = elf.sections[name]
        if section["flags"] & 2:
            lines.append("  %s 0x%x : { %s }" % (name, section["address"], INPUTS.get(name, "*(%s)" % name)))
    lines.append("}")
    for name, (value, *_) in elf.symbols.items():
        if name.startswith("__start_") or name.startswith("__stop_"):
            continue
        if name in ("_end", "_etext", "_edata", "__bss_start", "__BSS_END__", "__global_pointer$", "end"):
            lines.append('"%s" = 0x%x;' % (name, value))
    return "\n".join(lines)


def first_difference(ours, theirs):
    if not isinstance(ours, bytes):
        return ": 0x%x, lld 0x%x" % (ours, theirs)
    for at in range(0, max(len(ours), len(theirs)), 4):
        if ours[at:at + 4] != theirs[at:at + 4]:
            return " at 0x%x: %s, lld %s" % (at, ours[at:at + 4].hex(), theirs[at:at + 4].hex())
    return ""


def compare(case, objects, entry="_start", options=()):
    ours, theirs = path(case + ".ours"), path(case + ".lld")
    run(CY, "ld", "--no-start", "--no-library", "-e", entry, *options, "-o", ours, *objects)
    mine = Elf(ours)
    run("ld.lld-19", "-m", "elf32lriscv", "--no-relax", "-O0", "-e", entry, "-T",
        write(case + ".ld", script_for(mine)), *objects, "-o", theirs)
    other = Elf(theirs)
    compared = 0
    for name, section in mine.sections.items():
        if name in (".symtab", ".strtab", ".shstrtab", ".comment"):
            continue
        if name not in other.sections:
            if section["size"]:
                fail("%s: lld has no section %s" % (case, name))
            continue
        their = other.sections[name]
        for what in ("address", "size", "data"):
            if section[what] != their[what]:
                fail("%s: %s of %s differs%s" % (case, what, name, first_difference(section[what], their[what])))
        compared += section["size"]
    for name, section in other.sections.items():
        if section["flags"] & 2 and section["size"] and name not in mine.sections:
            fail("%s: section %s is missing" % (case, name))
    for name, symbol in other.symbols.items():
        if name not in mine.symbols:
            fail("%s: symbol %s is missing" % (case, name))
        elif mine.symbols[name][0] != symbol[0] or mine.symbols[name][1] != symbol[1]:
            fail("%s: symbol %s is %s, lld %s" % (case, name, mine.symbols[name], symbol))
    if sorted(mine.locals) != sorted(other.locals):
        for one in set(mine.locals) ^ set(other.locals):
            fail("%s: local symbol %s is only in %s" % (case, one, "ours" if one in mine.locals else "lld's"))
    if mine.entry != other.entry:
        fail("%s: entry 0x%x, lld 0x%x" % (case, mine.entry, other.entry))
    print("%-20s %6d bytes of sections, %3d symbols the same" %
          (case, compared, len(other.symbols) + len(other.locals)))
    return mine


C_MAIN = """
extern int g(int), arr[];
int common1, common2[8];
static int counter = 5;
extern int weakly(void) __attribute__((weak));
const char *names[] = {"one", "two", "three"};
static int (*const table[])(int) = {g, g};
int f(int x)
{
    switch (x) {
    case 0: return g(1);
    case 1: return g(7) + 3;
    case 2: return 9;
    case 3: return arr[x];
    case 4: return counter++;
    case 5: return common1 + common2[x];
    case 6: return names[x & 1][0];
    case 7: return table[x & 1](x);
    }
    return weakly ? weakly() : 0;
}
int _start(void) { return f(3) + f(4); }
"""
C_OTHER = """
int arr[100] = {1, 2, 3};
#ifdef COMMON
int common2[16];
#endif
extern int f(int);
static const int table[4] = {1, 2, 3, 4};
__attribute__((aligned(64))) int g(int x) { return f(x - 1) * table[x & 3] + arr[x]; }
"""


def test_c():
    sources = write("main.c", C_MAIN), write("other.c", C_OTHER)
    for case, options in (("plain", "-O1"), ("debug", "-O2 -g"), ("pic", "-O1 -fpic"),
                          ("medany", "-O2 -mcmodel=medany"),
                          ("sections", "-O2 -ffunction-sections -fdata-sections -g"), ("norelax", "-O2 -mno-relax -g"),
                          ("common", "-O2 -fcommon -DCOMMON -gdwarf-4"), ("compressed", "-O2 -march=rv32imac")):
        objects = []
        for source in sources:
            objects.append(path("%s_%s.o" % (os.path.basename(source)[:-2], case)))
            run("clang-19", "--target=riscv32-unknown-elf", "-march=rv32ima", "-mabi=ilp32",
                "-fno-asynchronous-unwind-tables", *options.split(), "-c", source, "-o", objects[-1])
        compare(case, objects)


# Every relocation an assembler makes, against symbols of every kind: defined here, elsewhere, weak and undefined.
ASM_ONE = """
    .text
    .globl _start
_start:
    lui a0, %hi(far_data)
    addi a0, a0, %lo(far_data)
    lw a1, %lo(far_data+4)(a0)
    sw a1, %lo(far_data+8)(a0)
    lui a0, %hi(far_data+0x7ff)
    addi a0, a0, %lo(far_data+0x7ff)
    lui a0, %hi(far_data+0x800)
    addi a0, a0, %lo(far_data+0x800)
.Lpc:
    auipc a2, %pcrel_hi(far_data+12)
    addi a2, a2, %pcrel_lo(.Lpc)
.Lpc2:
    auipc a2, %pcrel_hi(other)
    sw a3, %pcrel_lo(.Lpc2)(a2)
.Lgot:
    auipc a2, %got_pcrel_hi(other)
    lw a2, %pcrel_lo(.Lgot)(a2)
.Lgot2:
    auipc a2, %got_pcrel_hi(nowhere)
    lw a2, %pcrel_lo(.Lgot2)(a2)
.Lgot3:
    auipc a2, %got_pcrel_hi(local)
    lw a2, %pcrel_lo(.Lgot3)(a2)
    call other
    tail other
    call nowhere
    jal other
    jal nowhere
    j local
    beq a0, a1, local
    bnez a0, other_near
    la a4, nowhere
    lla a4, local
    .option norelax
    nop
    .option relax
    .p2align 4
local:
    nop
    .p2align 3
    nop
    .p2align 5
    nop
other_near:
    nop
    .weak nowhere
    .section .text.far, "ax"
    nop
    .p2align 6
    .globl aligned
    .type aligned, @function
aligned:
    j _start
    .size aligned, .-aligned
    .section .data, "aw"
    .globl far_data
far_data:
    .word far_data, other+8, nowhere, local
    .word other-far_data, local-_start, far_data-.
    .half local-_start
    .byte local-_start, other_near-local
    .p2align 2
    .word other@plt-.
    .word other@GOTPCREL+4
    .word __start_boxes, __stop_boxes
    .dword local-_start
    .uleb128 local-_start
    .uleb128 other_near-_start
    .byte 1
    .section boxes, "a"
    .word 1, 2, 3
    .section .bss, "aw", @nobits
    .space 100
    .comm shared, 32, 16
    .section .debug_fake, "", @progbits
    .word local, far_data
"""
ASM_TWO = """
    .section .text.init, "ax"
first:
    nop
    .text
    .globl other
    .type other, @function
other:
    nop
    ret
    .size other, 8
    .globl weak_here
    .weak weak_here
weak_here:
    nop
    .section .rodata
    .word shared, weak_here, first
    .comm shared, 64, 8
    .comm own, 3, 1
    .section boxes, "a"
    .word 4
    .section .sdata, "aw"
    .word 5
    .section .sbss, "aw", @nobits
    .space 8
"""
ASM_THREE = """
    .globl weak_here
weak_here:
    ret
    .set number, 0x1234
    .globl number
    li a0, 1
    lui a0, %hi(number)
    addi a0, a0, %lo(number)
"""
ASM_RVC = """
    .globl _start
_start:
    c.nop
    .p2align 4
back:
    c.nop
    c.beqz a0, back
    c.bnez a0, ahead
    c.j back
    c.jal other
    beq a0, a1, ahead
    .p2align 3
    c.nop
ahead:
    c.nop
    .globl other
other:
    ret
"""


def assemble(name, text, attributes):
    source, target = write(name + ".s", text), path(name + ".o")
    run("llvm-mc-19", "-triple=riscv32", "-mattr=" + attributes, "-filetype=obj", source, "-o", target)
    return target


def test_assembly():
    for relax in ("+relax", "-relax"):
        objects = [assemble(name + relax[0].replace("+", "r").replace("-", "n"), text, "+m,+a," + relax)
                   for name, text in (("one", ASM_ONE), ("two", ASM_TWO), ("three", ASM_THREE))]
        elf = compare("relocs" + relax, objects)
        if elf.symbols["aligned"][0] % 64 or relax == "+relax" and not any(
                name == "local" and value % 16 == 0 for name, value, *_ in elf.locals):
            fail("relocs: alignment is lost")
        compare("places" + relax, objects, options=("--base", "0x80004000", "--section-start", ".data=0x80200000"))
    compare("rvc", [assemble("rvc", ASM_RVC, "+m,+c,+relax")])


test_c()
test_assembly()
sys.exit(1 if failures else 0)
