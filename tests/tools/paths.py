#!/usr/bin/env python3
"""No command overwrites what it reads, or writes one file twice, however the names are spelled."""
import os
import shutil
import struct
import subprocess
import sys
import time

CY, SOURCE, TMP = os.environ["CY"], os.environ["CY_SOURCE"], os.environ["CY_TMP"]
failures = 0


def run(*words, cwd=TMP, **more):
    return subprocess.run([CY, *words], cwd=cwd, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL,
                          **more)


def check(what, got, expected):
    global failures
    if got != expected:
        print(f"{what}: {got!r}, expected {expected!r}")
        failures += 1


def snapshot():
    """Every file with its contents, links as such; without the compiler's cache."""
    files = {}
    for directory, _, names in os.walk(TMP):
        if directory.startswith(f"{TMP}/cache"):
            continue
        for name in names:
            path = os.path.join(directory, name)
            files[path] = os.readlink(path) if os.path.islink(path) else open(path, "rb").read()
    return files


def refused(what, *words):
    before = snapshot()
    done = run(*words)
    check(f"{what}: {words}", (done.returncode, done.stdout), (2, ""))
    check(f"{what}: {words}: message", what in done.stderr and "nothing was written" in done.stderr, True)
    check(f"{what}: {words}: files", snapshot() == before, True)


def allowed(*words):
    done = run(*words)
    check(f"{words}", (done.returncode, done.stderr), (0, ""))


def spellings(name):
    """Other names of a file in TMP."""
    link, hard, chain = f"symbolic-{name}", f"hard-{name}", f"chain-{name}"
    for path in (link, hard, chain):
        if os.path.lexists(f"{TMP}/{path}"):
            os.remove(f"{TMP}/{path}")
    os.symlink(name, f"{TMP}/{link}")
    os.symlink(link, f"{TMP}/{chain}")
    os.link(f"{TMP}/{name}", f"{TMP}/{hard}")
    return [name, f"./{name}", f"{TMP}/{name}", f"dir/../{name}", f"there/{name}", link, chain, hard]


INPUT, TWICE = "would overwrite the input", "are the same file"


def recording(stem):
    """A recorded launch that does nothing; only its names matter here."""
    with open(f"{TMP}/{stem}.metadata", "w") as file:
        file.write("0\n")
    with open(f"{TMP}/{stem}.data", "w") as file:
        file.write("0\n")


