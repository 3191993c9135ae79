#!/usr/bin/env python3
"""Every example that a help text shows works as it is shown, in a directory with the files it names."""
import os
import re
import shutil
import struct
import subprocess
import sys

CY, SOURCE, BUILD, TMP = (os.environ[name] for name in ("CY", "CY_SOURCE", "CY_BUILD", "CY_TMP"))
sys.path.insert(0, f"{SOURCE}/tests/gpu_device")
sys.dont_write_bytecode = True
import replay  # noqa: E402  which writes recordings

HELP = re.compile(r"`?(cy epic \w+) --help")
# A checked program keeps what it has released, to find later uses.
ENVIRONMENT = os.environ | {"PATH": f"{os.path.dirname(CY)}:{os.environ['PATH']}", "ASAN_OPTIONS": "detect_leaks=0"}
failures = 0


def cy(*words):
    done = subprocess.run([CY, *words], cwd=TMP, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"cy {' '.join(words)}: {done.stderr}")
    return done.stdout


def write(name, text):
    os.makedirs(os.path.dirname(f"{TMP}/{name}"), exist_ok=True)
    with open(f"{TMP}/{name}", "w" if isinstance(text, str) else "wb") as file:
        file.write(text)


def set_up():
    os.symlink(f"{SOURCE}/examples", f"{TMP}/examples")
    for name, source in {"vecadd.cl": "bench/codegen/vecadd.cl", "nbody.cl": "bench/codegen/nbody.cl",
                         "kernel.cl": "bench/codegen/saxpy.cl", "vecadd.s": "examples/asm/vecadd.s",
                         "b.s": "examples/epic/triangle.s"}.items():
        shutil.copy(f"{SOURCE}/{source}", f"{TMP}/{name}")
    shutil.copy(f"{BUILD}/bin/examples/vecadd", f"{TMP}/vecadd")
    cy("as", "-o", "vecadd.o", "vecadd.s")
    shutil.copy(f"{TMP}/vecadd.o", f"{TMP}/kernels.o")
    cy("ld", "-o", "vecadd.riscv", "vecadd.o")
    write("a.s", ".globl k\n.type k, @function\nk: call helper\nret\n.size k, .-k\n")
    write("helper.s", ".globl helper\nhelper: ret\n")
    cy("as", "-o", "a.o", "a.s")
    os.makedirs(f"{TMP}/build/mylib")
    cy("as", "-o", "build/mylib/helper.o", "helper.s")
    write("rtl.conf", "preset = rtl\n")
    write("main.cl", "kernel void other(void) {}\nkernel void scale(global int *a) { a[get_global_id(0)] += get_global_id(1); }\n")
    cy("cc", "-o", "kernel.riscv", "main.cl")
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (4096,), }"
    header += " " * (117 - len(header)) + "\n"
    write("in.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(4 * 4096))
    shutil.copy(f"{SOURCE}/examples/epic/triangle.s", f"{TMP}/draw.s")
    cy("epic", "pack", "draw.s", "-o", "draw.stream")
    cy("epic", "pack", "draw.s", "--slot", "1", "--addr", "0x1000", "-o", "show.stream")
    cy("run", "vecadd.cl", "--global", "64", *["--arg", "buffer:f32:64"] * 3, "--arg", "64", "--record", "launch")
    elf = replay.build()
    for name in ("vecadd4x8", "bfs_0", "bfs_1"):
        replay.record(name, replay.launch_values(4, 4, 4), replay.buffers(elf)[0])
    shutil.copy(elf, f"{TMP}/bfs.riscv")


def examples(text):
    """The commands of a help text, without what is said about them."""
    lines = re.sub(r"\\\n *", "", text).splitlines()
    start = next((i for i, line in enumerate(lines) if line == "examples:"), len(lines))
    for line in lines[start + 1:]:
        if not line.startswith("  "):
            return
        yield re.split(r"(?<=\S)   +", line.strip())[0].strip()


def run(command):
    global failures
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=TMP, env=ENVIRONMENT, capture_output=True, timeout=200)
    said = done.stderr.replace(b"warning: File transfers from remote targets can be slow", b"") # GDB's own
    if done.returncode or b"warning" in said:
        print(f"{command}: status {done.returncode}: {done.stderr.decode()}")
        failures += 1


set_up()
top = cy("--help")
texts = [top]
for name in re.findall(r"^  (\w+) ", top.split("commands:")[1].split("examples:")[0], re.M):
    if name != "help":
        texts.append(cy(name, "--help"))
        texts += [cy(*more.split()[1:], "--help") for more in HELP.findall(texts[-1])]
commands = [command for text in texts for command in examples(text)]
for command in commands:
    run(command)
if len(commands) < 30:
    print(f"only {len(commands)} examples: {commands}")
    failures += 1
sys.exit(failures != 0)
