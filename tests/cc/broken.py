#!/usr/bin/env python3
"""A compiler that crashes, aborts, runs out of memory or hangs: the build fails, the log names the pass, the input is saved
in one file, and `cy cc --reproduce` reproduces the failure.  No process and no other file is left."""
import glob
import os
import shutil
import struct
import subprocess
import sys
import time

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
HERE = f"{TMP}/here"
failures = 0

STAGES = {
    "clang": "the pass 'clang'",
    "start": "its start",
    "parse": "the pass 'parse'",
    "builtins": "the pass 'builtins'",
    "llvm": "the pass 'llvm'",
    "lower": "the pass 'lower'",
    "import": "the pass 'import'",
    "optimise": "the pass 'optimise' of function 'k'",
    "uniformity": "the pass 'uniformity' of function 'k'",
    "isel": "the pass 'isel' of function 'k'",
    "regalloc": "the pass 'regalloc' of function 'k'",
    "peephole": "the pass 'peephole' of function 'k'",
    "emit": "the pass 'emit' of function 'k'",
    "startup": "the pass 'startup'",
    "notes": "the pass 'notes'",
    "link": "the pass 'link'",
}
ENDS = {
    "crash": "was terminated by signal 11 (Segmentation fault) in ",
    "abort": "was terminated by signal 6 (Aborted) in ",
    "oom": "ran out of memory in ",
    "hang": "did not finish within 1 s and was stopped in ",
}


def check(what, got, expected):
    global failures
    if got != expected:
        print(f"{what}: {got!r}, expected {expected!r}")
        failures += 1


