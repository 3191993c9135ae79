#!/usr/bin/env python3
"""GEGL's operations on our platform, next to its own code for the host: the ratio of signal to noise, by FFmpeg.  Where the two
differ more than by rounding, PoCL gives the same pictures as we do."""
import os
import re
import subprocess
import sys
from pathlib import Path

from client import on_our_platform

on_our_platform()
tmp = Path(os.environ["CY_TMP"])
OPERATIONS = [("gaussian-blur std-dev-x=3 std-dev-y=3", 80), ("box-blur radius=4", 80), ("brightness-contrast contrast=1.5", 80),
              ("levels in-low=0.1", 80), ("edge-laplace", 80), ("noise-reduction iterations=2", 40), ("snn-mean", 39)]
subprocess.run(["ffmpeg", "-hide_banner", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=200x150:duration=1",
                "-frames:v", "1", tmp / "in.png"], check=True)
failed = 0
for operation, least in OPERATIONS:
    name, *settings = operation.split()
    for use in ("no", "yes"):
        subprocess.run(["gegl", tmp / "in.png", "-o", tmp / f"{use}.png", "--", "gegl:" + name, *settings], check=True,
                       env={**os.environ, "GEGL_USE_OPENCL": use}, capture_output=True)
    done = subprocess.run(["ffmpeg", "-hide_banner", "-i", tmp / "no.png", "-i", tmp / "yes.png", "-lavfi", "psnr", "-f", "null",
                           "-"], capture_output=True, text=True)
    value = float(re.search(r"average:(\S+)", done.stderr).group(1))
    failed += value < least
    print(f"{'BAD ' if value < least else 'ok  '} {name:20} {value} dB, at least {least}")
print(f"gegl: {len(OPERATIONS) - failed} of {len(OPERATIONS)} operations agree with the host's")
sys.exit(1 if failed else 0)
