#!/usr/bin/env python3
"""Damaged, missing and impossible files: every command reports what is wrong and exits with status 1, never by a signal."""
import os
import random
import shutil
import struct
import subprocess
import sys

CY, SOURCE, TMP = os.environ["CY"], os.environ["CY_SOURCE"], os.environ["CY_TMP"]
sys.path.insert(0, f"{SOURCE}/tests/gpu_device")
sys.dont_write_bytecode = True
import replay  # noqa: E402  which writes recordings

failures = 0


def run(*words, **more):
    return subprocess.run([CY, *words], cwd=TMP, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, **more)


def fails(*words, status=1, **more):
    """Ends with this status and a message."""
    global failures
    done = run(*words, **more)
    if done.returncode != status or b"error" not in done.stderr or len(done.stderr) > 100000:
        print(f"cy {' '.join(words)}: status {done.returncode}: {done.stderr[-300:]!r}")
        failures += 1


def survives(*words):
    """Does something, or says why not."""
    global failures
    done = run(*words)
    if done.returncode not in (0, 1) or (done.returncode and b"error" not in done.stderr):
        print(f"cy {' '.join(words)}: status {done.returncode}: {done.stderr[-300:]!r}")
        failures += 1


def write(name, data):
    with open(f"{TMP}/{name}", "wb") as file:
        file.write(data)
    return name


LAUNCH = ("--global", "4", "-l", "4", "--set", "watchdog-instructions=10000", "--arg", "buffer:f32:16", "--arg", "buffer:f32:16", "--arg",
          "buffer:f32:16")


def readers(name):
    """Every command line that reads an ELF file of this name."""
    yield "dis", name
    yield "dis", "-r", "-l", "-S", "-t", "-s", name
    yield "dis", "--as", "-o", "/dev/null", name
    yield "ld", "-o", "/dev/null", name
    yield "ld", "--gc-sections", "--map", "/dev/null", "-o", "/dev/null", "good.o", name
    yield "run", name, *LAUNCH
    yield "run", "--list", name
    yield "epic", "run", name, "--watchdog", "10000"
    yield "epic", "pack", "-o", "/dev/null", name
    yield "replay", "-e", name, "good.metadata"


def set_up():
    shutil.copy(f"{SOURCE}/examples/asm/vecadd.s", f"{TMP}/good.s")
    shutil.copy(f"{SOURCE}/examples/epic/mandelbrot.s", f"{TMP}/epic.s")
    write("good.cl", b"kernel void k(global float *a) { a[get_global_id(0)] = 1; }\n")
    for words in (("as", "-o", "good.o", "good.s"), ("ld", "-o", "good.riscv", "good.o"),
                  ("as", "--march", "epic", "-o", "epic.o", "epic.s"), ("epic", "pack", "-o", "good.stream", "epic.s"),
                  ("cc", "-g", "-o", "lines.riscv", "good.cl")):
        done = run(*words)
        if done.returncode:
            sys.exit(f"{words}: {done.stderr.decode()}")
    elf = replay.build()
    replay.record("good", replay.launch_values(4, 4, 4), replay.buffers(elf)[0])


def test_no_elf():
    os.makedirs(f"{TMP}/directory", exist_ok=True)
    write("empty", b"")
    write("text", b"hello\n")
    for name in ("empty", "text", "directory", "missing", "good.s/x"):
        for words in readers(name):
            fails(*words)
    if os.geteuid():  # root reads everything
        write("secret", b"x")
        os.chmod(f"{TMP}/secret", 0)
        for words in readers("secret"):
            fails(*words)
    for name in ("directory", "missing"):
        fails("as", "-o", "/dev/null", name)
        fails("cc", "-o", "/dev/null", name)
        fails("dis", "--hex-file", name)
        fails("dis", "--raw-binary", name)
        fails("run", "--config", name, "good.riscv", *LAUNCH)
        fails("run", "good.riscv", "--global", "4", "--arg", f"buffer:f32=@{name}")
        fails("replay", f"{name}.metadata")
        fails("epic", "run", "epic.s", "--load", f"{name}@0")
        fails("ld", "-o", "/dev/null", "-l", f"./{name}x", "good.o")