def cy(*words, fault=None, cwd=HERE, **env):
    env = os.environ | {"TMPDIR": f"{TMP}/kept", "HOME": TMP} | ({"CHENGYING_COMPILER_FAULT": fault} if fault else {}) | env
    done = subprocess.run([CY, "cc", *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def kept():
    return sorted(glob.glob(f"{TMP}/kept/*"))


def test_fault(kind, stage, *words, **env):
    for path in kept():
        os.remove(path)
    got = cy("-Iinclude", "-DV=3", "-o", "k.riscv", "k.cl", *words, fault=f"{kind}@{stage}", **env)
    what = f"{kind}@{stage}"
    check(f"{what}: status", got[:2], (1, ""))
    who = "clang-19" if stage == "clang" else "the compiler"
    files = kept()
    check(f"{what}: files", len(files), 1)
    check(f"{what}: stage", f"k.cl: error: {who} {ENDS[kind]}{STAGES[stage]}" in got[2], True)
    check(f"{what}: file", got[2].endswith(f"cy cc --reproduce {files[0]}\n"), True)
    check(f"{what}: executable", os.path.exists(f"{HERE}/k.riscv"), False)
    check(f"{what}: again", cy("--reproduce", files[0], cwd="/"), got)
    check(f"{what}: still one file", kept(), files)
    return files[0]


def loaded(path):
    """What a machine loads: without the source, of which a reproducer has the text that the preprocessor made."""
    data = open(path, "rb").read()
    start, size, count = struct.unpack_from("<I", data, 28)[0], *struct.unpack_from("<HH", data, 42)
    headers = [struct.unpack_from("<8I", data, start + i * size) for i in range(count)]
    return [(header[2], data[header[1]:header[1] + header[4]]) for header in headers if header[0] == 1]


def test_reproducer():
    """It stands by itself: the program and what it includes may be gone.  Without the fault it compiles."""
    path = test_fault("crash", "isel")
    good = cy("-Iinclude", "-DV=3", "-o", "good.riscv", "k.cl")
    check("without a fault", good[0], 0)
    shutil.move(HERE, f"{TMP}/away")
    said = cy("--reproduce", path, cwd="/")
    check("with the sources gone", (said[0], STAGES["isel"] in said[2]), (1, True))
    data = open(path, "rb").read()
    with open(f"{TMP}/mended", "wb") as file:
        file.write(data.replace(b"\x0a\0\0\0crash@isel\0", b"\0\0\0\0\0"))
    check("mended", cy("--reproduce", f"{TMP}/mended", "-o", f"{TMP}/mended.riscv", cwd="/"), (0, "", ""))
    check("the same program", loaded(f"{TMP}/mended.riscv") == loaded(f"{TMP}/away/good.riscv"), True)
    shutil.move(f"{TMP}/away", HERE)
    long_name = data.replace(b"\x04\0\0\0k.cl\0", b"\xff\xff\xff\xffk.cl\0")
    for number, damaged in enumerate((b"", b"text\n", data[:20], data[:-1], data + b"x", long_name)):
        with open(f"{TMP}/damaged", "wb") as file:
            file.write(damaged)
        said = cy("--reproduce", f"{TMP}/damaged", cwd="/")
        check(f"damage {number}", (said[0], "error: not a compiler input" in said[2]), (1, True))
    check("no file", cy("--reproduce", f"{TMP}/none", cwd="/"), (1, "", f"{TMP}/none: error: No such file or directory\n"))


def test_how_many():
    """The same again is one file; of different ones the last 16 stay."""
    for path in kept():
        os.remove(path)
    for _ in range(2):
        cy("k.cl", "-DV=0", "-Iinclude", fault="crash@link")
    check("the same twice", len(kept()), 1)
    for value in range(1, 21):
        cy("k.cl", f"-DV={value}", "-Iinclude", fault="crash@clang")
    check("many", len(kept()), 16)
    shutil.rmtree(f"{TMP}/kept")
    got = cy("k.cl", "-DV=1", "-Iinclude", fault="crash@clang")
    path = got[2].splitlines()[-1].split("--reproduce ")[1]
    check("no TMPDIR", os.path.dirname(path), "/tmp")
    os.remove(path)
    os.mkdir(f"{TMP}/kept")


def test_settings():
    check("a fault that is none", cy("k.cl", "-DV=1", "-Iinclude", fault="crash@nowhere")[2],
          "k.cl: error: CHENGYING_COMPILER_FAULT=crash@nowhere is not KIND@PASS\n")
    check("a limit that is none", cy("--time-limit=x", "k.cl")[0], 2)
    for limit in ("0", "100000000000", "soon", ""):
        check(f"limit {limit}", cy("-Iinclude", "-DV=3", "-o", "k.riscv", "k.cl", CHENGYING_COMPILE_SECONDS=limit)[0], 0)
    os.remove(f"{HERE}/k.riscv")


def test_clang_that_cannot_be_preloaded():
    """One that is linked statically: clangs are started and workers are forks of the server, with the same results."""
    clang = f"{TMP}/static-clang"
    source = """
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) { unsetenv("LD_PRELOAD"); return execvp("clang-19", words) || count; }
"""
    subprocess.run(["clang-19", "-static", "-x", "c", "-", "-o", clang], input=source, text=True, check=True)
    programs = []
    for env in ({}, {"CHENGYING_CLANG": clang}):
        check("static", cy("-Iinclude", "-DV=3", "-o", "k.riscv", "k.cl", **env), (0, "", ""))
        programs.append(open(f"{HERE}/k.riscv", "rb").read())
        os.remove(f"{HERE}/k.riscv")
    check("the same program", programs[0], programs[1])
    for stage in ("clang", "llvm", "emit"):
        test_fault("crash", stage, CHENGYING_CLANG=clang)


def compilers():
    """Processes of the compiler that work for this test: their environment has our TMPDIR.  (Ended ones are init's.)"""
    found = []
    for path in glob.glob("/proc/[0-9]*"):
        try:
            if f"TMPDIR={TMP}/kept".encode() in open(f"{path}/environ", "rb").read().split(b"\0"):
                found.append(open(f"{path}/cmdline", "rb").read())
        except OSError:
            pass
    return found


shutil.rmtree(TMP, ignore_errors=True)
os.makedirs(f"{TMP}/kept")
write(f"{HERE}/include/sub/value.h", '#include "more.h"\n')
write(f"{HERE}/include/sub/more.h", "#define MORE (V + 1)\n")
write(f"{HERE}/k.cl", "#include <sub/value.h>\nkernel void k(global int *a) { a[get_global_id(0)] = MORE; }\n")
for stage in STAGES:
    test_fault("crash", stage)
for stage in ("clang", "llvm", "emit"):
    test_fault("abort", stage)
for stage in ("clang", "llvm", "isel"):
    if "asan" not in os.environ["CY_BUILD"]:  # whose allocator has its own way to end without memory
        test_fault("oom", stage)
test_fault("hang", "clang", "--time-limit=1", CHENGYING_COMPILE_SECONDS="100")
test_fault("hang", "llvm", CHENGYING_COMPILE_SECONDS="1")
test_clang_that_cannot_be_preloaded()
test_reproducer()
test_how_many()
test_settings()
for _ in range(100):
    if not compilers():
        break
    time.sleep(0.05)
check("processes", compilers(), [])
check("files", sorted(os.listdir(HERE)), ["good.riscv", "include", "k.cl"])
sys.exit(failures > 0)
