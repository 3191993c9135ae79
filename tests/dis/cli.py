"""The command line of `cy dis`: forms of input and output with the exact text, and every message."""
import os
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0
os.chdir(TMP)


def check(what, arguments, expected, errors="", status=0, text=None):
    global failures
    done = subprocess.run([CY, "dis"] + arguments, input=text, capture_output=True, text=True)
    if (done.stdout, done.stderr, done.returncode) != (expected, errors, status):
        failures += 1
        print("FAILED: %s\n--- expected (status %d)\n%s%s--- got (status %d)\n%s%s" %
              (what, status, expected, errors, done.returncode, done.stdout, done.stderr))


def write(name, data):
    with open(name, "wb" if isinstance(data, bytes) else "w") as file:
        file.write(data)
    return name


# Words.  A prefix is joined to its instruction; --raw shows both as the vendor's llvm-objdump does.
check("one word", ["--hex", "00b50533"], "       0: 00b50533     \tadd\ta0, a0, a1\n")
check("prefix", ["--hex", "0010200b", "5e024057"], "       0: 0010200b 5e024057 \tvmv.v.x\tv32, tp\n")
check("raw", ["--raw", "--hex", "0010200b", "5e024057"],
      "       0: 0b 20 10 00  \tregext\tzero, zero, 1\n       4: 57 40 02 5e  \tvmv.v.x\tv0, tp\n")
check("base", ["--base", "0x800000cc", "--hex", "0x00000317,1003305b", "0e00dc5b"],
      "800000cc: 00000317     \tauipc\tt1, 0x0\n800000d0: 1003305b     \tsetrpc\tzero, t1, 0x100 # 0x800001cc\n"
      "800000d4: 0e00dc5b     \tvbge\tv0, v1, 0x800001cc\n")
check("data", ["--hex", "12345678", "0", "ffffffff"],
      "       0: 12345678     \t.word\t0x12345678\n       4: 00000000     \t.word\t0x0\n"
      "       8: ffffffff     \t.word\t0xffffffff\n")
check("lonely prefix", ["--hex", "0010200b", "0010200b", "5e024057"],
      "       0: 0010200b     \t.word\t0x10200b # regext without an instruction\n"
      "       4: 0010200b 5e024057 \tvmv.v.x\tv32, tp\n")
check("stdin", ["--hex"], "       0: 0000400b     \tendprg\tx0, x0, x0\n",
      text="# the end\n0000400b\n")
check("file", ["--hex-file", write("words.hex", "00a58533\n0x00008067 # back\n")],
      "       0: 00a58533     \tadd\ta0, a1, a0\n       4: 00008067     \tret\n")
check("names", ["--csr-names", "--hex", "80302573"], "       0: 80302573     \tcsrr\ta0, knl\n")
check("number", ["--hex", "80302573"], "       0: 80302573     \tcsrr\ta0, 0x803 # knl\n")
check("no comment", ["--no-comments", "--hex", "80302573"], "       0: 80302573     \tcsrr\ta0, 0x803\n")
check("decimal", ["--decimal", "--hex", "80302573", "fff00513"],
      "       0: 80302573     \tcsrr\ta0, 2051 # knl\n       4: fff00513     \tli\ta0, -1\n")
check("no aliases", ["--no-aliases", "--numeric", "--hex", "fff00513"], "       0: fff00513     \taddi\tx10, x0, -0x1\n")
check("gen2", ["-march=ventus-gen2", "--hex", "0000202b"], "       0: 0000202b     \tvlw12d.v\tv0, 0x0(v0)\n")
check("gen1", ["--hex", "0000202b"], "       0: 0000202b     \tvlw.v\tv0, 0x0(v0)\n")
check("epic", ["--march", "epic", "--hex", "e0001c00"], "       0: e0001c00     \texit\n")

# Plain binaries.
check("binary", ["--raw-binary", "--base", "0x100", write("code.bin", bytes.fromhex("3385a50063060500"))],
      "\ncode.bin:\tfile format binary\n\nDisassembly of section .text:\n\n00000100 <.text>:\n"
      "     100: 00a58533     \tadd\ta0, a1, a0\n     104: 00050663     \tbeqz\ta0, 0x110 <.text+0x10>\n")
check("odd binary", ["--raw-binary", write("odd.bin", b"\x67\x80\0\0\x01\x02")],
      "\nodd.bin:\tfile format binary\n\nDisassembly of section .text:\n\n00000000 <.text>:\n"
      "       0: 00008067     \tret\n       4: 01           \t.byte\t0x1\n       5: 02           \t.byte\t0x2\n")

# Objects: only a symbol, only some addresses.
write("two.s", ".globl f, g\n.type f, @function\nf: nop\nloop: j loop\n.size f, .-f\ng: ret\n nop\n")
subprocess.run([CY, "as", "-o", "two.o", "two.s"], check=True)
head = "\ntwo.o:\tfile format elf32-littleriscv\n\nDisassembly of section .text:\n"
f = "\n00000000 <f>:\n       0: 00000013     \tnop\n"
loop = "\n00000004 <loop>:\n       4: 0000006f     \tj\t0x4 <loop>\n"
g = "\n00000008 <g>:\n       8: 00008067     \tret\n       c: 00000013     \tnop\n"
check("all", ["two.o"], head + f + loop + g)
check("symbol with a size", ["--symbol", "f", "two.o"], head + f + loop)
check("symbol without", ["--kernel", "g", "two.o"], head + g)
check("range", ["--start", "4", "--stop", "0xc", "two.o"],
      head + loop + "\n00000008 <g>:\n       8: 00008067     \tret\n")
check("in the middle", ["--start", "0xc", "two.o"], head + "\n0000000c <g+0x4>:\n       c: 00000013     \tnop\n")
check("no symbol", ["--symbol", "h", "two.o"], "\ntwo.o:\tfile format elf32-littleriscv\n",
      "two.o: error: there is no symbol 'h'\n", 1)

# Messages.
check("no file", [], "", "cy dis: error: no input file; try 'cy dis --help'\n", 2)
check("missing", ["nowhere.o"], "", "nowhere.o: error: cannot open: No such file or directory\n", 1)
check("no elf", [write("text", "hello")], "", "text: error: not an ELF file\n", 1)
check("empty", [write("nothing", "")], "", "nothing: error: the file is empty\n", 1)
image = open("two.o", "rb").read()
check("cut off", [write("cut.o", image[:60])], "",
      "cut.o: error: the table of section headers (%d of 40 bytes at 0x%x) is beyond the end of the file (0x3c bytes)\n" %
      (int.from_bytes(image[48:50], "little"), int.from_bytes(image[32:36], "little")), 1)
check("words", ["--hex", "00b50533", "0xnothing"], "",
      "<arguments>:2:1: error: expected a word of 1 to 8 hexadecimal digits\n0xnothing\n^~~~~~~~~\n", 1)
check("words of a file", ["--hex-file", write("bad.hex", "00b50533\n  123456789\n")], "",
      "bad.hex:2:3: error: expected a word of 1 to 8 hexadecimal digits\n  123456789\n  ^~~~~~~~~\n", 1)
check("target", ["-march=x86", "two.o"], "", "cy dis: error: unknown target 'x86'; try 'cy dis --help'\n", 2)
check("address", ["--start", "f", "two.o"], "",
      "cy dis: error: --start needs a 32-bit address, not 'f'; try 'cy dis --help'\n", 2)
check("two files, one bad", ["text", "two.o"], head + f + loop + g, "text: error: not an ELF file\n", 1)
sys.exit(1 if failures else 0)
