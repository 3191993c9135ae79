#!/usr/bin/env python3
"""Mandelbulber, a renderer of fractals, on our platform: the depth of every pixel of three fractals, against its code for the
host.  The colours cannot be compared: the renderer's "fast" engine, the one that needs no images, has different lights."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyopencl
from PIL import Image

from client import on_our_platform

FRACTALS = {"Mandelbulb": 2, "Menger sponge": 7, "Mandelbox": 8}  # the numbers of their formulas
HEAD = ["# Mandelbulber settings file", "# version 2.20", "# only modified parameters", "[main_parameters]"]


def settings(file, *lines):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([*HEAD, *lines, ""]))


def identity():
    """How the settings name our device: by a hash of its name, its version and its index."""
    device = pyopencl.get_platforms()[0].get_devices()[0]
    digest = ["openssl", "dgst", "-provider", "legacy", "-provider", "default", "-md4", "-binary"]
    text = f"{device.name}{device.version}0"
    return subprocess.run(digest, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout[:3].hex()


def depths(name, home):
    """The picture of depths, from 0 to 1 (1 is the sky), and whether our device has drawn it."""
    home.mkdir(exist_ok=True)
    command = ["mandelbulber2", "--nogui", "--format", "png", "--res", "128x96", "--override", "zbuffer_enabled=1"]
    environment = os.environ | {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "CHENGYING_STATS": "1"}
    run = subprocess.run([*command, "--output", home / name, tmp / name], env=environment, check=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return np.asarray(Image.open(home / f"{name}_zbuffer.png"), dtype=float) / 65535, b"fractal3D " in run.stderr


on_our_platform()
tmp = Path(os.environ["CY_TMP"])
settings(tmp / "ours/.mandelbulber/mandelbulber.ini", "opencl_enabled true;", "opencl_mode 1;",
         f"opencl_device_list {identity()};")
failed = 0
for name, formula in FRACTALS.items():
    settings(tmp / name, f"formula_1 {formula};")
    ours, on_device = depths(name, tmp / "ours")
    host, _ = depths(name, tmp / "host")
    same = float(np.mean(np.abs(ours - host) < 0.02))
    seen = float(np.mean(host < 1))
    right = on_device and same > 0.98 and seen > 0.02
    failed += not right
    print(f"Mandelbulber: {name} covers {seen:.1%}, the depth is the same at {same:.2%} of the pixels"
          f"{'' if on_device else ', but our device was not asked'}")
sys.exit(1 if failed else 0)
