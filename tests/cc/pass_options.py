#!/usr/bin/env python3
"""The pass options, through `cy cc` and the compile server: what they change, and what is not written."""
import glob
import os
import re
import shutil
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0


def check(what, got, expected):
    global failures
    if got != expected:
        print(f"{what}: {got!r}, expected {expected!r}")
        failures += 1


def cy(*words, **env):
    done = subprocess.run([CY, "cc", *words], cwd=TMP, env=os.environ | {"TMPDIR": f"{TMP}/kept"} | env, capture_output=True,
                          text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


def write(name, text):
    with open(f"{TMP}/{name}", "w") as file:
        file.write(text)


def read(name):
    return open(f"{TMP}/{name}", "rb").read()


def rows(text):
    return [line.split()[0] for line in text.splitlines()[1:]]


def spills(*words):
    status, table, log = cy("--stats", "-o", "spills.riscv", "k.cl", *words)
    check(f"{words}", (status, log), (0, ""))
    return int(table.splitlines()[1].split()[4])


shutil.rmtree(TMP, ignore_errors=True)
os.makedirs(f"{TMP}/kept")
terms = "".join(f"float x{n} = b[i * 20 + {n}]; " for n in range(20))
write("k.cl", "kernel void k(global float *a, global float *b) { int i = get_global_id(0); " + terms +
      "barrier(CLK_GLOBAL_MEM_FENCE); a[i] = " + " + ".join(f"x{n} * x{(n + 7) % 20}" for n in range(20)) + "; }\n")

check("compiled", cy("-o", "k.riscv", "k.cl"), (0, "", ""))
check("stopped", cy("--stop-after=import", "-o", "k.riscv", "k.cl")[::2], (0, ""))
check("and not overwritten", read("k.riscv")[:4], b"\x7fELF")
write("k.ir", cy("--stop-after=import", "k.cl")[1])
check("only the input", sorted(os.listdir(TMP)), ["k.cl", "k.ir", "k.riscv", "kept"])
check("without source", cy("--no-source", "-o", "k.riscv", "k.cl"), (0, "", ""))
check("from IR", cy("--no-source", "-o", "again.riscv", "k.ir"), (0, "", ""))
check("the same program", read("again.riscv") == read("k.riscv"), True)

check("no spills", spills(), 0)
check("spills with few vGPRs", spills("--vgprs=12") > 0, True)
check("no such number", cy("--vgprs=7", "k.cl")[0], 2)
status, _, log = cy("--stop-after=llvm", "k.cl")
check("a pass without text", (status, "--stop-after: there is no IR or machine pass 'llvm'" in log), (1, True))

known = rows(cy("--passes")[1])
for file, first in (("k.cl", "clang"), ("k.ir", "import")):
    times = cy("--time-passes", "-o", "timed.riscv", file)[2]
    check(f"{file}: the first that took time", rows(times)[0], first)
    check(f"{file}: rows", [row for row in rows(times)[:-1] if row not in known], [])
    clang = re.search(r"^clang +([0-9.]+)", times, re.M)
    check(f"{file}: clang's time", clang is not None and float(clang[1]) > 0, first == "clang")

said = cy("--run-pass=simplify", "k.ir", CHENGYING_COMPILER_FAULT="crash@simplify:k")
check("a crash", (said[0], "in the pass 'simplify' of function 'k'\n" in said[2]), (1, True))
kept = glob.glob(f"{TMP}/kept/*")
check("kept", len(kept), 1)
check("again", cy("--reproduce", *kept), said)
data = open(kept[0], "rb").read()
with open(f"{TMP}/mended", "wb") as file:
    file.write(data.replace(b"\x10\0\0\0crash@simplify:k\0", b"\0\0\0\0\0"))
check("mended", cy("--reproduce", "mended", "-o", "none.riscv"), cy("--run-pass=simplify", "k.ir"))
check("nothing to write", os.path.exists(f"{TMP}/none.riscv"), False)
# Our IR needs no clang; a program from standard input has a name of its own.
write("plain.cl", "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n")
write("plain.ir", cy("--stop-after=import", "plain.cl")[1])
check("IR without clang", cy("-o", "plain.riscv", "plain.ir", CHENGYING_CLANG="/nonexistent")[0], 0)
check("OpenCL C without clang", cy("-o", "no.riscv", "plain.cl", CHENGYING_CLANG="/nonexistent")[0], 1)
done = subprocess.run([CY, "cc", "-"], cwd=TMP, stdin=open(f"{TMP}/plain.cl"), capture_output=True, text=True)
check("standard input", (done.returncode, os.path.exists(f"{TMP}/a.riscv"), os.path.exists(f"{TMP}/-.riscv")), (0, True, False))
check("a level that does not exist", cy("-O7", "plain.cl")[0], 2)

sys.exit(failures > 0)
