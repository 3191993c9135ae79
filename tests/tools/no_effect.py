"""Options that would have no effect are errors, or said before the results."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, SOURCE, BUILD, TMP = os.environ["CY"], os.environ["CY_SOURCE"], os.environ["CY_BUILD"], pathlib.Path(os.environ["CY_TMP"])
RUN = "--global 64 --arg buffer:i32:64"
PROGRAM = f"-- {BUILD}/bin/examples/vecadd"
ERRORS = [
    (f"run k.cl {RUN} --trace-format commit", "--trace-format has no effect without --trace"),
    (f"run k.cl {RUN} --exact", "--exact has no effect without --profile or --json"),
    (f"run k.cl {RUN} --events 5", "--events has no effect without --perfetto or --kanata or --cytrace or --html"),
    (f"run k.cl {RUN} --local 0", "--local needs numbers from 1"),
    ("run k.cl --arg buffer:i32:64 --global 64,0", "--global needs numbers from 1"),
    (f"profile k.cl {RUN} --events 5", "--events has no effect without"),
    (f"profile --events 5 {PROGRAM}", "--events has no effect without"),
    ("replay folder --trace-format full", "--trace-format has no effect without --trace"),
    (f"check k.cl {RUN} --output reports", "--output has no effect without --json or --sarif"),
    (f"check k.cl {RUN} --json --sarif", "--json or --sarif, not both"),
    (f"check --kernel k {PROGRAM}", "'--kernel=k' is for a kernel's file"),
    (f"check --global 4 {PROGRAM}", "'--global=4' is for a kernel's file"),
    (f"check --arg 4 {PROGRAM}", "'--arg=4' is for a kernel's file"),
    (f"check --print 0 {PROGRAM}", "'--print=0' is for a kernel's file"),
    (f"check --build-options=-DX {PROGRAM}", "'--build-options=-DX' is for a kernel's file"),
    (f"check --gdb 0 {PROGRAM}", "'--gdb=0' is for a kernel's file"),
    (f"check -march=epic {PROGRAM}", "-march: expected ventus or ventus-gen2"),
    ("sweep plan.toml --x n", "--x has no effect without --plot"),
    ("sweep plan.toml --y n", "--y has no effect without --plot"),
    ("sweep plan.toml --plot p.svg --x n --y n", "--x and --y are the same parameter"),
    ("sweep plan.toml --chunk 2", "--chunk has no effect without --slurm"),
    ("sweep plan.toml --stall 2", "--stall has no effect without --slurm"),
    ("sweep show plan.toml --slurm", "'show' prints what is known"),
    ("sweep show plan.toml --jobs 2", "'show' prints what is known"),
    ("diff --profile --elf k.riscv a b", "--elf is for traces, not for profiles"),
    ("diff --profile --all a b", "--all is for traces, not for profiles"),
    ("diff --profile -c 4 a b", "--context is for traces, not for profiles"),
    ("cc -D X k.ir", "'-DX' is for OpenCL C: it has no effect on IR"),
    ("cc -g k.ir", "is for OpenCL C: it has no effect on IR"),
    ("cc -cl-std=CL3.0 k.ir", "is for OpenCL C: it has no effect on IR"),
]
NOTES = [
    (f"run k.riscv {RUN} --no-start", "--no-start has no effect: the executable is linked already"),
    (f"run k.cl {RUN} --no-start", "--no-start has no effect: the executable is linked already"),
    (f"run k.riscv {RUN} --libdir nowhere", "--libdir has no effect"),
    (f"run k.riscv {RUN} --build-options=-DX", "--build-options has no effect: there is no OpenCL C to compile"),
    ("run k.s --global 64 --arg buffer:i32:64 --build-options=-DX", "--build-options has no effect"),
    ("run k.s --global 64 --arg buffer:i32:64 -O 0", "-O has no effect"),
    (f"run k.riscv {RUN} -O 0", "compiled again from the source in it, with -O0"),
    (f"run without.riscv {RUN} -O 0", "and -O has no effect"),
    (f"run k.cl {RUN} --print 0:9999", "argument 0 has 64 elements; --print asks for 9999"),
    (f"run k.cl {RUN} --threads 16 --preset rtl", "the preset undoes what was set before it: threads"),
    (f"run k.cl {RUN} --set engine=jit --set warps=16 --set preset=rtl", "the preset undoes what was set before it: warps, engine"),
    (f"run k.cl {RUN} --deterministic --host-threads 4", "one host thread, because the run is deterministic: not host-threads=4"),
    (f"run k.cl {RUN} --set host-threads=3 --set deterministic=yes", "not host-threads=3"),
]
SILENT = [f"run k.cl {RUN} --preset rtl --threads 16 --print 0:64", f"run k.cl {RUN} --deterministic --host-threads 1",
          f"run k.cl {RUN} -O 0 --libdir {BUILD}/lib/ventus", f"run k.cl {RUN} --build-options=-DX", f"run k.riscv {RUN} -O 2"]


def cy(words):
    done = subprocess.run([CY, *words.split()], cwd=TMP, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def obeyed():
    """What `cy check` passes on to a program: how kernels are compiled, the device, the machine."""
    status, text = cy(f"check -O 0 -march=ventus-gen2 --set preset=nonsense {PROGRAM}")
    check(status != 0 and "nonsense" in text, f"--set reaches the program: {status} {text}")
    status, text = cy(f"check -O 0 -march=ventus-gen2 --set warps=8 {PROGRAM}")
    check(status == 0, f"{status} {text}")
    (TMP / "show").write_text('#!/bin/sh\necho "$CHENGYING_DEVICES,$CHENGYING_OPTIMIZE,$CHENGYING_MACHINE"\n', encoding="ascii")
    os.chmod(TMP / "show", 0o755)
    for march, device in (("ventus", "gen1"), ("ventus-gen2", "gen2")):
        text = cy(f"check -O 0 -march={march} --set warps=8 --set sms=1 -- ./show")[1]
        check(f"{device},0,warps=8,sms=1" in text, text)


def main():
    (TMP / "k.cl").write_text("kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n", encoding="ascii")
    (TMP / "k.s").write_text("        .text\n        .ventus_kernel k, pds=0\nk:\n        ret\n        .size   k, . - k\n", encoding="ascii")
    (TMP / "k.ir").write_text("kernel k\n  b0:\n    s1 = argbase\n    return\n", encoding="ascii")
    (TMP / "plan.toml").write_text('run = ["k.cl", "--global", "64", "--arg", "buffer:i32:64"]\n[cross]\nmemory_latency = [4]\n', encoding="ascii")
    for words in ("cc k.cl", "cc --no-source -o without.riscv k.cl", f"run k.cl {RUN} --record folder", "cc k.ir -o ir.riscv"):
        status, text = cy(words)
        check(status == 0, f"{words}: {text}")
    for words, expected in ERRORS:
        status, text = cy(words)
        check(status == 2 and expected in text, f"cy {words}: {status} {text[:300]}")
    for words, expected in NOTES:
        status, text = cy(words)
        check(status == 0 and expected in text, f"cy {words}: {status} {text[:300]}")
    for words in SILENT:
        status, text = cy(words)
        check(status == 0 and "effect" not in text and "note:" not in text, f"cy {words}: {status} {text[:300]}")
    obeyed()
    finish()


main()
