#!/usr/bin/env python3
"""packaged_tests.py MODULE ...: a Python package's own tests, on our platform.  They skip what needs the network."""
import os
import re
import subprocess
import sys

from client import on_our_platform

on_our_platform()
environment = os.environ | {
    "PYOPENCL_CTX": "0",
    "PYOPENCL_TEST": "0:0",
    "DEVICE": "opencl0:0",  # libgpuarray's
    "PYTHONDONTWRITEBYTECODE": "1",
}
command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={os.environ['CY_TMP']}/pytest"]
run = subprocess.run([*command, "--pyargs", *sys.argv[1:]], env=environment, stdout=subprocess.PIPE, text=True)
counts = run.stdout.rstrip().rpartition("\n")[2].partition(" in ")[0]
print(f"{sys.argv[1].partition('.')[0]}: {counts}")
if run.returncode != 0 or not re.match(r"\d+ passed", counts):
    sys.exit(f"{run.stdout}\nerror: not all tests passed")
