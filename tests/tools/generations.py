"""Both generations from the command line: `cy cc` and `cy run` with -march, disassembly that assembles again, and the refusal of a
binary of the other generation."""
import os
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
SOURCE = """kernel void scale(global long *p, local int *l, long factor, global const char *b)
{
    size_t i = get_global_id(0);
    l[get_local_id(0)] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i] = p[i] * factor + l[get_local_size(0) - 1 - get_local_id(0)];
}
"""
ARGS = ["--kernel", "scale", "--global", "64", "--local", "16", "--arg", "buffer:i64:64=iota", "--arg", "local:64", "--arg",
        "i64:1000000007", "--arg", "buffer:i8:64=iota", "--out"]
failures = checks = 0


def run(*words):
    done = subprocess.run([CY, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, cwd=TMP)
    return done.returncode, done.stdout, done.stderr


def check(what, ok, seen=""):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print(f"failed: {what}\n  {seen}")


with open(f"{TMP}/scale.cl", "w", encoding="utf-8") as file:
    file.write(SOURCE)
EXPECTED = b"".join((i * 1000000007 + i // 16 * 16 + 15 - i % 16).to_bytes(8, "little") for i in range(64))
for march in ("ventus", "ventus-gen2"):
    for level in ("-O0", "-O2"):
        status, _, messages = run("cc", f"-march={march}", level, "-o", f"{march}.riscv", "scale.cl")
        check(f"cc {march} {level}", status == 0 and not messages, messages)
        status, _, messages = run("run", f"-march={march}", f"{march}.riscv", *ARGS, "0=out.bin")
        check(f"run {march} {level}", status == 0, messages)
        check(f"results of {march} {level}", open(f"{TMP}/out.bin", "rb").read() == EXPECTED)
    status, _, messages = run("run", f"-march={march}", "scale.cl", *ARGS, "0=out.bin")
    check(f"run {march} from source", status == 0 and open(f"{TMP}/out.bin", "rb").read() == EXPECTED, messages)
    status, _, messages = run("cc", f"-march={march}", "-S", "-o", "scale.s", "scale.cl")
    check(f"cc -S {march}", status == 0, messages)
    status, _, messages = run("as", f"-march={march}", "-o", "scale.o", "scale.s")
    check(f"as of {march}'s assembly", status == 0, messages)
    status, _, messages = run("ld", "-o", "linked.riscv", "scale.o")
    check(f"ld of {march}'s assembly", status == 0, messages)
    status, _, messages = run("run", "linked.riscv", *ARGS, "0=out.bin")
    if march == "ventus":  # assembly has no signature: pointers are passed with four bytes
        check(f"run of {march}'s assembly", status == 0 and open(f"{TMP}/out.bin", "rb").read() == EXPECTED, messages)
# 64-bit addresses cost at most a quarter more instructions; in a loop more, because the address pass does not reduce them yet.
BUFFER = ["--arg", "buffer:f32:4096=random"]
LOADS = {
    "add": ("kernel void add(global const float *a, global const float *b, global float *c, int n)"
            "{ int i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }", 3 * BUFFER + ["--arg", "i32:4096"]),
    "sum": ("kernel void sum(global const float *a, global float *b, local float *l)"
            "{ int i = get_global_id(0), j = get_local_id(0); l[j] = a[i];"
            "for (int s = get_local_size(0) / 2; s; s >>= 1)"
            "{ barrier(CLK_LOCAL_MEM_FENCE); if (j < s) l[j] += l[j + s]; } if (!j) b[get_group_id(0)] = l[0]; }",
            2 * BUFFER + ["--arg", "local:256"]),
    "row": ("kernel void row(global const float *a, global const float *x, global float *y, int n)"
            "{ int i = get_global_id(0); float s = 0; for (int k = 0; k < n; k++) s += a[i % 64 * n + k] * x[k]; y[i] = s; }",
            3 * BUFFER + ["--arg", "i32:64"]),
}
for kernel, (text, arguments) in LOADS.items():
    executed = []
    with open(f"{TMP}/{kernel}.cl", "w", encoding="utf-8") as file:
        file.write(text)
    for march in ("ventus", "ventus-gen2"):
        status, said, messages = run("run", f"-march={march}", f"{kernel}.cl", "--kernel", kernel, "--global", "4096", "--local", "64",
                                     *arguments, "--stats")
        counts = [line.split()[-1] for line in (said + messages).splitlines() if line.startswith("warp instructions")]
        check(f"counts of {kernel} on {march}", status == 0 and len(counts) == 1, said + messages)
        executed.append(int(counts[0]) if counts else 0)
    check(f"instructions of {kernel}: {executed}", 0 < executed[1] <= (1.6 if kernel == "row" else 1.25) * executed[0])
    if "-v" in sys.argv:
        print(kernel, executed, round(executed[1] / max(executed[0], 1), 3))
PRINTS = """kernel void say(global int *p)
{ printf("%d %s %p %v2d %ld|", 7, "hi", p, (int2)(1, 2), 1L << 40); }
"""
with open(f"{TMP}/say.cl", "w", encoding="utf-8") as file:
    file.write(PRINTS)
for march, address in (("ventus", "0x90000000"), ("ventus-gen2", "0x200000000")):
    status, said, messages = run("run", f"-march={march}", "say.cl", "--kernel", "say", "--global", "1", "--arg", "buffer:i32:4")
    check(f"printf of {march}", status == 0 and said == f"7 hi {address} 1,2 1099511627776|", said + messages)
for march, other, names in (("ventus", "ventus-gen2", (2, 1)), ("ventus-gen2", "ventus", (1, 2))):
    status, _, messages = run("run", f"-march={march}", f"{other}.riscv", *ARGS, "0=out.bin")
    check(f"{other} refused for {march}", status != 0 and f"generation {names[0]} of Ventus" in messages and
          f"generation {names[1]}" in messages, messages)
status, _, messages = run("cc", "-march=epic", "scale.cl")
check("OpenCL C for EpicGPU", status != 0 and "not for 'epic'" in messages, messages)
status, _, messages = run("run", "-march=epic", "scale.cl", *ARGS, "0=out.bin")
check("running it", status != 0 and "not for 'epic'" in messages, messages)
print(f"{checks} checks, {failures} failed")
sys.exit(failures != 0)