def main():
    os.makedirs(f"{TMP}/dir", exist_ok=True)
    os.symlink(".", f"{TMP}/there")
    shutil.copy(f"{SOURCE}/examples/asm/vecadd.s", f"{TMP}/v.s")
    shutil.copy(f"{SOURCE}/examples/epic/mandelbrot.s", f"{TMP}/m.s")
    with open(f"{TMP}/k.cl", "w") as file:
        file.write("kernel void k(global int *a, global int *b) { a[get_global_id(0)] = b[get_global_id(0)]; }\n")
    with open(f"{TMP}/b.bin", "wb") as file:
        file.write(struct.pack("<16i", *range(16)))
    with open(f"{TMP}/machine.conf", "w") as file:
        file.write("sms = 2\n")
    with open(f"{TMP}/words.hex", "w") as file:
        file.write("0010200b\n")
    allowed("as", "-o", "v.o", "v.s")
    allowed("as", "-o", "second.o", "v.s")
    allowed("ld", "-o", "v.riscv", "v.o")
    allowed("cc", "-g", "k.cl")  # with lines: it need not be compiled again
    recording("one")
    os.makedirs(f"{TMP}/other", exist_ok=True)
    recording("other/one")

    for name in spellings("v.s"):
        refused(INPUT, "as", "-o", name, "v.s")
        refused(INPUT, "as", "-l", "-o", "v.s", name)
    for name in ("included.s", "data.bin"):
        with open(f"{TMP}/{name}", "w") as file:
            file.write("nop\n")
    with open(f"{TMP}/includes.s", "w") as file:
        file.write('.include "included.s"\n.incbin "data.bin"\n')
    for name in ("included.s", "there/included.s", "data.bin"):
        refused(INPUT, "as", "-l", "-o", name, "includes.s")
    for name in spellings("v.o"):
        refused(INPUT, "dis", "-o", name, "v.o")
        refused(INPUT, "dis", "--as", "-o", "v.o", name)
        refused(INPUT, "ld", "-o", name, "v.o")
        refused(INPUT, "ld", "-o", "x.riscv", "--map", name, "v.o")
        refused(INPUT, "ld", "-o", "v.o", "second.o", name)
    shutil.copy(f"{TMP}/v.s", f"{TMP}/a.out")
    refused(INPUT, "ld", "a.out")  # the default name; a failed link would have removed it
    shutil.copy(f"{TMP}/v.s", f"{TMP}/source.o")
    refused(INPUT, "as", "source.o")
    shutil.copy(f"{TMP}/v.s", f"{TMP}/dir/v.s")
    refused(TWICE, "as", "v.s", "dir/v.s")
    refused(INPUT, "dis", "--hex-file", "words.hex", "-o", "there/words.hex")
    for name in spellings("k.cl"):
        refused(INPUT, "cc", "-o", name, "k.cl")
        refused(INPUT, "cc", "-S", "-o", "k.cl", name)
        refused(INPUT, "run", "k.cl", "--trace", name, "--global", "1")
    with open(f"{TMP}/k.h", "w") as file:
        file.write("#define N 3\n")
    with open(f"{TMP}/includes.cl", "w") as file:
        file.write('#include "k.h"\nkernel void k(global int *a) { a[get_global_id(0)] = N; }\n')
    cache = {"CHENGYING_CACHE": "1", "CHENGYING_CACHE_DIR": f"{TMP}/cache"}
    for settings in ({}, cache, cache):  # the last one finds it in the cache
        os.environ.update(settings)
        if settings:
            time.sleep(1.1)  # files that have just changed are not trusted
            allowed("cc", "-o", "includes.riscv", "includes.cl")
        for name in spellings("k.h"):
            refused(INPUT, "cc", "-o", name, "includes.cl")
    os.environ["CHENGYING_CACHE"] = "0"
    for name in spellings("k.h"):
        refused(INPUT, "run", "includes.cl", "--global", "1", "--arg", "buffer:i32:1", "--out", f"0={name}")
        refused(INPUT, "run", "includes.cl", "--global", "1", "--arg", "buffer:i32:1", "--trace", name)
    refused(INPUT, "run", "includes.s", "--global", "1", "--trace", "there/included.s")
    shutil.copy(f"{TMP}/k.cl", f"{TMP}/kernel.s")
    refused(INPUT, "cc", "-S", "kernel.s")
    shutil.copy(f"{TMP}/k.cl", f"{TMP}/kernel.riscv")
    refused(INPUT, "cc", "kernel.riscv")
    for name in ("x.map", "./x.map", "there/x.map"):
        refused(TWICE, "ld", "-o", "x.map", "--map", name, "v.o")  # a file that is not there yet
    os.symlink("dir/new", f"{TMP}/dangling")
    refused(TWICE, "ld", "-o", "dangling", "--map", "dir/new", "v.o")

    launch = ("run", "k.riscv", "--global", "4", "-a", "buffer:i32:16", "-a", "buffer:i32=@b.bin")
    for name in spellings("b.bin"):
        refused(INPUT, *launch, "--out", f"0={name}")
    refused(INPUT, *launch, "--out", "0=k.riscv")
    refused(INPUT, *launch, "--config", "machine.conf", "--trace", "./machine.conf")
    refused(TWICE, *launch, "--out", "0=x.bin", "--out", "1=./x.bin")
    refused(TWICE, *launch, "--out", "0=x.bin", "--trace", "there/x.bin")

    refused(INPUT, *launch, "--page-table", "machine.conf", "--out", "0=machine.conf")
    with open(f"{TMP}/slow.conf", "w") as file:
        file.write("memory_latency = 40\n")
    for name in ("slow.conf", "there/slow.conf"):
        refused(INPUT, *launch, "--timing=slow.conf", "--trace", name)
        refused(INPUT, "replay", "--timing=./one.log", "--trace", ".", "one.metadata")
    for form in ("json", "callgrind", "flamegraph", "roofline", "perfetto", "kanata", "cytrace", "html"):
        refused(INPUT, "profile", "--timing=slow.conf", f"--{form}", "dir/../slow.conf", *launch[1:])
        refused(INPUT, "profile", "--timing", f"--{form}", "k.riscv", *launch[1:])
        refused(INPUT, "profile", "--timing=slow.conf", f"--{form}=there/slow.conf", "--", "/bin/true")
    shutil.copy("/bin/true", f"{TMP}/true")
    refused(INPUT, "profile", "--json=./true", "--", f"{TMP}/true")
    refused(TWICE, "profile", "--json=x", "--html=./x", "--", "./true")
    with open(f"{TMP}/quiet.txt", "w") as file:
        file.write("race * *\n")
    for name in spellings("k.cl"):
        refused(INPUT, "check", "--json", "-o", name, "k.cl", *launch[2:])
    refused(INPUT, "check", "--sarif", "-o", "there/b.bin", "k.cl", *launch[2:])
    refused(INPUT, "check", "--sarif", "--suppressions=quiet.txt", "-o", "./quiet.txt", "k.cl", *launch[2:])
    refused(INPUT, "check", "--sarif", "-o", "true", "--", "./true")
    with open(f"{TMP}/plan.toml", "w") as file:
        file.write('run = ["k.cl", "--global", "{n}", "--arg", "buffer:i32:16", "--arg", "buffer:i32=@b.bin"]\n'
                   "[cross]\nn = [4, 8]\n")
    os.makedirs(f"{TMP}/plan.sweep", exist_ok=True)
    for name in ("plan.toml", "there/plan.toml", "k.cl", "b.bin"):
        refused(INPUT, "sweep", "--csv", name, "plan.toml")
        refused(INPUT, "sweep", "show", "--plot", name, "plan.toml")
    refused(TWICE, "sweep", "--csv", "x.svg", "--plot", "./x.svg", "plan.toml")
    allowed("run", *launch[1:], "--cytrace", "seen.cytrace")
    for name in spellings("seen.cytrace"):
        refused(INPUT, "view", "-o", name, "seen.cytrace")

    for name in spellings("m.s"):
        refused(INPUT, "epic", "pack", "-o", name, "m.s")
        refused(INPUT, "epic", "run", "m.s", "--png", name)
        refused(INPUT, "epic", "run", "m.s", "--gif", name)
        refused(INPUT, "epic", "run", "m.s", "--save", f"{name}@0:16")
    shutil.copy(f"{TMP}/m.s", f"{TMP}/a.stream")
    refused(INPUT, "epic", "pack", "a.stream")
    refused(INPUT, "epic", "run", "m.s", "--load", "b.bin@0", "--save", "./b.bin@0:16")
    refused(TWICE, "epic", "run", "m.s", "--png", "x.png", "--gif", "there/x.png")
    refused(TWICE, "epic", "run", "m.s", "--frames", "pictures", "--png", "pictures/frame-0003.png")
    shutil.copy(f"{TMP}/b.bin", f"{TMP}/dir/frame-0000.png")
    refused(INPUT, "epic", "run", "m.s", "--load", "dir/frame-0000.png@0", "--frames", "there/dir")

    refused(TWICE, "replay", "--trace", "logs", "one.metadata", "other/one.metadata")
    refused(TWICE, "replay", "--dump", "memory", "one.metadata", "other/one.metadata")
    shutil.copy(f"{TMP}/k.riscv", f"{TMP}/one.log")
    refused(INPUT, "replay", "--trace", ".", "-e", "one.log", "one.metadata")
    shutil.copy(f"{TMP}/k.riscv", f"{TMP}/one_00000000.bin")
    refused(INPUT, "replay", "--dump", "there", "-e", "one_00000000.bin", "one.metadata")

    # Streams and devices may be everything at once, and another file is another file.
    allowed("ld", "-o", "/dev/null", "--map", "/dev/null", "v.o")
    done = run("dis", "-o", "-", "v.o")
    check("-o -", (done.returncode, done.stderr, "vecadd" in done.stdout), (0, "", True))

    with open(f"{TMP}/log", "w") as log:
        log.write("before\n")
    with open(f"{TMP}/log", "a") as log:
        subprocess.run([CY, "dis", "-o", "/dev/stdout", f"{TMP}/v.o"], stdout=log, check=True)
    check("/dev/stdout that appends to a file", open(f"{TMP}/log").read().startswith("before\n\n"), True)
    allowed("cc", "-S", "-o", "k.s", "k.cl")
    allowed(*launch, "--out", "0=y.bin", "--out", "1=z.bin")
    check("written", os.path.getsize(f"{TMP}/y.bin"), 64)


main()
sys.exit(failures != 0)
