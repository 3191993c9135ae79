"""Objects and executables of foreign tools, read and written again, as foreign tools see them.

    roundtrip.py REWRITE     (the program of rewrite.c)
"""
import filecmp
import json
import os
import subprocess
import sys

REWRITE = sys.argv[1]
TMP = os.environ["CY_TMP"]
failures = []

# Every kind of section, symbol and relocation that an assembler for this target makes.
MIXED = r"""
    .attribute arch, "rv32i2p1_m2p0"
    .file "mixed.s"
    .text
    .globl _start
    .type _start, @function
_start:
    call helper
    lui a0, %hi(table)
    addi a0, a0, %lo(table)
    lui a2, %hi(scratch)
    sw a0, %lo(scratch)(a2)
.Lpc: auipc a1, %pcrel_hi(scratch)
    lw a3, %pcrel_lo(.Lpc)(a1)
    sw a3, %pcrel_lo(.Lpc)(a1)
    bne a0, a3, far_away
    jal ra, far_away
    li a7, 93
    li a0, 42
    ecall
    .size _start, .-_start
    .balign 16
far_away: ret
    .section .text.kernel,"ax",@progbits
    .globl kernel
    .type kernel, @function
kernel: nop
    ret
    .size kernel, 8
    .section .ventus.resource.kernel,"",@progbits
    .half 4, 7, 16, 8
    .weak helper
    .hidden helper
    .type helper, @function
    .text
helper: ret
    .data
    .p2align 3
    .globl table
    .type table, @object
table:
    .word _start, table + 8, .Lpc - _start, absolute
    .byte far_away - _start
    .half far_away - _start
    .size table, .-table
    .bss
    .globl scratch
scratch: .space 4100
    .comm common, 64, 16
    .globl absolute
    .set absolute, 0x1234
    .section .rodata.str1.1,"aMS",@progbits,1
    .asciz "one"
    .asciz "two"
    .section .empty,"aw",@progbits
    .section .note,"",@note
    .word 4, 4, 1, 0x594343, 7
"""

