"""Scalar instructions against qemu: random programs over x1-x30 and a little memory; all registers, fcsr and memory must
be the same at the end.  A program that differs is reduced to the first statement after which it differs."""
import random
import struct
import sys

import oracle

PROGRAMS, STATEMENTS = 12, 1000
SIZE = 4096  # registers at 0, fcsr at 128, memory for the program from 1024; x31 = DATA + 2048
CPU = "rv32,f=false,d=false,c=false,zfinx=true"

EDGES = [0, 1, 2, 3, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFE, 31, 32, 0x3F800000, 0xBF800000, 0x7F800000,
         0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00001, 0x00800000, 0x807FFFFF, 0x00000001, 0x7F7FFFFF, 0x4F000000, 0xCF000000,
         0x4F800000, 0x3F000000, 0x3FC00000, 0x33800000, 0x4B000001, 0x3F7FFFFF]
ROWS = {}
for id_, mnemonic, format_, gens in oracle.rows():
    if gens == "VENTUS":
        ROWS.setdefault(format_, []).append(mnemonic)
ROUNDING = ["", ", rne", ", rtz", ", rdn", ", rup", ", rmm", ", dyn"]
ATOMICS = [name for name in ROWS["AMO"] if name.startswith("amo")]
LOADS = [name for name in ROWS["LOAD"] if not name.startswith("f")]
STORES = [name for name in ROWS["STORE"] if not name.startswith("f")]
WIDTH = {"b": 1, "h": 2, "w": 4}


def value(rng):
    choice = rng.randrange(5)
    if choice < 2:
        return rng.choice(EDGES)
    if choice == 2:
        return rng.randrange(-64, 64) & 0xFFFFFFFF
    if choice == 3:
        return 0x3F800000 + rng.randrange(-(1 << 26), 1 << 26) & 0xFFFFFFFF
    return rng.getrandbits(32)


def reg(rng):
    return f"x{rng.randrange(31)}"


