#!/usr/bin/env python3
"""__builtin_trap() and the like end the launch with a fault that names the line, the warp and the lane, with and without
optimisation; earlier stores are done, and lanes that do not trap reconverge as if there was no trap."""
import os
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0

# 128 work-items are four warps.  Each line with a trap ends with the name of the case that reaches it.
SOURCE = """kernel void k(global int *out, int how, int who)
{
    int i = get_global_id(0);
    local int sum;
    if (i == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i + 1;
    if (how == 1 && i == who)
        __builtin_trap(); // lane
    if (how == 2)
        __builtin_trap(); // uniform
    if (how == 3 && i % 32 >= who)
        __builtin_debugtrap(); // many
    switch (how) {
    case 0: case 1: case 2: case 3: case 5: break;
    default: __builtin_trap(); // default
    }
    for (int n = 0; n < i; n++)
        if (how == 5 && n == 100 && i == who)
            __builtin_trap(); // loop
    atomic_add(&sum, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += sum;
}
"""
LINES = {line.split("// ")[1]: number for number, line in enumerate(SOURCE.splitlines(), 1) if "// " in line}

# (name, how, who, warp, lane): the machine runs the warps in order
CASES = [("lane", 1, 101, 3, 5), ("uniform", 2, 0, 0, 0), ("many", 3, 12, 0, 12), ("default", 4, 0, 0, 0), ("loop", 5, 127, 3, 31)]


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def run(how, who):
    command = [CY, "run", "trap.riscv", "--global", "128", "-l", "128", "--deterministic", "--arg", "buffer:i32:128",
               "--arg", f"i32:{how}", "--arg", f"i32:{who}", "--out", "0=out.bin"]
    return subprocess.run(command, capture_output=True, text=True, cwd=TMP)


with open(os.path.join(TMP, "trap.cl"), "w") as file:
    file.write(SOURCE)
for level in ("-O0", "-O2"):
    subprocess.run([CY, "cc", level, "-g", "-o", "trap.riscv", "trap.cl"], check=True, cwd=TMP)
    done = run(0, 0)
    check(done.returncode == 0, f"{level}: without a trap: {done.stderr}")
    with open(os.path.join(TMP, "out.bin"), "rb") as file:
        words = memoryview(file.read()).cast("i")
    check(list(words) == [i + 129 for i in range(128)], f"{level}: without a trap: {list(words)}")
    for name, how, who, warp, lane in CASES:
        done = run(how, who)
        text = done.stderr
        check(done.returncode == 1, f"{level} {name}: status {done.returncode}")
        for part in ("fault: the kernel trapped\n", f"trap.cl:{LINES[name]}\n", f"warp {warp}, lane {lane}\n", ": unimp\n"):
            check(part in text, f"{level} {name}: no {part!r} in\n{text}")
sys.exit(1 if failures else 0)
