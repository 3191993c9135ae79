"""Windows, SMs that run ahead and states that are known do not change a cycle: profiles, which step every cycle in order, take as
many."""
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
}


def cycles(settings, *more):
    words = [CY, "run", "examples/asm/vecadd.s", "--global", "768", "--local", "32", "--timing"]
    for argument in ("buffer:f32:768=iota", "buffer:f32:768=ones", "buffer:f32:768"):
        words += ["--arg", argument]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    done = subprocess.run(words + list(more), cwd=SOURCE, capture_output=True, text=True, check=True)
    return int(re.search(r"^cycles: (\d+)$", done.stdout, re.M)[1])


chance, failures, seen = random.Random(17), 0, set()
for _ in range(16):
    chosen = {name: chance.choice(VALUES[name]) for name in chance.sample(sorted(VALUES), 6)}
    plain, stepped = cycles(chosen), cycles(chosen, "--json", os.path.join(SCRATCH, "profile.json"))
    seen.add(plain)
    if plain != stepped:
        failures += 1
        print(f"{chosen}: {plain} cycles, {stepped} when profiled")
if len(seen) < 12:
    failures += 1
    print(f"the parameters hardly matter: {sorted(seen)}")
print(f"{failures} failures")
sys.exit(failures > 0)
