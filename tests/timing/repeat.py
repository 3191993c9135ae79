"""A device that comes into a state it was in before goes on as it did then, and takes as many cycles as one that is stepped: profiles
step every cycle.  Many workgroups that do the same, or nearly: lines shared by two of them, atomics, scattered stores, a smaller last
one."""
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
KERNELS = r"""
kernel void add(global const float *a, global const float *b, global float *c, int n) {
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}
kernel void sum(global const int *x, global int *y, local int *part) {
    int l = get_local_id(0), s = get_local_size(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = s / 2; d > 0; d /= 2) { if (l < d) part[l] += part[l + d]; barrier(CLK_LOCAL_MEM_FENCE); }
    if (l == 0) y[get_group_id(0)] = part[0];
}
kernel void count(global int *h, global const int *x) {
    int i = get_global_id(0);
    atomic_inc(&h[x[i] & 7]);
    h[8 + i] = h[i & 7];
}
kernel void scatter(global int *a, global const int *x, int n) {
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < 3; k++) { s += a[(x[i] * 5 + k) & (n - 1)]; a[(x[i] + k * 33) & (n - 1)] = s; }
    a[i] = s;
}
"""
SIZE = 3072
LAUNCHES = {
    "add": ["buffer:f32:3072=iota", "buffer:f32:3072=ones", "buffer:f32:3072", "3000"],
    "sum": ["buffer:i32:3072=ones", "buffer:i32:96", "local:128"],
    "count": ["buffer:i32:3080", "buffer:i32:3072=iota"],
    "scatter": ["buffer:i32:4096=iota", "buffer:i32:3072=iota", "4096"],
}
VALUES = {
    "sms": (1, 2, 3), "l1d_sets": (1, 4, 32, 64), "l1d_ways": (1, 2, 4), "l1d_mshrs": (1, 4), "l1d_write_entries": (1, 4), "l1i_sets": (2, 32),
    "l2_sets": (0, 8), "l2_mshrs": (1, 4), "memory_latency": (1, 4, 30), "memory_outstanding": (1, 16), "lsu_entries": (2, 8),
}


def cycles(name, preset, settings, *more):
    words = [CY, "run", os.path.join(TMP, "kernels"), "-k", name, "--global", str(SIZE), "--local", "32", "--threads", "8", "--no-progress",
             f"--timing={preset}"]
    for argument in LAUNCHES[name]:
        words += ["--arg", argument]
    for setting, value in settings.items():
        words += ["--set", f"{setting}={value}"]
    done = subprocess.run(words + list(more), capture_output=True, text=True, check=False)
    found = re.search(r"^cycles: (\d+)$", done.stdout, re.M)
    check(found and done.returncode == 0, f"{words}: {done.stdout}{done.stderr}")
    return int(found[1]) if found else 0


def main():
    with open(os.path.join(TMP, "kernels.cl"), "w", encoding="utf-8") as file:
        file.write(KERNELS)
    subprocess.run([CY, "cc", "-o", os.path.join(TMP, "kernels"), os.path.join(TMP, "kernels.cl")], check=True)
    chance = random.Random(70)
    for name in LAUNCHES:
        for preset in ("ventus-verilog", "ventus-chisel"):
            for turn in range(4):
                chosen = {key: chance.choice(VALUES[key]) for key in chance.sample(sorted(VALUES), 5)} if turn else {"sms": 2}
                plain = cycles(name, preset, chosen)
                stepped = cycles(name, preset, chosen, "--json", os.path.join(TMP, "profile.json"))
                threads = cycles(name, preset, chosen, "--host-threads", "3")
                check(plain == stepped == threads, f"{name} {preset} {chosen}: {plain} cycles, {threads} with three host threads, "
                      f"{stepped} when every cycle is stepped")
    finish()


main()
