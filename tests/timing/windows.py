"""Windows, SMs that run ahead, states that are known, banks whose turns are taken at once and an L2 that takes its requests at once do not
change a cycle: profiles, which step every cycle in order, every bank by itself and memory, take as many."""
import os
import random
import re
import subprocess
import sys

CY, SCRATCH, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
VALUES = {
    "sms": (1, 2, 3), "threads": (4, 8, 32), "l1d_sets": (1, 32), "l1d_mshrs": (1, 4, 16), "l1d_write_free": (1, 3), "l1i_fill": (0, 2),
    "l2_sets": (0, 4), "l2_mshrs": (1, 4), "l2_request": (0, 1, 3), "l2_response": (0, 1, 3, 9), "memory_latency": (1, 4, 60),
    "memory_outstanding": (1, 16), "group_end_cycles": (1, 3, 11), "dispatch_interval": (1, 10), "issue_width": (1, 2),
    "collector_units": (1, 3, 8, 16), "register_banks": (1, 2, 4, 8),
}
MEMORY = {  # of the L2 without hits
    "sms": (1, 2, 4), "l1d_mshrs": (1, 4, 64), "l1d_write_entries": (1, 4, 64), "l1d_queue": (1, 4), "l2_mshrs": (1, 2, 4, 63, 64),
    "l2_request": (0, 3, 5, 9), "l2_write": (0, 5, 1000), "l2_mshr_free": (0, 3, 9), "memory_latency": (1, 4, 60),
    "memory_outstanding": (1, 3, 16), "memory_interval": (1, 7),
}


VECADD = ["examples/asm/vecadd.s", "--global", "768", "--local", "32", "--arg", "buffer:f32:768=iota", "--arg", "buffer:f32:768=ones",
          "--arg", "buffer:f32:768"]


def cycles(settings, *more, launch=tuple(VECADD)):
    words = [CY, "run", *launch, "--timing"]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    done = subprocess.run(words + list(more), cwd=SOURCE, capture_output=True, text=True, check=True)
    return int(re.search(r"^cycles: (\d+)$", done.stdout, re.M)[1])


chance, failures, seen = random.Random(17), 0, set()
for values in [VALUES] * 20 + [MEMORY] * 12:
    chosen = {name: chance.choice(values[name]) for name in chance.sample(sorted(values), 6)}
    plain, stepped = cycles(chosen), cycles(chosen, "--json", os.path.join(SCRATCH, "profile.json"))
    seen.add(plain)
    if plain != stepped:
        failures += 1
        print(f"{chosen}: {plain} cycles, {stepped} when profiled")
# one instruction leaves the collectors per cycle: one that waits for its turn is not one that its unit refused
with open(os.path.join(SCRATCH, "sum.cl"), "w", encoding="utf-8") as file:
    file.write("""kernel void sum(global const int *x, global int *y, local int *part) {
    int l = get_local_id(0), s = get_local_size(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = s / 2; d > 0; d /= 2) { if (l < d) part[l] += part[l + d]; barrier(CLK_LOCAL_MEM_FENCE); }
    if (l == 0) y[get_group_id(0)] = part[0];
}""")
SUM = [os.path.join(SCRATCH, "sum.cl"), "--global", "3072", "--local", "32", "--threads", "8", "--arg", "buffer:i32:3072=ones", "--arg",
       "buffer:i32:96", "--arg", "local:128"]
for sms in 1, 2:
    chosen = {"shared_window": 1, "l1d_ways": 1, "sms": sms}
    plain, stepped = cycles(chosen, launch=SUM), cycles(chosen, "--json", os.path.join(SCRATCH, "profile.json"), launch=SUM)
    if plain != stepped:
        failures += 1
        print(f"sum, {chosen}: {plain} cycles, {stepped} when profiled")
if len(seen) < 12:
    failures += 1
    print(f"the parameters hardly matter: {sorted(seen)}")
print(f"{failures} failures")
sys.exit(failures > 0)
