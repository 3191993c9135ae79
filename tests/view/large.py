#!/usr/bin/env python3
"""Ten million warp instructions: the trace is written in little memory, and the page loads, steps, zooms and finds.  A trace of more than
1 GiB has a page, too."""
import json
import os
import resource
import struct
import subprocess
import sys
import zlib

from browser import Browser
from cytrace import chunks

CY, SCRATCH = os.environ["CY"], os.environ["CY_TMP"]
SIZE = 10_000_000
# Lanes part in the inner loop, and each access is a different one.
KERNEL = """
__kernel void churn(__global const uint *in, __global uint *out, int rounds)
{
    uint x = get_global_id(0), sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += in[(x * 7 + i * 13) & 4095];
        if ((x ^ i) & 3)
            for (int k = 0; k < (int)(x & 3); k++)
                sum = sum * 5 + (sum >> 3);
    }
    out[x] = sum;
}
"""
failures = checks = 0


def check(ok, what):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print("FAILED:", what)


def frame(kind, payload):
    head = kind.encode() + struct.pack("<I", len(payload))
    return head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload


def check_huge():
    """A small run whose program has many large sources: its trace is larger than what other commands read."""
    small, huge, page = (os.path.join(SCRATCH, name) for name in ("small.cytrace", "huge.cytrace", "huge.html"))
    kernel = os.path.join(SCRATCH, "churn.cl")
    subprocess.run([CY, "run", "--cytrace", small, kernel, "--global", "32", "--arg", "buffer:u32:4096", "--arg", "buffer:u32:32", "--arg", "2"],
                   stdout=subprocess.DEVNULL, check=True)
    with open(small, "rb") as file:
        data = file.read()
    text = json.dumps({"rows": [], "functions": [], "files": [{"name": "large.cl", "text": " " * (64 << 20)}]}).encode()
    with open(huge, "wb") as file:
        file.write(data[:12])
        for kind, payload in chunks(data):
            file.write(frame(kind, payload))
            if kind == "PROG":
                for _ in range(17):
                    file.write(frame("PROG", text))
    check(os.path.getsize(huge) > 1 << 30, "the trace is large")
    done = subprocess.run([CY, "view", huge, "-o", page], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and "1 launch, 1 warp," in done.stdout, done.stdout + done.stderr)
    os.unlink(huge)


def main():
    source, trace, page = (os.path.join(SCRATCH, name) for name in ("churn.cl", "churn.cytrace", "churn.html"))
    with open(source, "w", encoding="ascii") as file:
        file.write(KERNEL)
    done = subprocess.run([CY, "run", "--no-progress", "--cytrace", trace, "--set", "sms=4", "--events", str(SIZE), source, "--global", "16384",
                           "--local", "128", "--arg", "buffer:u32:4096=random", "--arg", "buffer:u32:16384", "--arg", "600"],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0 and f"beyond the first {SIZE}" in done.stderr, f"the run has ten million instructions: {done.stderr}")
    # the machine's window of memory is mapped, not used; the streams of the model and the buffers of the trace are what counts
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check(most < 600_000, f"it took {most} KB")
    done = subprocess.run([CY, "view", trace, "-o", page], capture_output=True, text=True, check=False)
    check(f"{SIZE} warp instructions" in done.stdout, done.stdout + done.stderr)
    check(os.path.getsize(page) < 120 << 20, f"the page has {os.path.getsize(page)} bytes")
    with Browser(SCRATCH) as browser:
        browser.open(page, 900)
        check(browser.run("return document.body.dataset.state") == "ready", "the page is ready")
        check(f"{SIZE:,} warp instructions" in browser.text("#facts"), browser.text("#facts"))
        check(browser.run("return document.querySelectorAll('*').length") < 5000, "no node for each event")
        browser.keys("Right", "Right", "Left")
        check(browser.data()["step"] == 1, "it steps")
        browser.keys("End")
        check(browser.data()["step"] > 1000, "to the end of a long warp")
        browser.keys("Down", "m", "d", "+", "+", "+", "0")
        check(len(browser.run("return [...document.querySelectorAll('#stack .entry')].map((e) => 1)")) > 1, "divergence is shown")
        browser.type("#search", "vmul")
        browser.keys("Enter")
        check("vmul" in browser.text("#now .now-insn") or browser.text("#search-status") == "nothing", "it finds")
        for _ in range(12):
            browser.keys("+")
        picture = browser.screenshot()
        check(len({picture.at(x, 200) for x in range(100, 1300, 5)}) > 3, "the timeline is drawn from near by")
        check(browser.log() == [], "console")
    check_huge()
    print(f"{checks - failures} of {checks} checks passed")
    sys.exit(failures > 0)


main()
