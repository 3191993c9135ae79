#!/usr/bin/env python3
"""Vectors are moved by accesses of 64, 96 and 128 bits on generation 2, in every address space; and accesses that must not
be merged are not."""
import os
import re
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]

# kernel body; accesses that its code must contain, each at least so often; accesses that it must not contain
CASES = {
    "four": ("global float4 *d, global const float4 *s", "d[I] = s[I] * 2.0f;",
             {"pre_m_128 vlw12d.v": 1, "pre_m_128 vsw12d.v": 1}, ["vlw12d.v", "vsw12d.v"]),
    "three": ("global float *d, global const float *s", "vstore3(vload3(I, s) + 1.0f, I, d);",
              {"pre_m_96 vlw12d.v": 1, "pre_m_96 vsw12d.v": 1}, ["vlw12d.v", "vsw12d.v"]),
    "two": ("global long *d, global const double *s", "d[I] = as_long(s[I] + 1.0);",
            {"pre_m_64 vlw12d.v": 1, "pre_m_64 vsw12d.v": 1}, ["vlw12d.v", "vsw12d.v"]),
    "shared": ("global int4 *d", "local int4 t[64]; int l = get_local_id(0); t[l] = d[I]; barrier(1); d[I] = t[63 - l];",
               {"pre_m_128 vsw12.v": 1, "pre_m_128 vlw12.v": 1}, ["vlw12.v", "vsw12.v"]),
    "own": ("global int4 *d, int k", "int4 t[4]; for (int j = 0; j < 4; j++) t[j] = d[I + j]; d[I] = t[k & 3];",
            {"pre_m_private_128 vsw12.v": 4, "pre_m_private_128 vlw12.v": 1}, ["pre_m_private_32 vsw12.v"]),
    "uniform": ("global float4 *d, global const float4 *s, int n", "float4 a = 0; for (int j = 0; j < n; j++) "
                "a = a * 0.5f + s[j]; d[I] = a;", {"pre_m_128 ld": 1, "pre_m_128 vsw12d.v": 1}, ["ld"]),
    # each word of a volatile vector is read by itself, a store between two loads keeps them apart, and so does a barrier
    "apart": ("global volatile int *d, global int *s", "int a = d[2 * I], b = d[2 * I + 1]; s[I] = a - b;",
              {"vlw12d.v": 2}, ["pre_m_64 vlw12d.v"]),
    "between": ("global int *d, global int *s", "int a = d[2 * I]; s[I] = a; int b = d[2 * I + 1]; s[I + 9] = a ^ b;",
                {"vlw12d.v": 2}, ["pre_m_64 vlw12d.v"]),
    "waiting": ("global int *d", "d[2 * I] = 1; barrier(2); d[2 * I + 1] = 2;", {"vsw12d.v": 2}, ["pre_m_64 vsw12d.v"]),
}


def accesses(kernel):
    """How often each access is in the code: its prefix, if that is one of memory, and its mnemonic."""
    counts = {}
    for line in kernel:
        match = re.match(r"\t(?:(pre_m_\w+)\t[^;]*; )?([a-z0-9.]+)\t", line)
        if match:
            name = f"{match[1]} {match[2]}" if match[1] else match[2]
            counts[name] = counts.get(name, 0) + 1
    return counts


def main():
    source = os.path.join(TMP, "moves.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#define I get_global_id(0)\n")
        for name, (parameters, body, _, _) in CASES.items():
            file.write(f"kernel void {name}({parameters})\n{{ {body} }}\n")
    text = subprocess.run([CY, "cc", "--no-cache", "-march=ventus-gen2", "-S", "-o", "-", source], check=True,
                          capture_output=True, text=True).stdout
    wrong = 0
    for name, (_, _, wanted, unwanted) in CASES.items():
        code = re.search(rf"^{name}:\n(.*?)^\t\.size", text, re.M | re.S)[1].split("\n")
        found = accesses(code)
        for access, count in wanted.items():
            if found.get(access, 0) < count:
                print(f"{name}: {access} only {found.get(access, 0)} times")
                wrong += 1
        for access in unwanted:
            if found.get(access, 0):
                print(f"{name}: {access} {found[access]} times")
                wrong += 1
    sys.exit(f"{wrong} wrong" if wrong else 0)


main()
