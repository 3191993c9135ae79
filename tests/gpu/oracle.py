"""qemu-riscv32 as the oracle of the engine: the same program, assembled by LLVM, on both; the memory from 0x90000000 is
compared when it is done."""
import os
import re
import struct
import subprocess

TMP = os.environ["CY_TMP"]
RUNNER = os.path.join(os.environ["CY_BUILD"], "tests", "gpu_runner")
CODE, DATA = 0x80000000, 0x90000000
FEATURES = "+m,+a,+zicsr,+zifencei"

LINKER_SCRIPT = """SECTIONS {
  .text 0x80000000 : { *(.text) }
  .data 0x90000000 : { *(.data) }
}
ENTRY(_start)
"""


def rows():
    """The rows of the tables: (id, mnemonic, format, generations)."""
    source = os.path.join(os.environ["CY_SOURCE"], "src", "isa")
    for name in ("rv32.def", "rvv.def", "ventus.def"):
        with open(os.path.join(source, name)) as table:
            for row in re.finditer(r'^(?:EXPR|HOOK)\((\w+),\s*"([^"]+)",\s*(\w+),\s*0x\w+,\s*(\w+),', table.read(), re.M):
                yield row.groups()


def sections(elf):
    """The bytes at CODE and at DATA of a linked file."""
    with open(elf, "rb") as file:
        image = file.read()
    (start,) = struct.unpack_from("<I", image, 28)
    size, count = struct.unpack_from("<HH", image, 42)
    found = {CODE: b"", DATA: b""}
    for i in range(count):
        kind, offset, address, _, bytes_, _, _, _ = struct.unpack_from("<8I", image, start + i * size)
        if kind == 1 and address in found:
            found[address] = image[offset : offset + bytes_]
    return found[CODE], found[DATA]


def build(name, text, data, features):
    """Assembles and links `text`, with `data` at DATA."""
    path = os.path.join(TMP, name)
    with open(path + ".data", "wb") as file:
        file.write(data)
    with open(path + ".s", "w") as file:
        file.write(f'.data\n.incbin "{path}.data"\n.text\n.globl _start\n_start:\n{text}')
    with open(path + ".ld", "w") as file:
        file.write(LINKER_SCRIPT)
    subprocess.run(["llvm-mc-19", "-triple=riscv32", f"-mattr={FEATURES},{features}", "-filetype=obj", path + ".s", "-o",
                    path + ".o"], check=True)
    subprocess.run(["ld.lld-19", "-T", path + ".ld", path + ".o", "-o", path + ".elf"], check=True)
    return path + ".elf"


def epilogue(size):
    """write(1, DATA, size); exit(0).  Our machine stops at the first ecall."""
    return f"li a0, 1\n li a1, {DATA:#x}\n li a2, {size}\n li a7, 64\n ecall\n li a0, 0\n li a7, 93\n ecall\n"


def run_qemu(elf, cpu, size):
    result = subprocess.run(["qemu-riscv32", "-cpu", cpu, elf], stdout=subprocess.PIPE, check=False)
    if result.returncode or len(result.stdout) != size:
        raise SystemExit(f"qemu ended with {result.returncode} after {len(result.stdout)} bytes on {elf}")
    return result.stdout


def run_ours(elf, target, lanes, size):
    code, data = sections(elf)
    paths = [elf + suffix for suffix in (".code", ".mem", ".out")]
    for path, content in zip(paths, (code, data)):
        with open(path, "wb") as file:
            file.write(content)
    # Looking for leaks takes seconds per process in some places; the C tests do that.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")}
    result = subprocess.run([RUNNER, target, str(lanes), *paths[:2], str(size), paths[2]], stderr=subprocess.PIPE, check=False,
                            env=environment)
    if result.returncode:
        raise SystemExit(f"{elf}: {result.stderr.decode()}")
    with open(paths[2], "rb") as file:
        return file.read()
