#!/usr/bin/env python3
"""darktable's modules on our platform, next to its own code for the host: a picture with one module each, 16 bits a channel.

PoCL cannot compile darktable's kernels, and darktable refuses it anyway.
"""
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

from client import on_our_platform

on_our_platform()
import cv2
import numpy as np

tmp = Path(os.environ["CY_TMP"])

# name, version of its parameters, their types, their values, the mean difference that is allowed
EXACT = 10
APART = 300  # the host's code blurs by repeated means, the kernels by a Gaussian, or ends at the picture's edges
MODULES = [
    ("sharpen", 1, "fff", (2, 0.5, 0.5), 30), ("highpass", 1, "ff", (50, 50), APART), ("soften", 1, "ffff", (50, 100, 0.33, 50), APART),
    ("velvia", 2, "ff", (25, 1), EXACT), ("vibrance", 2, "f", (25,), EXACT),
    ("colisa", 1, "fff", (0.3, 0.1, 0.2), EXACT), ("bilat", 3, "Iffff", (0, 30, 20, 1.5, 0.5), EXACT),
    ("bilat", 3, "Iffff", (1, 0.5, 0.5, 1.25, 0.5), EXACT), ("nlmeans", 2, "ffff", (2, 50, 0.5, 1), 30),
    ("hazeremoval", 1, "ff", (0.2, 0.2), EXACT), ("lowpass", 4, "iffffii", (0, 10, 1, 0, 1, 0, 1), EXACT),
    ("lowpass", 4, "iffffii", (0, 10, 1, 0, 1, 1, 1), EXACT), ("monochrome", 2, "ffff", (0, 0, 2, 0), EXACT),
    ("graduatednd", 1, "ffffff", (1, 0, 0, 50, 0, 0), EXACT), ("splittoning", 1, "ffffff", (0, 0.5, 0.2, 0.5, 0.5, 33), EXACT),
    ("colorize", 2, "ffffi", (0, 0.5, 50, 50, 1), EXACT), ("relight", 1, "fff", (0.33, 0.3, 4), EXACT),
    ("colorcontrast", 2, "ffffi", (1.3, 0, 1.2, 0, 1), EXACT),
    ("shadhi", 5, "iffffffffIfi", (0, 100, 50, 0, 0, -50, 0, 50, 50, 127, 1e-6, 0), EXACT),
]

SIDECAR = """<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="5" darktable:raw_params="0"
 darktable:auto_presets_applied="1" darktable:history_end="1" darktable:iop_order_version="2">
<darktable:history><rdf:Seq><rdf:li darktable:num="0" darktable:operation="{name}" darktable:enabled="1"
 darktable:modversion="{version}" darktable:params="{parameters}" darktable:multi_name="" darktable:multi_priority="0"/>
</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>
"""


def export(name, *options):
    """The picture, and where its last but one step, the module's, was done."""
    (tmp / name).unlink(missing_ok=True)
    run = subprocess.run(["darktable-cli", tmp / "in.png", tmp / "in.xmp", tmp / name, "--core", "--configdir", tmp / "config",
                          "--library", ":memory:", "--conf", "plugins/imageio/format/png/bpp=16", "--conf", "opencl=TRUE",
                          "-d", "perf", *options],
                         capture_output=True, text=True)
    if not (tmp / name).exists():
        sys.exit(run.stdout + run.stderr)
    places = re.findall(r"processed `.*' on (\w+)", run.stdout + run.stderr)
    return cv2.imread(str(tmp / name), cv2.IMREAD_UNCHANGED).astype(np.float64), places


random = np.random.default_rng(1)
ramp_x, ramp_y = np.meshgrid(np.linspace(0, 255, 400), np.linspace(0, 255, 300))
picture = np.stack([ramp_x, ramp_y, 255 - ramp_x], axis=2) * 0.8 + random.normal(20, 6, (300, 400, 3))
cv2.rectangle(picture, (60, 70), (180, 190), (30, 200, 240), -1)
cv2.circle(picture, (290, 160), 70, (220, 40, 20), -1)
cv2.imwrite(str(tmp / "in.png"), picture.clip(0, 255).astype(np.uint8))
(tmp / "in.xmp").unlink(missing_ok=True)
failed = 0
for number, (name, version, types, values, tolerance) in enumerate(MODULES):
    parameters = struct.pack("<" + types, *values).hex()
    (tmp / "in.xmp").write_text(SIDECAR.format(name=name, version=version, parameters=parameters))
    if number == 0:  # its first run measures the device, and may turn OpenCL off for the next ones, which say opencl=TRUE
        export("device.png")
    expected, _ = export("host.png", "--disable-opencl")
    got, places = export("device.png")
    difference = np.abs(got - expected).mean()
    good = difference <= tolerance and places == ["GPU"] * 3  # between the profiles of input and output
    failed += not good
    print(f"{'ok  ' if good else 'FAIL'} {name:14} differs by {difference:.2f} of 65535, {tolerance} allowed; {' '.join(places)}", flush=True)
print(f"darktable: {len(MODULES) - failed} of {len(MODULES)} modules agree with the host's")
sys.exit(1 if failed else 0)
