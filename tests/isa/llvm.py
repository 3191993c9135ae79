"""The LLVM tools as oracles: many words or lines in one run of a tool."""
import os
import re
import struct
import subprocess

TMP = os.environ["CY_TMP"]


def run(arguments, **options):
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, **options).stdout


def write_words(path, words):
    with open(path, "wb") as out:
        out.write(struct.pack(f"<{len(words)}I", *words))


def write_elf(path, words, bits=32):
    """The least an ELF object needs for llvm-objdump: a header, .text and the section names."""
    code = struct.pack(f"<{len(words)}I", *words)
    names = b"\0.text\0.shstrtab\0"
    wide = bits == 64
    header_size, section_size = (64, 64) if wide else (52, 40)
    layout = "<16sHHIQQQIHHHHHH" if wide else "<16sHHIIIIIHHHHHH"
    section = "<IIQQQQIIQQ" if wide else "<IIIIIIIIII"
    code_at, names_at = header_size, header_size + len(code)
    table_at = (names_at + len(names) + 7) & ~7
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    header = struct.pack(layout, ident, 1, 243, 1, 0, 0, table_at, 0, header_size, 0, 0, section_size, 3, 2)
    with open(path, "wb") as out:
        out.write(header + code + names)
        out.write(bytes(table_at - out.tell()))
        out.write(struct.pack(section, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        out.write(struct.pack(section, 1, 1, 6, 0, code_at, len(code), 0, 0, 4, 0))
        out.write(struct.pack(section, 7, 3, 0, 0, names_at, len(names), 0, 0, 1, 0))


def disassemble(words, triple, features, *options):
    """What llvm-objdump prints for each word, addresses from 0; None if it is not an instruction."""
    path = os.path.join(TMP, "words.o")
    write_elf(path, words, 64 if triple == "riscv64" else 32)
    text = run(["llvm-objdump-19", "-d", "-z", "--no-show-raw-insn", f"--triple={triple}", f"--mattr={features}", *options,
                path]).decode()
    lines = re.findall(r"^ *[0-9a-f]+:\s+(.*)$", text, re.MULTILINE)
    if len(lines) != len(words):
        raise SystemExit(f"llvm-objdump printed {len(lines)} lines for {len(words)} words")
    return [None if "<unknown>" in line else re.sub(r" <.*>$", "", line) for line in lines]


def assemble(lines, triple, features):
    """The word of each line by llvm-mc, and the messages: {index: message} of the lines it rejects."""
    source, target, image = (os.path.join(TMP, name) for name in ("lines.s", "lines.o", "lines.bin"))
    command = ["llvm-mc-19", f"--triple={triple}", f"--mattr={features}", "--filetype=obj", "-o", target, source]
    good, refused = list(range(len(lines))), {}
    for _ in range(2):
        with open(source, "w", encoding="ascii") as out:
            out.writelines(lines[i] + "\n" for i in good)
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
        errors = re.findall(r"^.*?:(\d+):\d+: error: (.*)$", done.stderr.decode(), re.MULTILINE)
        if done.returncode == 0:
            break
        refused.update({good[int(line) - 1]: message for line, message in errors})
        good = [i for i in good if i not in refused]
    else:
        raise SystemExit(f"llvm-mc: {done.stderr.decode()[:2000]}")
    run(["llvm-objcopy-19", "-O", "binary", "--only-section=.text", target, image])
    with open(image, "rb") as file:
        code = file.read()
    if len(code) != 4 * len(good):
        raise SystemExit(f"llvm-mc made {len(code)} bytes of {len(good)} lines")
    words = [None] * len(lines)
    for index, word in zip(good, struct.unpack(f"<{len(good)}I", code)):
        words[index] = word
    return words, refused