def test_outputs():
    """Directories that are not there, a directory as the file, a full disk."""
    for name in ("no/such/directory/x", "directory", "/dev/full"):
        fails("as", "-o", name, "good.s")
        fails("cc", "-o", name, "good.cl")
        fails("cc", "-S", "-o", name, "good.cl")
        fails("ld", "-o", name, "good.o")
        fails("ld", "-o", "/dev/null", "--map", name, "good.o")
        fails("dis", "-o", name, "good.o")
        fails("dis", "--as", "-o", name, "good.o")
        fails("run", "good.riscv", *LAUNCH, "--out", f"2={name}")
        fails("run", "good.riscv", *LAUNCH, "--trace", name)
        fails("epic", "pack", "-o", name, "epic.s")
        fails("epic", "run", "epic.s", "--blocks", "2", "--save", f"{name}@0:16")
        fails("epic", "run", "epic.s", "--blocks", "240", "--png", name)
        fails("epic", "run", "epic.s", "--blocks", "240", "--gif", name)
    for name in ("no/such/directory", "good.s", "/dev/full"):
        fails("epic", "run", "epic.s", "--blocks", "240", "--frames", name)
        fails("replay", "--trace", name, "good.metadata")
        fails("replay", "--dump", name, "good.metadata")
    # Standard output that is full.
    for words in (("as", "-l", "-o", "/dev/null", "good.s"), ("as", "-o", "-", "good.s"), ("dis", "good.o"), ("isa",),
                  ("isa", "--markdown"), ("--help",), ("as", "--help"), ("cache",), ("cc", "-S", "-o", "-", "good.cl"),
                  ("cc", "--stats", "-o", "/dev/null", "good.cl"), ("run", "--list", "good.riscv"),
                  ("run", "good.riscv", *LAUNCH, "--print", "2"), ("run", "good.riscv", *LAUNCH, "--stats"),
                  ("epic", "run", "epic.s", "--stats"), ("epic", "run", "epic.s", "--dump-mem", "0:64"),
                  ("epic", "pack", "-o", "-", "epic.s"), ("replay", "good.metadata"), ("--version",)):
        with open("/dev/full", "w") as full:
            done = subprocess.run([CY, *words], cwd=TMP, stdout=full, stderr=subprocess.PIPE, timeout=60)
        if done.returncode != 1:
            global failures
            print(f"cy {' '.join(words)} to /dev/full: status {done.returncode}: {done.stderr!r}")
            failures += 1


def test_damaged_elf():
    """Cut files, and headers whose sizes, offsets and counts lie."""
    random.seed(3)
    wild = (0, 1, 3, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff)
    for good in ("good.o", "good.riscv", "lines.riscv", "epic.o"):
        data = open(f"{TMP}/{good}", "rb").read()
        variants = [data[:size] for size in (1, 4, 20, 51, 52, 60, len(data) // 2, len(data) - 1)]
        phoff, shoff = struct.unpack_from("<II", data, 28)
        shnum = struct.unpack_from("<H", data, 48)[0]
        places = [16, 18, 20, 24, 28, 32, 36, 40, 42, 44, 46, 48, 50]
        places += [shoff + 40 * i + field for i in range(shnum) for field in range(0, 40, 4)]
        places += [phoff + field for field in range(0, 32, 4)] if phoff else []
        for at in random.sample(places, min(len(places), 14)):
            changed = bytearray(data)
            struct.pack_into("<I", changed, at, random.choice(wild))
            variants.append(bytes(changed))
        for number, variant in enumerate(variants):
            name = write("damaged", variant)
            commands = list(readers(name))
            for words in commands if number < 8 else random.sample(commands, 4):
                survives(*words)


def test_damaged_others():
    random.seed(4)
    for good, words in (("good.stream", ("epic", "run", "damaged", "--watchdog", "10000")),
                        ("good.metadata", ("replay", "--watchdog-instructions", "10000", "damaged.metadata"))):
        data = open(f"{TMP}/{good}", "rb").read()
        shutil.copy(f"{TMP}/good.data", f"{TMP}/damaged.data")
        for _ in range(25):
            changed = bytearray(data)
            for _ in range(random.choice((1, 3))):
                changed[random.randrange(len(changed))] = random.choice(b"0f\n\xff8")
            write(words[2] if words[0] == "epic" else "damaged.metadata", bytes(changed[:random.randrange(1, len(changed) + 1)]))
            survives(*words)
    for text in (b"\x93NUMPY", b"\x93NUMPY\1\0\xff\xff{", b"\x93NUMPY\1\0\2\0{}",
                 b"\x93NUMPY\1\0\x3e\0{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}"):
        write("bad.npy", text)
        fails("run", "good.riscv", "--global", "4", "--arg", "buffer:f32=@bad.npy")
    write("bad.txt", b"1 2 nonsense\n")
    fails("run", "good.riscv", "--global", "4", "--arg", "buffer:f32=@bad.txt")
    write("odd.bin", b"123")
    fails("run", "good.riscv", "--global", "4", "--arg", "buffer:f32=@odd.bin")
    write("empty.bin", b"")
    fails("run", "good.riscv", "--global", "4", "--arg", "buffer:f32=@empty.bin")
    for number, text in enumerate((b"sms = lots\n", b"nothing\n", b"sms=99999999999999999999\n", b"\0\xff", b"preset = none\n")):
        write("bad.conf", text)
        fails("run", "--config", "bad.conf", "good.riscv", *LAUNCH)


set_up()
test_no_elf()
test_outputs()
test_damaged_elf()
test_damaged_others()
sys.exit(failures != 0)