C_SOURCE = r"""
extern int other(int);
static const int primes[] = {2, 3, 5, 7};
int counter;
__attribute__((weak)) int twice(int x) { return x * 2; }
int f(int x) { counter += primes[x & 3]; return twice(other(x)) + (x ? f(x - 1) : 0); }
"""


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        failures.append(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def check(condition, what, detail=""):
    if not condition:
        failures.append(f"{what}\n{detail}")


def path(name):
    return os.path.join(TMP, name)


def look(file):
    """Everything that matters, with names in place of numbers."""
    arguments = ["-h", "-S", "--section-data", "-r", "-s", "-l"]
    data = json.loads(run("llvm-readelf-19", "--elf-output-style=JSON", *arguments, file))[0]
    sections = [item["Section"] for item in data["Sections"]]
    tables = ("SHT_NULL", "SHT_SYMTAB", "SHT_STRTAB", "SHT_RELA", "SHT_GROUP", "SHT_LLVM_ADDRSIG")
    kept = {}
    for section in sections:
        if section["Type"]["Name"] in tables:
            continue
        name = section["Name"]["Name"]
        while name in kept:
            name += "'"
        # links between sections (0x40, 0x80) and groups (0x200) are not kept
        kept[name] = (section["Type"]["Value"], section["Flags"]["Value"] & ~0x2C0, section["Address"], section["Size"],
                      max(section["AddressAlignment"], 1), section["EntrySize"],
                      bytes(section.get("SectionData", {}).get("Bytes", [])))
    names = {section["Index"]: section["Name"]["Name"] for section in sections}
    symbols = []
    for item in data["Symbols"]:
        symbol = item["Symbol"]
        symbols.append((symbol["Name"]["Name"], symbol["Value"], symbol["Size"], symbol["Binding"]["Name"],
                        symbol["Type"]["Name"], symbol["Other"]["Value"] & 3, symbol["Section"]["Name"]))
    relocations = {}
    for group in data["Relocations"]:
        target = sections[group["SectionIndex"]]["Info"]
        relocations[names[target]] = [
            (item["Relocation"]["Offset"], item["Relocation"]["Type"]["Name"], item["Relocation"]["Symbol"]["Name"],
             item["Relocation"]["Addend"]) for item in group["Relocs"]]
    header = data["ElfHeader"]
    summary = (header["Type"], header["Machine"]["Value"], header["Entry"], header["Flags"]["Value"])
    segments = [item["ProgramHeader"] for item in data.get("ProgramHeaders", [])]
    return summary, kept, symbols, relocations, segments


def load(file, segments):
    """The memory after loading: {address: byte} of the file's parts, and the ranges of the segments."""
    contents, image, ranges = open(file, "rb").read(), {}, []
    for segment in segments:
        if segment["Type"]["Name"] != "PT_LOAD":
            continue
        start, offset = segment["VirtualAddress"], segment["Offset"]
        for i in range(segment["FileSize"]):
            image[start + i] = contents[offset + i]
        ranges.append((start, start + segment["MemSize"]))
        check(segment["Alignment"] == 0x1000 and offset % 0x1000 == start % 0x1000, f"{file}: segment at {start:#x}",
              "its offset is not congruent to its address")
    return image, ranges


def check_tools(file):
    """GNU readelf warns about nothing, gdb and both LLVM tools read it."""
    done = subprocess.run(["readelf", "-aW", file], capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr and "arning" not in done.stdout, f"readelf -a {file}",
          done.stderr + done.stdout)
    done = subprocess.run(["llvm-readelf-19", "-aW", file], capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr, f"llvm-readelf -a {file}", done.stderr)


def disassembly(file):
    text = run("llvm-objdump-19", "-d", "-r", "--mattr=+m", file)
    return text.split("\n", 2)[2]


def round_trip(name):
    """Reads NAME, writes NAME.2; both look the same.  Returns what the second looks like."""
    before, after = path(name), path(name + ".2")
    run(REWRITE, before, after)
    if not os.path.exists(after):
        return None
    check_tools(after)
    old, new = look(before), look(after)
    check(old[0] == new[0], f"{name}: header", f"{old[0]}\n{new[0]}")
    if old[0][0].startswith("Relocatable"):
        check(list(old[1]) == list(new[1]), f"{name}: order of sections", f"{list(old[1])}\n{list(new[1])}")
    check(sorted(old[1]) == sorted(new[1]), f"{name}: sections", f"{sorted(old[1])}\n{sorted(new[1])}")
    for section in old[1]:
        check(old[1][section] == new[1].get(section), f"{name}: section {section}",
              f"{old[1][section]}\n{new[1].get(section)}")
    check(old[2] == new[2], f"{name}: symbols", "\n".join(f"{a}\n{b}" for a, b in zip(old[2], new[2]) if a != b))
    check(old[3] == new[3], f"{name}: relocations", f"{old[3]}\n{new[3]}")
    check(disassembly(before) == disassembly(after), f"{name}: llvm-objdump -d -r differs")
    # written once, the file is stable
    run(REWRITE, after, path(name + ".3"))
    check(filecmp.cmp(after, path(name + ".3"), False), f"{name}: a second round differs")
    run(REWRITE, "--truncate", before)
    return new


def executable(name):
    """The same for an executable: what gets loaded is the same, and it runs the same."""
    new = round_trip(name)
    if not new:
        return
    image, ranges = load(path(name + ".2"), new[4])
    for section, (kind, flags, address, size, _, _, contents) in new[1].items():
        if not flags & 2:
            continue
        check(any(a <= address and address + size <= b for a, b in ranges) or size == 0, f"{name}: {section} not loaded")
        if kind != 8:
            loaded = bytes(image.get(address + i, 256 - 1) for i in range(size))
            check(loaded == contents, f"{name}: {section} is loaded with other contents")


def gdb(file, expression):
    return run("gdb-multiarch", "-nx", "-batch", "-ex", expression, file)


def objects():
    open(path("mixed.s"), "w").write(MIXED)
    open(path("c.c"), "w").write(C_SOURCE)
    run("llvm-mc-19", "-triple=riscv32", "-mattr=+m", "-filetype=obj", path("mixed.s"), "-o", path("mixed.o"))
    run("llvm-mc-19", "-triple=riscv32", "-mattr=+m,+relax", "-g", "-filetype=obj", path("mixed.s"), "-o", path("relax.o"))
    run("clang-19", "--target=riscv32-elf", "-march=rv32im", "-mabi=ilp32", "-O1", "-g", "-ffunction-sections", "-c",
        path("c.c"), "-o", path("c.o"))
    run("riscv64-unknown-elf-as", "-march=rv32im", "-mabi=ilp32", "-g", path("mixed.s"), "-o", path("gnu.o"))
    for name in ("mixed.o", "relax.o", "c.o", "gnu.o"):
        round_trip(name)
    check("kernel in section .text.kernel" in gdb(path("mixed.o.2"), "info symbol kernel"), "gdb: info symbol kernel")
    check(run(REWRITE, "--kernels", path("mixed.o.2")) == "kernel 0x0 record 4 7 16 8\n", "kernels of mixed.o")


def executables():
    """Links each object and its copy; the results are the same file."""
    for name in ("mixed", "relax"):
        for suffix in ("", ".2"):
            run("ld.lld-19", "-m", "elf32lriscv", "-e", "_start", path(name + ".o" + suffix), "-o", path(name + suffix))
            # lld names its input in no place, so the outputs can be compared as they are
        check(filecmp.cmp(path(name), path(name + ".2"), False), f"ld.lld makes different files of {name}.o and its copy")
        executable(name)
        for file in (path(name), path(name + ".2")):
            status = subprocess.run(["qemu-riscv32", file]).returncode
            check(status == 42, f"qemu-riscv32 {file}: status {status} instead of 42")
    check("_start in section .text" in gdb(path("mixed.2"), "info symbol _start"), "gdb: info symbol _start")

    high = ["-Ttext=0x80000000", "-Tdata=0x80010000", "--emit-relocs", "-e", "_start", path("mixed.o")]
    run("ld.lld-19", "-m", "elf32lriscv", *high, "-o", path("high"))
    executable("high")
    kernels = run(REWRITE, "--kernels", path("high.2"))
    check(kernels.startswith("kernel 0x8000") and kernels.endswith(" record 4 7 16 8\n"), "kernels of high", kernels)
    run("riscv64-unknown-elf-ld", "-m", "elf32lriscv", "-e", "_start", path("gnu.o"), "-o", path("gnu"))
    executable("gnu")
    run("llvm-objcopy-19", "--strip-sections", path("mixed"), path("bare"))
    run(REWRITE, "--kernels", path("bare"))


def relocation_names():
    ours = run(REWRITE, "--relocs", path("relocs.o")).split()
    data = json.loads(run("llvm-readelf-19", "--elf-output-style=JSON", "-r", path("relocs.o")))[0]
    theirs = [item["Relocation"]["Type"]["Name"] for item in data["Relocations"][0]["Relocs"]]
    check(ours == theirs, "relocation names", "\n".join(f"{a} {b}" for a, b in zip(ours, theirs) if a != b))


objects()
executables()
relocation_names()
for failure in failures:
    print("failed:", failure)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
