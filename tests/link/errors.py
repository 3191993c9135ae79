"""Every reason for a link to fail, with the exact messages; no output file is left, and nothing crashes."""
import os
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0
os.chdir(TMP)


def write(name, data):
    with open(name, "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)
    return name


def assemble(name, text, attributes="+m,+a,-relax"):
    write(name + ".s", text)
    subprocess.run(["llvm-mc-19", "-triple=riscv32", "-mattr=" + attributes, "-filetype=obj", name + ".s", "-o",
                    name + ".o"], check=True)
    return name + ".o"


def check(what, arguments, expected, status=1):
    global failures
    write("a.out", "left over")
    done = subprocess.run([CY, "ld", "--no-library"] + arguments, capture_output=True, text=True)
    if done.stderr != expected or done.stdout or done.returncode != status:
        failures += 1
        print("FAILED: %s\n--- expected\n%s--- got (status %d)\n%s%s" %
              (what, expected, done.returncode, done.stderr, done.stdout))
    if os.path.exists("a.out") != (status != 1):
        failures += 1
        print("FAILED: %s: a.out is %s" % (what, "missing" if status != 1 else "left over"))


def patch(path, offset, data):
    image = bytearray(open(path, "rb").read())
    image[offset:offset + len(data)] = data
    return write("patched_" + os.path.basename(path), bytes(image))


START = ".globl _start\n_start: nop\n"
start = assemble("start", START)

# Undefined symbols: all of them in one run, with every file and the nearest name.
first = assemble("first", START + "call frobnicate\nlui a0, %hi(frobnicate)\ncall missing\n.globl frobincate\nfrobincate: ret\n")
second = assemble("second", ".text\n nop\n call frobnicate\n call frobnicate\n.data\n.word elsewhere\n")
check("undefined", [first, second],
      "first.o: error: undefined symbol 'frobnicate', needed at .text+0x4, .text+0xc, second.o(.text+0x4) and 1 more"
      "; did you mean 'frobincate'?\n"
      "first.o: error: undefined symbol 'missing', needed at .text+0x10\n"
      "second.o: error: undefined symbol 'elsewhere', needed at .data+0x0\n")
check("no start", [assemble("empty", "nop\n")],
      "error: no start-up code: neither an object nor a library defines '_start'\n")
check("entry", ["-e", "strat", assemble("entry", START + ".globl start\nstart: nop\n")],
      "error: undefined symbol 'strat', the entry; did you mean 'start'?\n")

# Twice the same name.
twice = assemble("twice", "nop\n.globl _start\n_start: nop\n")
check("duplicate", [start, twice],
      "twice.o: error: '_start' is defined twice: here at .text+0x4 and in start.o at .text+0x0\n")
check("duplicate absolute", [start, assemble("absolute", ".globl _start\n.set _start, 5\n")],
      "absolute.o: error: '_start' is defined twice: here at absolute value 0x5 and in start.o at .text+0x0\n")

# What does not reach.
far = assemble("far", ".globl far\n.section .far, \"ax\"\nfar: nop\n")
check("branch", [assemble("branch", START + ".insn b 0x63, 0, a0, a1, 0\n.reloc .-4, R_RISCV_BRANCH, far\n"), far,
                 "--section-start", ".far=0x8000138c"],
      "error: R_RISCV_BRANCH in branch.o(.text+0x4) to 'far' is 5000 bytes away, reach is ±4096\n")
check("jump", [assemble("jump", START + "jal far\n"), far, "--section-start", ".far=0x80200004"],
      "error: R_RISCV_JAL in jump.o(.text+0x4) to 'far' is 2097152 bytes away, reach is ±1048576\n")
check("odd", [assemble("odd", START + "jal far\n"), assemble("odd_far", ".globl far\n.set far, 0x80000007\n")],
      "error: R_RISCV_JAL in odd.o(.text+0x4) to 'far': 3 is not a multiple of 2\n")
check("pair", [assemble("pair", START + "nop\n.reloc .-4, R_RISCV_PCREL_LO12_I, _start\n")],
      "error: R_RISCV_PCREL_LO12_I in pair.o(.text+0x4): there is no %pcrel_hi at '_start'\n")

# Relocations that cannot be applied.
check("thread", [assemble("thread", START + "lui a0, %tprel_hi(x)\n.section .tbss,\"awT\",@nobits\nx: .word 0\n")],
      "thread.o: error: section .tbss: there are no thread-local variables on this machine\n")
check("dynamic", [assemble("dynamic", START + "nop\n.reloc .-4, R_RISCV_RELATIVE, _start\n"
                           ".reloc .-4, R_RISCV_TPREL_HI20, _start\n")],
      "dynamic.o: error: relocation R_RISCV_RELATIVE (type 3) at .text+0x4: it belongs to dynamic linking, which this "
      "machine does not have\n"
      "dynamic.o: error: relocation R_RISCV_TPREL_HI20 (type 29) at .text+0x4: there are no thread-local variables on "
      "this machine\n")
copy = assemble("copy", START + "nop\n.reloc .-4, R_RISCV_COPY, _start\n")
at = open(copy, "rb").read().index(bytes([4, 0, 0, 0, 4])) + 4
check("unknown", [patch(copy, at, bytes([200]))],
      "patched_copy.o: error: relocation of unknown type (type 200) at .text+0x4: it is not supported\n")
check("beyond", [assemble("beyond", START + "nop\n.reloc .-2, R_RISCV_32, _start\n")],
      "beyond.o: error: R_RISCV_32 at .text+0x6 is beyond the end of its section (8 bytes)\n")

# Inputs that do not go together.
gen2 = patch("start.o", 36, bytes([0, 0, 0, 1]))
check("generations", [assemble("one", "nop\n"), gen2],
      "patched_start.o: error: code for Ventus gen2, but one.o is for gen1\n")
check("asked for the other", ["-march=ventus", gen2],
      "patched_start.o: error: code for Ventus gen2, but -march=ventus asks for gen1\n")
check("machine", [start, patch("one.o", 18, (0xe91c).to_bytes(2, "little"))],
      "patched_one.o: error: an object for a different machine than start.o\n")
subprocess.run([CY, "ld", "--no-library", "-o", "linked", start], check=True)
check("linked", ["linked"], "linked: error: not a relocatable object: it is already linked\n")
check("no elf", [write("text", "hello\n")], "text: error: not an ELF file\n")
check("cut off", [write("short.o", open(start, "rb").read()[:40])],
      "short.o: error: the ELF header is cut off: the file has 40 of its 52 bytes\n")
check("missing file", ["nowhere.o"], "nowhere.o: error: cannot open: No such file or directory\n")
check("compressed code", [assemble("rvc", START + "c.nop\n", "+c"), "--section-start", ".none=4"],
      "rvc.o: warning: contains compressed instructions, which Ventus does not support\n"
      "error: there is no section .none to place\n")

# Addresses.
check("too large", [assemble("large", START + ".bss\n.space 0x10000000\n")],
      "error: the program ends at 0x90001000, but buffers begin at 0x90000000\n")
check("over the end", ["--base", "0xfffffff0", assemble("end", START + ".space 100\n")],
      "error: section .text (104 bytes at 0xfffffff0) does not fit in the 32-bit address space\n")
check("overlap", [assemble("overlap", START + ".data\n.word 1\n"), "--section-start", ".data=0x80000000"],
      "error: sections .text (0x80000000 to 0x80000004) and .data (from 0x80000000) overlap\n")
check("misplaced", [start, "--section-start", ".text=0x80000002"],
      "error: section .text cannot start at 0x80000002: its alignment is 4\n")

# Kernels and libraries.
check("kernel", [assemble("kernel", START + ".globl vecadd\nvecadd: ret\n"), "--kernel", "vecad"],
      "error: there is no kernel 'vecad'; did you mean 'vecadd'?\n")
check("library", [start, "-l", "mine", "-L", "here", "-L", "there"],
      "error: library 'mine' not found; there is no here/mine, there/mine\n")
check("library path", [start, "-l", "./nowhere"],
      "./nowhere: error: cannot read the library: No such file or directory\n")
os.mkdir("bad")
write("bad/a.o", "no object")
check("library member", [start, "-l", "./bad"], "./bad/a.o: error: not an ELF file\n")

# The command line.
check("no file", [], "cy ld: error: no input file; try 'cy ld --help'\n", 2)
check("base", ["--base", "here", start], "cy ld: error: --base needs a 32-bit address, not 'here'; try 'cy ld --help'\n", 2)
check("section", ["--section-start", ".text", start],
      "cy ld: error: --section-start needs NAME=ADDRESS, not '.text'; try 'cy ld --help'\n", 2)
sys.exit(1 if failures else 0)