def offset(rng, size):
    return rng.randrange(-1024 // size, 2044 // size) * size


def statement(rng, number):
    """A few lines of assembly, as one unit."""
    kind = rng.choices(["R", "I", "SHIFT", "U", "load", "store", "branch", "loop", "jump", "csr", "amo", "lrsc", "FR", "FRN", "FU",
                        "FUN", "FR4", "fence", "li"], [10, 8, 4, 2, 4, 4, 4, 1, 1, 3, 3, 2, 10, 6, 8, 3, 8, 1, 3])[0]
    d, a, b = reg(rng), reg(rng), reg(rng)
    if kind == "R":
        return f"{rng.choice(ROWS['R'])} {d}, {a}, {b}"
    if kind == "I":
        return f"{rng.choice(ROWS['I'])} {d}, {a}, {rng.randrange(-2048, 2048)}"
    if kind == "SHIFT":
        return f"{rng.choice(ROWS['SHIFT'])} {d}, {a}, {rng.randrange(32)}"
    if kind == "U":
        return f"{rng.choice(ROWS['U'])} {d}, {rng.getrandbits(20)}"
    if kind == "li":
        return f"li {d}, {value(rng)}"
    if kind == "load":
        name = rng.choice(LOADS)
        return f"{name} {d}, {offset(rng, WIDTH[name[1]])}(x31)"
    if kind == "store":
        name = rng.choice(STORES)
        return f"{name} {b}, {offset(rng, WIDTH[name[1]])}(x31)"
    if kind == "branch":
        return f"{rng.choice(ROWS['BRANCH'])} {a}, {b}, 1f\n {rng.choice(ROWS['R'])} {d}, {a}, {b}\n addi {b}, {b}, 1\n1:"
    if kind == "loop":
        return f"li x30, {rng.randrange(1, 5)}\n1: {rng.choice(ROWS['R'])} x{rng.randrange(30)}, {a}, {b}\n addi x30, x30, -1\n bnez x30, 1b"
    if kind == "jump":
        if rng.randrange(2):
            return f"jal {d}, 1f\n addi {a}, {a}, 3\n1:"
        return f"1: auipc x30, 0\n jalr {d}, {rng.choice(['12', '13'])}(x30)\n addi {a}, {a}, 5"
    if kind == "csr":
        if rng.randrange(3) == 0:  # a rounding mode that exists
            return f"csrrwi {d}, frm, {rng.randrange(5)}"
        name, source = rng.choice(["csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci"]), a
        if name.endswith("i"):
            source = rng.randrange(32)
        return f"{name} {d}, fflags, {source}"
    if kind == "amo":
        return f"{rng.choice(ATOMICS)}{rng.choice(['', '.aq', '.rl', '.aqrl'])} {d}, {b}, (x31)"
    if kind == "lrsc":
        store = rng.choice(["", f"sw {b}, 0(x31)\n ", "amoadd.w x0, x31, (x31)\n "])
        reserve = rng.choice([f"lr.w {d}, (x31)\n ", f"lr.w.aq {d}, (x31)\n ", ""])
        return f"sw x0, 0(x31)\n {reserve}{store if reserve else ''}sc.w {a}, {b}, (x31)"
    rounding = rng.choice(ROUNDING)
    if kind == "FR":
        return f"{rng.choice(ROWS['FR'])} {d}, {a}, {b}{rounding}"
    if kind == "FRN":
        return f"{rng.choice(ROWS['FRN'])} {d}, {a}, {b}"
    if kind == "FU":
        return f"{rng.choice(ROWS['FU'])} {d}, {a}{rounding}"
    if kind == "FUN":
        return f"fclass.s {d}, {a}"
    if kind == "FR4":
        return f"{rng.choice(ROWS['FR4'])} {d}, {a}, {b}, {reg(rng)}{rounding}"
    return "fence rw, rw"


def program(seed, count):
    """The text, the initial memory and the statements of a program."""
    rng = random.Random(seed)
    values = [value(rng) for _ in range(SIZE // 4)]
    statements = [statement(rng, i) for i in range(STATEMENTS)][:count]
    lines = [f"li x31, {oracle.DATA}"] + [f"lw x{i}, {4 * i}(x31)" for i in range(1, 31)] + [f"li x31, {oracle.DATA + 2048}"]
    lines += statements
    lines += [f"sw x{i}, {4 * i - 2048}(x31)" for i in range(31)] + ["csrr x1, fcsr", "sw x1, -1920(x31)"]
    return "\n".join(lines) + "\n" + oracle.epilogue(SIZE), struct.pack(f"<{len(values)}I", *values), statements


def differs(seed, count):
    text, data, statements = program(seed, count)
    elf = oracle.build(f"scalar{seed}", text, data, "+zfinx")
    expected, got = oracle.run_qemu(elf, CPU, SIZE), oracle.run_ours(elf, "ventus", 4, SIZE)
    if expected == got:
        return None
    words = [(i, *struct.unpack_from("<I", expected, i), *struct.unpack_from("<I", got, i)) for i in range(0, SIZE, 4)]
    return statements, [word for word in words if word[1] != word[2]]


def main():
    failed = 0
    for seed in range(PROGRAMS):
        if not differs(seed, STATEMENTS):
            continue
        failed += 1
        low, high = 0, STATEMENTS  # the first count that differs is in (low, high]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if differs(seed, middle) else (middle, high)
        statements, words = differs(seed, high)
        print(f"program {seed} differs after statement {high - 1}: {statements[-1]}")
        for offset_, expected, got in words[:4]:
            where = f"x{offset_ // 4}" if offset_ < 124 else "fcsr" if offset_ == 128 else f"memory +{offset_}"
            print(f"  {where}: qemu {expected:#010x}, ours {got:#010x}")
    print(f"{PROGRAMS} programs of {STATEMENTS} statements, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
