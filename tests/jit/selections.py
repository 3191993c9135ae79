#!/usr/bin/env python3
"""Selections by constant bits that are merged with an older value under a divergent mask: translated, they give the interpreter's words.

LLVM 19 makes them wrongly for AVX-512 (src/jit/translate/host/x86_ternary.c).  Each shape is a kernel of its own, since a constant that
is used twice is in a register, where nothing is wrong; each runs at every level of this host, in strips of several widths."""
import argparse
import concurrent.futures
import os
import random
import re
import struct
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
GLOBAL = 480
# rows of which strips have 8, 16 and 32 lanes, 4, an odd number, and of which the last is partial
LOCALS = ["8", "32", "160", "4,4", "5,3", "20"]
KERNEL = """kernel void {name}(global {bits} *a, global const {bits} *b, global const int *in)
{{
    size_t i = get_global_linear_id();
    {type} x = as_{type}(a[i]), y = as_{type}(b[i]);
    {statement}
    a[i] = as_{bits}(x);
}}
"""
MERGED = "if (in[i] & 4) x = {};"
INTEGERS = {
    "bitselect": "bitselect(x, y, ({type}){c})",
    "masked": "(x & {c}) | (y & ~{c})",
    "complemented": "(y & {c}) | (x & ~{c})",
    "exchanged": "x ^ ((x ^ y) & {c})",
    "negated": "~((x & {c}) | (y & ~{c}))",
    "shifted": "(x << 8 >> 8) | (y & ~({c} >> 63 << 1 >> 9))",
    "neither": "bitselect(y, y >> 1, ({type}){c})",
}
FLOATS = {
    "sign_of": "copysign(x, y)",
    "sign_to": "copysign(y, x)",
    "rounded": "rint(x)",
    "magnitude": "-copysign(y, x)",
    "converted": "convert_{type}(convert_{whole}_rte(x))",
}


def kernels():
    """(name, 32-bit words of an element, source)"""
    for element, bits, constant, vectors in (("uint", "uint", "0xff0f00u", (1, 2, 4)), ("float", "uint", "", (1, 4)),
                                             ("ulong", "ulong", "0xff0f00ffff0fful", (1, 2)), ("double", "ulong", "", (1, 2))):
        shapes = FLOATS if element in ("float", "double") else INTEGERS
        for n in vectors:
            size = str(n) if n > 1 else ""
            for shape, text in shapes.items():
                text = text.format(type=element + size, c=constant, whole=("int" if bits == "uint" else "long") + size)
                name = f"{shape}_{element}{size}"
                yield name, bits + size, KERNEL.format(name=name, type=element + size, bits=bits + size,
                                                       statement=MERGED.format(text))
    # as they were found
    yield "scattered", "uint", ("kernel void scattered(global float *a, global const uint *b, global const int *in)\n"
                                "{ uint i = get_global_linear_id(); if (i & 1u) a[i / 2u * 2u] = rint((float)in[i]); }\n")
    yield "window", "uint", ("kernel void window(global uint *out, global const uint *x, global const int *in)\n"
                             "{ uint i = get_global_linear_id(); float a = as_float(out[i]), b = as_float(x[i]);\n"
                             "  if (in[i + 55] & 4) a = copysign(b, a);\n  out[i] = as_uint(a); }\n")
    yield "both", "uint", KERNEL.format(
        name="both", type="float", bits="uint",
        statement="if (in[i] & 4) x = copysign(x, y); else x = copysign(y, x) * 2.0f;")
    yield "looped", "uint", KERNEL.format(
        name="looped", type="uint", bits="uint",
        statement="for (int k = in[i] & 7; k > 0; k--)\n        x = bitselect(x, y + x, 0xff00ffu) * 3;")


def run(executable, name, element, local, setting):
    out = f"{TMP}/{name}.{local}.{'.'.join(setting)}".replace(",", "x")
    shape = {"4,4": "20,24", "5,3": "20,24"}.get(local, str(GLOBAL))
    buffer = f"buffer:{'u64' if 'long' in element else 'u32'}=@{TMP}/{'long' if 'long' in element else 'word'}"
    first = buffer.replace("u32", "f32") if name == "scattered" else buffer
    command = [CY, "run", executable, "--kernel", name, "--global", shape, "--local", local, "--arg", first + "1", "--arg",
               buffer + "2", "--arg", f"buffer:i32:{GLOBAL + 64}=random:3", "--out", f"0={out}"]
    for text in setting:
        command += ["--set", text]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or "note:" in done.stderr:
        return done.stderr or str(done.returncode)
    with open(out, "rb") as file:
        data = file.read()
    os.remove(out)
    return data


def write_values():
    """Any bits, and numbers of which the fraction counts."""
    random.seed(1)
    for name, form, whole in (("word", "f", "I"), ("long", "d", "Q")):
        for file in "12":
            with open(f"{TMP}/{name}{file}", "wb") as out:
                for i in range(4 * GLOBAL):
                    if i % 3:
                        out.write(struct.pack("<" + form, random.uniform(-1000, 1000)))
                    else:
                        out.write(struct.pack("<" + whole, random.getrandbits(32 if form == "f" else 64)))


def levels():
    said = subprocess.run([CY, "run", "--set", "engine-level=none", "none.cl"], capture_output=True, text=True).stderr
    return re.search(r"available: best, ([\w, ]+)", said)[1].split(", ")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--march", default="ventus")
    parser.add_argument("--all", action="store_true", help="every kernel at every level in every width; else at the best level in two")
    options = parser.parse_args()
    found = list(kernels())
    write_values()
    source, executable = f"{TMP}/selections.cl", f"{TMP}/selections.riscv"
    with open(source, "w") as file:
        file.write("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + "".join(text for _, _, text in found))
    subprocess.run([CY, "cc", f"-march={options.march}", "-cl-std=CL3.0", "-o", executable, source], check=True)
    here, wrong, compared = levels() if options.all else ["best"], 0, 0
    pairs = [(kernel, local) for i, kernel in enumerate(found) for k, local in enumerate(LOCALS)
             if options.all or k in (0, 1 + i % (len(LOCALS) - 1))]

    def one(kernel, local):
        name, element, _ = kernel
        expected = run(executable, name, element, local, ["engine=interp"])
        return [(name, local, level, expected,
                 run(executable, name, element, local, ["engine=jit", f"engine-level={level}"])) for level in here]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for rows in pool.map(lambda pair: one(*pair), pairs):
            for name, local, level, expected, got in rows:
                compared += 1
                if isinstance(expected, str) or isinstance(got, str):
                    print(f"{name} local {local} {level}: {expected if isinstance(expected, str) else got}")
                    wrong += 1
                elif expected != got:
                    words = sum(expected[i:i + 4] != got[i:i + 4] for i in range(0, len(got), 4))
                    print(f"{name} local {local} {level}: {words} words of {len(got) // 4} differ from the interpreter's")
                    wrong += 1
    print(f"{len(found)} kernels, levels {' '.join(here)}: {compared} launches, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
