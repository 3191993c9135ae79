"""Shared by the Python clients: they restart themselves under `cy exec`, with only our platform visible.

CY_CLIENT has other words in place of `exec`: `exec -march=ventus-gen2`, `check --json -o reports.json`.
"""
import os
import sys


def on_our_platform():
    """Returns in a process that sees only our platform, with an empty cache."""
    if "OCL_ICD_VENDORS" in os.environ:
        return
    for variable in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        os.environ[variable] = os.environ["CY_TMP"]  # where clients keep compiled programs
    os.execv(os.environ["CY"], ["cy", *os.environ.get("CY_CLIENT", "exec").split(), "--", sys.executable, *sys.argv])
