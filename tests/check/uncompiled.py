"""What `cy check` does not see in code that is not compiled for it, it says before the first report: of assembly, objects,
executables of others, and program binaries without their source."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"])
NOTE = "note: 'k' is not compiled for the checker: registers that nobody wrote, "
ASSEMBLY = """        .text
        .ventus_kernel k, pds=0
k:
        lw      t0, 0(a0)
        vid.v   v1
        vsll.vi v1, v1, 2
        vadd.vx v1, v1, t0
        vadd.vv v9, v9, v10
        vsw12.v v9, 0(v1)
        ret
        .size   k, . - k
"""
SOURCE = "kernel void k(global int *p) { int x; p[get_global_id(0)] = x; }\n"


def run(file, *words):
    done = subprocess.run([CY, "check", *words, file, "--global", "32", "--arg", "buffer:i32:32"], cwd=TMP, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stderr.splitlines()


(TMP / "k.s").write_text(ASSEMBLY, encoding="ascii")
(TMP / "k.cl").write_text(SOURCE, encoding="ascii")
for words in (["as", "-o", "k.o", "k.s"], ["ld", "-o", "linked.riscv", "k.o"], ["cc", "-w", "-o", "with.riscv", "k.cl"],
              ["cc", "-w", "--no-source", "-o", "without.riscv", "k.cl"]):
    subprocess.run([CY, *words], cwd=TMP, check=True)
for file in "k.s", "k.o", "linked.riscv", "without.riscv":
    status, lines = run(file)
    at = [i for i, line in enumerate(lines) if line.startswith(NOTE)]
    check(len(at) == 1 and status == 0 and lines[-1] == "check: 0 errors, 0 notes", f"{file}: {status} {lines}")
    check(not any("error:" in line for line in lines[:at[0] if at else 0]), f"{file}: first {lines}")
    check(not any(line.startswith(NOTE) for line in run(file, "-q")[1]), f"{file}: quiet")
for file in "k.cl", "with.riscv":
    status, lines = run(file)
    check(status == 3 and not any(line.startswith(NOTE) for line in lines), f"{file} is compiled for the checker: {status} {lines}")
finish()
