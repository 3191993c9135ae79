#!/usr/bin/env python3
"""Along which dimension work-items access consecutive memory, as the compiler notes it for the host."""
import os
import re
import shutil
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
HEAD = "kernel void k(global float *a, global float *b, int n) { int i = get_global_id(0), j = get_global_id(1); "
# Accesses, and what is noted: nothing if the first dimension is as good.
ROWS = {
    "b[j * n + i] = a[j * n + i];": "",
    "b[i * n + j] = a[i * n + j];": "1",
    "b[i * n + j] = a[j * n + i];": "0 and 1",
    "b[i] = a[i * n];": "",
    "if (i > 0 && j < n) b[i * n + j] = a[(i - 1) * n + j] + a[i * n + j - 1] + a[(i + 1) * n + j];": "1",
    "b[i * n + j] = a[(i ? i - 1 : 0) * n + min(j + 1, n - 1)];": "1",
    "float s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; b[i * n + j] = s;": "1",
    "float s = 0; for (int k = 0; k < n; k++) s += a[j * n + k] * b[k * n + i]; b[j * n + i] = s;": "",
    "float s = 0; for (int k = j; k < n; k += 64) s += a[i * n + k]; b[i * n + j] = s;": "1",
    "for (int k = 0; k < n; k++) b[j * n + i] += a[j * n + k] * a[i * n + k];": "",
    "b[(get_global_id(2) + i * n) + (j << 9)] = 1;": "2",
    "((global float4 *)b)[i * n + j] = ((global float4 *)a)[i * n + j];": "1",
    "b[i * n + j] = a[(int)a[i * n + j]];": "1",
    "int x = i; for (int k = 0; k < n; k++) x = x + x; b[x] = 1;": "",
}
failures = 0
shutil.rmtree(TMP, ignore_errors=True)
os.makedirs(TMP)
for body, expected in ROWS.items():
    with open(f"{TMP}/k.cl", "w") as file:
        file.write(HEAD + body + " }\n")
    for target in ("ventus", "ventus-gen2"):
        subprocess.run([CY, "cc", f"-march={target}", "-o", "k.riscv", "k.cl"], cwd=TMP, check=True, timeout=100)
        notes = subprocess.run([CY, "dis", "--notes", "k.riscv"], cwd=TMP, check=True, capture_output=True, text=True).stdout
        found = re.search(r"rows along dimensions? (.*)", notes)
        got = found.group(1) if found else ""
        if got != expected:
            print(f"{target}: {body}: {got!r}, expected {expected!r}")
            failures += 1
# A long function: each of its accesses asks what the variables have, which are used in thousands of places.
with open(f"{TMP}/long.cl", "w") as file:
    file.write(HEAD + "".join(f"b[i] = a[i] + {k}; if (a[i] > {k}) b[i] *= {k};\n" for k in range(6000)) + " }\n")
subprocess.run([CY, "cc", "-cl-opt-disable", "--stop-after=import", "long.cl"], cwd=TMP, check=True, timeout=100,
               stdout=subprocess.DEVNULL)
sys.exit(failures > 0)
