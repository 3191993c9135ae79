#!/usr/bin/env python3
"""Lanes of a warp that wait for each other: every shape ends with the right result, at -O0 and -O2, on both generations,
with the compiler's help or by the machine's (paths.c), which counts it; and a real deadlock ends by the watchdog.

PoCL runs the work-items of a workgroup one after the other and would wait for ever: the results are computed here."""
import os
import re
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
SOURCE = r"""
typedef volatile global int *lock_t;
// a lane waits after a branch for one that waits behind it
kernel void behind(lock_t f, global int *out)
{
    int i = get_global_id(0);
    if (!(i & 1)) {
        while (f[i + 1] == 0) {}
        out[i] = f[i + 1];
    }
    f[i] = i + 1;
}
// every lane waits for the next one
kernel void chain(lock_t f, global int *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    while (i + 1 < n && f[i + 1] == 0) {}
    out[i] = i + 1 < n ? f[i + 1] + 1 : 1;
    f[i] = out[i];
}
// the same between barriers: lanes that went on by themselves meet again
kernel void chain_barrier(lock_t f, global int *out)
{
    local int sum[64];
    int i = get_local_id(0), n = get_local_size(0);
    if (i < n - 1)
        while (f[i + 1] == 0) {}
    f[i] = i + 1;
    sum[i] = f[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int k = 32; k; k >>= 1) {
        if (i < k)
            sum[i] += sum[i + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum[0];
}
// the release is after a barrier that all work-items reach with their own lock
kernel void after_barrier(lock_t f, global int *out)
{
    int i = get_local_id(0);
    while (atomic_cmpxchg(f + i, 0, 1)) {}
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] += i;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(f + i, 0);
}
// locks of which neither the taker nor the giver knows more than an address in memory
struct places { ulong take, give; };
kernel void by_pointer(lock_t f, global int *out)
{
    global struct places *p = (global struct places *)(out + 64);
    if (get_local_id(0) == 0) {
        p->take = (ulong)(size_t)f;
        p->give = (ulong)(size_t)f;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    while (atomic_cmpxchg((lock_t)(size_t)((volatile global struct places *)p)->take, 0, 1)) {}
    out[0] += 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg((lock_t)(size_t)((volatile global struct places *)p)->give, 0);
}
// a function too long to look through waits; another one, called in a divergent place, sets
__attribute__((noinline)) int wait_for(lock_t f, int i)
{
    int turns = 0;
    while (f[i] == 0)
        turns++;
    return f[i] + (turns < 0);
}
__attribute__((noinline)) void set(lock_t f, int i, int value)
{
    if (i & 2)
        f[i] = value;
    else
        f[i] = value + 1;
}
kernel void in_calls(lock_t f, global int *out)
{
    int i = get_global_id(0), seen = 0;
    if (i % 3 == 0 && i < 63)
        seen = wait_for(f, i + 1);
    set(f, i, i + 7);
    if (i % 3 == 1)
        seen = wait_for(f, i - 1);
    out[i] = seen;
}
// two locks in order, by try-lock, with backoff
kernel void two_locks(lock_t f, global int *out)
{
    int done = 0, pause = 1;
    for (int tries = 0; !done; tries++) {
        if (atomic_cmpxchg(f, 0, 1) != 0) {
            pause = (pause * 2) & 63;
            for (volatile int k = 0; k < pause; k++) {}
            continue;
        }
        if (atomic_xchg(f + 1, 1) == 0) {
            out[0] += 1;
            out[1] += get_global_id(0);
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(f + 1, 0);
            done = 1;
        }
        atomic_xchg(f, 0);
    }
}
kernel void deadlock(lock_t f, global int *out)
{
    while (atomic_cmpxchg(f, 0, 1)) {}
    out[get_global_id(0)] = 1;
}
"""
N = 64
EXPECTED = {
    "behind": [i + 2 if i % 2 == 0 else 0 for i in range(N)],
    "chain": [N - i for i in range(N)],
    "chain_barrier": [N * (N + 1) // 2] * N,
    "after_barrier": list(range(N)),
    "by_pointer": [N] + [0] * (N - 1),
    "in_calls": [(0 if i == 63 else (i + 1) + 7 + (0 if (i + 1) & 2 else 1)) if i % 3 == 0 else
                 (i - 1) + 7 + (0 if (i - 1) & 2 else 1) if i % 3 == 1 else 0 for i in range(N)],
    "two_locks": [N, N * (N - 1) // 2] + [0] * (N - 2),
}
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def launch(program, kernel, *settings, stats=True):
    command = [CY, "run", program, *(["--stats"] if stats else []), "--kernel", kernel, "--global", str(N), "--local", str(N), "--arg", f"buffer:i32:{N}",
               "--arg", f"buffer:i32:{N + 8}", "--print", "1"]
    for setting in ("watchdog-seconds=60", *settings):
        command += ["--set", setting]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def values(text):
    rows = re.findall(r"^ *\d+: ([-\d ]+)$", text, re.M)
    return [int(word) for row in rows for word in row.split()][:N]


def splits(text):
    found = re.search(r"^spinning +(\d+)", text, re.M)
    return int(found[1]) if found else 0


def main():
    source = os.path.join(TMP, "progress.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    needed = 0
    for march in ("ventus", "ventus-gen2"):
        for level in ("-O0", "-O2"):
            program = os.path.join(TMP, f"progress{level}.riscv")
            subprocess.run([CY, "cc", f"-march={march}", level, "-o", program, source], check=True)
            for kernel, expected in EXPECTED.items():
                # soon, and with paths that take turns all the time
                for settings in (("slice=1000", "spin-instructions=3000"), ("slice=60", "spin-instructions=60")):
                    done = launch(program, kernel, *settings)
                    what = f"{march} {level} {kernel} {settings}"
                    check(done.returncode == 0, f"{what}: {done.stderr}")
                    check(values(done.stdout) == expected, f"{what}: {values(done.stdout)}")
                    needed += settings[0] == "slice=1000" and splits(done.stdout) > 0
            done = launch(program, "behind", stats=False)
            check(values(done.stdout) == EXPECTED["behind"], f"{march} {level}: as it is: {values(done.stdout)}")
            done = launch(program, "behind", "spin-instructions=0", "watchdog-instructions=1000000", stats=False)
            check(done.returncode == 1 and "the launch ran too long" in done.stderr, f"{march} {level}: without paths")
            done = launch(program, "deadlock", "watchdog-instructions=1000000", stats=False)
            check(done.returncode == 1 and "the launch ran too long: more than 1000000 instructions" in done.stderr,
                  f"{march} {level}: deadlock: {done.stderr}")
            check("deadlock of" in done.stderr and "warp 0 is at" in done.stderr, f"{march} {level}: {done.stderr}")
    check(needed >= 4, f"the machine's help was needed {needed} times only")
    sys.exit(1 if failures else 0)


main()
