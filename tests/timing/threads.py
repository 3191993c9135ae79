"""Cycles do not depend on how the host runs a launch: threads, slices, other observers; and launches one after the other."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
KERNELS = r"""
kernel void sum(global const int *x, global int *y, local int *part, int n) {
    int i = get_global_id(0), l = get_local_id(0), s = get_local_size(0), t = 0;
    for (int k = i; k < n; k += get_global_size(0)) t += x[k] % (l + 3);
    part[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = s / 2; d > 0; d /= 2) { if (l < d) part[l] += part[l + d]; barrier(CLK_LOCAL_MEM_FENCE); }
    if (l == 0) y[get_group_id(0)] = part[0];
}
kernel void loop(global float *y, int n) {
    int i = get_global_id(0);
    float a = y[i], b = 1.0001f;
    for (int k = 0; k < n; k++) { a = fma(a, b, 0.5f); b = fma(b, a, y[k & 7]); }
    y[i] = a + b;
}
kernel void uneven(global float *y) {
    int i = get_global_id(0);
    float a = i + y[i];
    for (int k = 0; k < (i * 37) % 101; k++) a = a * 0.5f + k;
    y[i] = a;
}
"""


def cycles(*arguments):
    done = subprocess.run([CY, "run", os.path.join(TMP, "k.cl"), "--timing", "--no-progress", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"^cycles: (\d+)$", done.stdout, re.M)
    check(found and done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}")
    return int(found[1]) if found else 0


LAUNCHES = {
    "sum": ["-k", "sum", "--global", "512", "--local", "64", "--arg", "buffer:i32:2048=iota", "--arg", "buffer:i32:8", "--arg", "local:256",
            "--arg", "2048"],
    "loop": ["-k", "loop", "--global", "256", "--local", "64", "--arg", "buffer:f32:256=iota", "--arg", "60"],
    "uneven": ["-k", "uneven", "--global", "997", "--local", "50", "--arg", "buffer:f32:997"],  # the last workgroup is smaller
}
WAYS = [["--host-threads", "1"], ["--host-threads", "4"], ["--deterministic"], ["--host-threads", "2", "--stats"]]
# a profile is made cycle by cycle: no repetition, no SM ahead of another
WAYS += [["--json", os.path.join(TMP, "profile.json")]]
SLICES = [["--set", "slice=17"], ["--host-threads", "4", "--set", "slice=1000000"]]


def main():
    with open(os.path.join(TMP, "k.cl"), "w", encoding="utf-8") as file:
        file.write(KERNELS)
    for name, launch in LAUNCHES.items():
        for shape in (["--sms", "4", "--threads", "8"], ["--sms", "1", "--threads", "32", "--warps", "16"]):
            seen = {}
            for way in WAYS + (SLICES if name == "uneven" else []):  # slices decide where local memory is
                seen.setdefault(cycles(*launch, *shape, *way), []).append(way)
            check(len(seen) == 1, f"{name} {shape}: {seen}")
        one, four = (cycles(*launch, "--sms", sms, "--threads", "8") for sms in ("1", "4"))
        check(four < one, f"{name}: four SMs take {four} cycles, one takes {one}")
    # the second workgroup does not wait for anything to happen in the first one
    empty = ["-k", "loop", "--arg", "buffer:f32:16", "--arg", "0", "--sms", "2", "--threads", "8", "--local", "8"]
    step = cycles(*empty, "--global", "16", "--set", "dispatch_interval=1000") - cycles(*empty, "--global", "8")
    check(900 < step < 1100, f"a second workgroup, 1000 cycles later, ends {step} cycles later")
    slow = cycles(*LAUNCHES["sum"], "--sms", "1", "--threads", "8", "--set", "memory_latency=200")
    fast = cycles(*LAUNCHES["sum"], "--sms", "1", "--threads", "8", "--set", "memory_latency=2")
    check(slow > 2 * fast, f"memory_latency 200: {slow} cycles, 2: {fast}")
    # more requests than the queues hold, and more dirty lines than the one to the L2
    check(cycles("-k", "uneven", "--global", "12800", "--local", "64", "--arg", "buffer:f32:12800", "--sms", "100", "--threads", "8",
                 "--set", "memory_latency=50") > 0, "100 SMs")
    check(cycles("-k", "uneven", "--global", "4096", "--local", "64", "--arg", "buffer:f32:4096", "--sms", "1", "--threads", "8",
                 "--set", "l1d_sets=4096", "--set", "l1d_mshrs=64") > 0, "a large L1D")
    rows = os.path.join(os.environ["CY_SOURCE"], "bench", "timing_rows", "4-threads")
    files = [os.path.join(rows, f"{case}.metadata") for case in ("dot_w4", "empty_w8", "dot_w4")]
    done = subprocess.run([CY, "replay", "--timing", "-q", *files], stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    check(len(lines) == 4 and lines[0].startswith("timing: 2 SMs x 8 warps x 4 threads, ") and lines[1] == lines[3] != lines[2], f"a series of launches: {lines}")
    finish()


main()
