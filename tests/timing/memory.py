"""The L2 and memory, which the model computes request by request, against cycles that a model counted that stepped them cycle by cycle."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

VECADD = ["examples/asm/vecadd.s", "--global", "768", "--local", "32", "--arg", "buffer:f32:768=iota", "--arg", "buffer:f32:768=ones",
          "--arg", "buffer:f32:768"]
KNOWN = {
    "": 5047,
    "memory_outstanding=1": 7174,
    "memory_outstanding=2 memory_latency=20": 16427,
    "memory_outstanding=2 l2_write=0": 5392,
    "l2_write=0 l2_request=9": 6420,
    "l2_request=0 l2_write=0 l2_response=0": 4689,
    "memory_interval=3 l2_mshrs=16 l1d_mshrs=16": 6100,
    "memory_interval=10 memory_latency=100 l2_mshrs=2": 66764,
    "l2_mshr_free=0 l1d_mshr_free=1": 4871,
    "l2_mshr_free=40": 14727,
    "l2_sets=4 memory_latency=60": 20843,
    "l2_sets=2 l2_ways=1 memory_outstanding=1 l2_write=0 l2_request=3": 5948,
    "l1d_line=16 l2_line=64": 4011,
    "l1d_queue=1 l1d_request=0 l1d_write_entries=1": 5915,
    "l1d_sets=1 l1d_ways=1 sms=3": 4286,
}


def cycles(settings):
    words = [os.environ["CY"], "run", *VECADD, "--timing", "--no-progress"]
    for setting in ["threads=8", "warps=8", "sms=2", *settings.split()]:
        words += ["--set", setting]
    done = subprocess.run(words, cwd=os.environ["CY_SOURCE"], capture_output=True, text=True, check=False)
    found = re.search(r"^cycles: (\d+)$", done.stdout, re.M)
    return int(found[1]) if found else done.stderr


def main():
    for settings, known in KNOWN.items():
        found = cycles(settings)
        check(found == known, f"{settings or 'the preset'}: {found} cycles, not {known}")
    finish()


main()
