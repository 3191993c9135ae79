"""`cy dis` against llvm-objdump-19, line for line: objects and executables of standard code made by clang, llvm-mc and
lld, with relocations, symbol tables, contents, and every option that both have."""
import os
import random
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = compared = 0
os.chdir(TMP)
ATTRIBUTES = "+m,+zfinx,+zve32x"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def compare(what, ours, theirs):
    global failures, compared
    mine, other = run(CY, "dis", *ours).splitlines(), run("llvm-objdump-19", "--mattr=" + ATTRIBUTES, *theirs).splitlines()
    compared += len(other)
    if mine == other:
        return
    failures += 1
    print("FAILED: %s: cy dis %s" % (what, " ".join(ours)))
    shown = 0
    for number in range(max(len(mine), len(other))):
        one = mine[number] if number < len(mine) else None
        two = other[number] if number < len(other) else None
        if one != two:
            print("  line %d\n    ours %r\n    llvm %r" % (number + 1, one, two))
            shown += 1
            if shown == 3:
                break


def compare_code(path):
    compare("code", [path], ["-d", path])
    compare("relocations", ["-r", path], ["-d", "-r", path])


def compare_all(path):
    compare_code(path)
    compare("no aliases", ["--no-aliases", path], ["-d", "-M", "no-aliases", path])
    compare("numeric", ["--numeric", path], ["-d", "-M", "numeric", path])
    compare("decimal", ["--decimal", path], ["-d", "--no-print-imm-hex", path])
    compare("symbols", ["-t", path], ["-t", path])
    compare("both", ["-t", "-d", path], ["-t", "-d", path])


C_SOURCE = """
extern int g(int), table[];
static int state = 7;
int f(int x) { switch (x) { case 0: return g(1); case 1: return table[x]; case 2: return state++; case 3: return g(g(x)); } return x / 3; }
unsigned long long wide(unsigned long long a, unsigned b) { return a * b + (a >> b); }
float sum(const float *v, int n) { float s = 0; for (int i = 0; i < n; i++) s += v[i] * v[i]; return s; }
int _start(void) { return f(3) + (int)wide(4, 5) + (int)sum((float *)table, 3); }
"""
C_OTHER = "int table[16] = {1}; int g(int x) { return x * 5 % 7; }\n"


def test_c():
    for name, text in (("main", C_SOURCE), ("other", C_OTHER)):
        open(name + ".c", "w").write(text)
    for case, options in (("plain", "-O1"), ("debug", "-O2 -g"), ("sections", "-O2 -ffunction-sections"),
                          ("pic", "-O1 -fpic"), ("norelax", "-Os -mno-relax")):
        for name in ("main", "other"):
            run("clang-19", "--target=riscv32-unknown-elf", "-march=rv32im_zfinx", "-mabi=ilp32", "-fno-builtin",
                *options.split(), "-c", name + ".c", "-o", "%s_%s.o" % (name, case))
            compare_code("%s_%s.o" % (name, case))
        run("ld.lld-19", "-m", "elf32lriscv", "-Ttext=0x80000000", "main_%s.o" % case, "other_%s.o" % case, "-o",
            case + ".lld", "--defsym=__muldi3=0", "--defsym=__ashldi3=0", "--defsym=__lshrdi3=0")
        compare_code(case + ".lld")
        run(CY, "ld", "--no-library", "-o", case + ".ours", "main_%s.o" % case, "other_%s.o" % case, "-S")
        compare_all(case + ".ours")


ASM = """
    .globl g0
    .weak w0
nop
g0:
w0:
l0:
z0: .type z0, @object
    beq a0, a1, g0
    j z0
    jal t0, l0
1:  auipc ra, 4
    jalr 12(ra)
    auipc t1, 0x12345
    jr -8(t1)
    auipc t1, 1
    addi t1, t1, 4
    jalr t1
    auipc t1, 1
    beqz a0, 1b
    jalr t1
    auipc t1, 1
    nop
label_in_between:
    jalr t1
    jr 16(zero)
    jalr zero, 4(zero)
    lui a0, 0xfffff
    csrr a0, mstatus
    csrrwi a1, fcsr, 7
    csrr a1, 0x7c0
    csrr a2, cycle
    fence
    fence r, w
    fence.tso
    unimp
    li a0, -2048
    .globl end
    .section .text.second, "ax"
    bnez a0, 2f
    nop
2:  call outside
    tail g0
    .section .text.third, "ax"
after: j after
end:
"""


