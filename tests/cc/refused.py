#!/usr/bin/env python3
"""Unsupported features of OpenCL C or of this device are errors with location and name, with and without optimisation."""
import os
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]

# (options, source, the first line of the message after the file name)
CASES = [
    ("", "int g(int);\nkernel void k(global int *a)\n{\n    a[0] = g(a[1]);\n}",
     ":4:12: error: kernel 'k': the function 'g' is not defined"),
    ("", "extern constant int x[4];\nkernel void k(global int *a) { a[0] = x[a[1]]; }",
     ":2:39: error: kernel 'k': the variable 'x' is not defined"),
    ("", "kernel void k(global short *a)\n{\n    __sync_fetch_and_add(a, 1);\n}",
     ":3:5: error: kernel 'k': atomic operations are supported on 32 and 64 bits, not on 16"),
    ("-w", "kernel void k(global int *a)\n{\n    __sync_fetch_and_add(a, 1);\n    __sync_fetch_and_nand(a, 1);\n}",
     ":4:5: error: kernel 'k': this atomic operation is not supported"),
    ("", "kernel void k(global int *a, constant char *f)\n{\n    printf(f, a[0]);\n}",
     ":3:5: error: kernel 'k': printf needs a format that is a string literal"),
    ("", "kernel void k(global int *a)\n{\n    unsigned _BitInt(128) x = a[0], y = a[1];\n    a[2] = (int)(x / y);\n}",
     ":4:20: error: kernel 'k': 128-bit division is not supported"),
    ("", "kernel void k(global long *a)\n{\n    a[0] = __builtin_readcyclecounter();\n}",
     ":3:12: error: kernel 'k': 'llvm.readcyclecounter' is not supported"),
    ("", "int f(int x) { return x ? f(x - 1) * x : 1; }\nkernel void k(global int *a) { a[0] = f(a[1]); }",
     ":1: error: 'f' calls itself: recursion is not allowed in OpenCL C"),
    # before anything of that size is made
    ("", "constant int big[1 << 29] = {1};\nkernel void k(global int *a) { a[0] = big[a[1]]; }",
     ":2:39: error: kernel 'k': no room for the variable 'big' of 2147483648 bytes: all variables of a program may have at most 134217728"),
    ("-cl-std=CL3.0", "global int a1[1 << 24], a2[1 << 24], a3[1];\nkernel void k(global int *a) { a[0] = a1[a[1]] + a2[a[1]] +\na3[0]; }",
     ":3:1: error: kernel 'k': no room for the variable 'a3' of 4 bytes: all variables of a program may have at most 134217728"),
    ("", "kernel void k(global int *a) {\n    local int big[1 << 28];\n    big[a[1]] = 1; barrier(1); a[0] = big[a[2]]; }",
     ":3:5: error: kernel 'k': no room for the variable 'k.big' of 1073741824 bytes: a workgroup's local memory has at most 65535"),
    ("", "kernel void k(global int *a) {\n    int big[1 << 28];\n    big[a[1]] = 1;\n    a[0] = big[a[2]]; }",
     ":2:5: error: kernel 'k': a variable has 1073741824 bytes; a work-item has at most 65535 of private memory"),
    # clang's own
    ("", "kernel void k(global int *a, int n) { int b[n]; }", ":1:45: error: variable length arrays are not supported in OpenCL"),
    ("", "int f(int x, ...) { return x; }", ":1:5: error: invalid prototype, variadic arguments are not allowed in OpenCL"),
    ("", "kernel void k(int (*p)(int)) { }", ":1:20: error: pointers to functions are not allowed"),
]


def without_memory(path):
    """A clang that runs out of memory: the log says so, and in which pass."""
    clang = os.path.join(TMP, "clang")
    with open(clang, "w") as out:
        out.write("#!/bin/sh\necho 'LLVM ERROR: out of memory' >&2\necho 'Stack dump:' >&2\nkill -ABRT $$\n")
    os.chmod(clang, 0o755)
    done = subprocess.run([CY, "cc", "-o", path + ".riscv", path], capture_output=True, text=True,
                          env={**os.environ, "CHENGYING_CLANG": clang})
    good = done.returncode == 1 and ": error: clang-19 ran out of memory in " in done.stderr
    if not good:
        print("status %d: %s" % (done.returncode, done.stderr))
    return good


def main():
    failures = 0
    path = os.path.join(TMP, "refused.cl")
    for options, source, expected in CASES:
        with open(path, "w") as out:
            out.write(source + "\n")
        for level in ("-O0", "-O2"):
            done = subprocess.run([CY, "cc", level, *options.split(), "-o", path + ".riscv", path], capture_output=True, text=True)
            first = (done.stderr.splitlines() or [""])[0]
            if done.returncode != 1 or first != path + expected:
                print("%s\n  %s: status %d, %s\n  expected %s" % (source, level, done.returncode, first, path + expected))
                failures += 1
    failures += not without_memory(path)
    print("%d cases, %d failures" % (len(CASES), failures))
    sys.exit(1 if failures else 0)


main()