def test_assembly():
    open("asm.s", "w").write(ASM)
    for relax in ("+relax", "-relax"):
        run("llvm-mc-19", "-triple=riscv32", "-mattr=%s,%s" % (ATTRIBUTES, relax), "-filetype=obj", "asm.s", "-o", "asm.o")
        compare_all("asm.o")
    run("ld.lld-19", "-m", "elf32lriscv", "-Ttext=0x20000", "--defsym=outside=0x20100", "-e", "0", "asm.o", "-o", "asm.lld")
    compare_all("asm.lld")
    run("llvm-objcopy-19", "--strip-all", "asm.lld", "bare.lld")
    compare("without symbols", ["bare.lld"], ["-d", "bare.lld"])


def test_contents():
    open("data.s", "w").write('.data\n.asciz "text that is longer than one line"\n.byte 1,2,3,128,255\n.section odd,"a"\n.byte 7\n')
    run("llvm-mc-19", "-triple=riscv32", "-filetype=obj", "data.s", "-o", "data.o")
    compare("contents", ["-s", "data.o"], ["-s", "-j", ".data", "-j", "odd", "data.o"])


def test_many():
    """A long text of valid instructions with random operands."""
    random.seed(20)
    registers = ["zero", "ra", "sp", "gp", "tp"] + ["t%d" % i for i in range(7)] + ["s%d" % i for i in range(12)] + \
                ["a%d" % i for i in range(8)]
    x = lambda: random.choice(registers)
    v = lambda: "v%d" % random.randrange(32)
    i = lambda: random.randrange(-2048, 2048)
    forms = [lambda: "%s %s, %s, %s" % (random.choice("add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div "
                                                      "divu rem remu".split()), x(), x(), x()),
             lambda: "%s %s, %s, %d" % (random.choice("addi slti sltiu xori ori andi".split()), x(), x(), i()),
             lambda: "%s %s, %d(%s)" % (random.choice("lb lh lw lbu lhu sb sh sw".split()), x(), i(), x()),
             lambda: "%s %s, %s, fun%d" % (random.choice("beq bne blt bge bltu bgeu".split()), x(), x(), block),
             lambda: "%s %s, %s, %d" % (random.choice("slli srli srai".split()), x(), x(), random.randrange(32)),
             lambda: "%s %s, %s, %s" % (random.choice("fadd.s fsub.s fmul.s fdiv.s fsgnj.s fsgnjn.s fsgnjx.s fmin.s fmax.s "
                                                      "feq.s flt.s fle.s".split()), x(), x(), x()),
             lambda: "%s %s, %s, %s, %s" % (random.choice("fmadd.s fmsub.s fnmadd.s fnmsub.s".split()), x(), x(), x(), x()),
             lambda: "%s v%d, %s, %s%s" % (random.choice("vadd.vv vsub.vv vand.vv vsll.vv vmul.vv vmseq.vv".split()),
                                           random.randrange(1, 32), v(), v(), random.choice(["", ", v0.t"])),
             lambda: "%s %s, %s, %s" % (random.choice("vadd.vx vmax.vx vrsub.vx vsra.vx".split()), v(), v(), x()),
             lambda: "vsetvli %s, %s, e32, m1, ta, ma" % (x(), x()),
             lambda: "lui %s, %d" % (x(), random.randrange(1 << 20)),
             lambda: "auipc %s, %d" % (x(), random.randrange(1 << 20)),
             lambda: "jalr %s, %d(%s)" % (x(), i(), random.choice(registers[1:])),
             lambda: "csrrw %s, %d, %s" % (x(), random.choice([1, 2, 3, 0x300, 0x305, 0xc20, 0xc21, 0xc22]), x())]
    lines = []
    for number in range(12000):
        if number % 40 == 0:
            block = number
            lines.append("fun%d:" % number)
        lines.append(" " + random.choice(forms)())
    open("many.s", "w").write("\n".join(lines) + "\n")
    run("llvm-mc-19", "-triple=riscv32", "-mattr=%s,-relax" % ATTRIBUTES, "-filetype=obj", "many.s", "-o", "many.o")
    compare_all("many.o")


test_c()
test_assembly()
test_contents()
test_many()
print("%d lines compared" % compared)
sys.exit(1 if failures else 0)
