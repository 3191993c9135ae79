#!/usr/bin/env python3
"""Generation 2 reads absolute values and negations by a prefix of the instruction that uses them, where that saves an
instruction; generation 1 has no such prefix."""
import os
import re
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]

# parameters; body; instructions wanted, with pair, abs and neg of their prefix; mnemonics that must not be left
SIGNS = ["vfabs.v", "vfneg.v", "vfsgnjn.vv", "vfsgnjx.vv", "vrsub.vi", "fabs.s", "fneg.s", "neg"]
CASES = {
    "sum": ("global float *a", "a[I] = fabs(a[I]) + fabs(a[I + 9]);", ["prefix 0, 3, 0; vfadd.vv"], SIGNS),
    "minus": ("global float *a", "a[I] = -fabs(a[I]) / a[I + 9];", ["prefix 0, 2, 2; vfdiv.vv"], SIGNS),
    "both": ("global float *a", "a[I] = -fabs(a[I]);", ["prefix 0, 3, 0; vfneg.v"], ["vfabs.v"]),
    "fused": ("global float *a", "a[I] = fma(fabs(a[I]), a[I + 9], fabs(a[I + 5]));", ["prefix 0, 6, 0; vfmadd.vv|"
              "prefix 0, 5, 0; vfmadd.vv|prefix 0, 6, 0; vfmacc.vv|prefix 0, 5, 0; vfmacc.vv"], SIGNS),
    "root": ("global float *a", "a[I] = sqrt(fabs(a[I]));", ["prefix 0, 2, 0; vfsqrt.v"], SIGNS),
    "less": ("global float *a, float e", "a[I] = fabs(a[I]) < e;", ["prefix 0, 2, 0; vmflt.vf"], SIGNS),
    "scalar": ("global float *a, float x, float y", "a[I] = fabs(x) + y * a[I];", ["prefix 0, [124], 0; v?f"], SIGNS),
    "wide": ("global double *a", "double x = a[I]; a[I] = fabs(x) * -a[I + 9]; a[I + 5] = fabs(x) + 1.0;",
             ["prefix 1, [123], 0; vfadd.vv", "prefix 1, [12], [12]; vfmul.vv"], SIGNS),
    "wide_root": ("global double *a", "a[I] = sqrt(fabs(a[I]));", ["prefix 1, 2, 0; vfsqrt.v"], SIGNS),
    "distance": ("global int *a", "a[I] += abs(a[I + 9] - a[I + 5]);", ["prefix 0, [12], 0; vadd.vv"], SIGNS),
    "magnitude": ("global int *a", "a[I] = abs(a[I]);", ["prefix 0, 0, [12]; vmax.vv"], SIGNS),
    "lowest": ("global int *a", "a[I] = a[I] & -a[I];", ["prefix 0, 0, [12]; vand.vv"], SIGNS),
    # a prefix in each of several users would cost more than the one instruction
    "shared": ("global float *a", "float x = fabs(a[I]); a[I] = x * 3; a[I + 5] = x + 4; a[I + 9] = x - 7;",
               ["vfabs.v"], []),
}


def compiled(source, generation):
    text = subprocess.run([CY, "cc", "--no-cache", f"-march={generation}", "-S", "-o", "-", source], check=True,
                          capture_output=True, text=True).stdout
    return {name: re.sub(r"[\t ]+", " ", re.search(rf"^{name}:\n(.*?)^\t\.size", text, re.M | re.S)[1])
            for name in CASES}


def main():
    source = os.path.join(TMP, "signs.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#define I get_global_id(0)\n")
        for name, (parameters, body, _, _) in CASES.items():
            file.write(f"kernel void {name}({parameters})\n{{ {body} }}\n")
    wrong = 0
    code = compiled(source, "ventus-gen2")
    for name, (_, _, wanted, unwanted) in CASES.items():
        for instruction in wanted:
            if not re.search(instruction, code[name]):
                print(f"{name}: there is no {instruction}\n{code[name]}")
                wrong += 1
        for mnemonic in unwanted:
            if re.search(rf"[ ;]{re.escape(mnemonic)} ", code[name]):
                print(f"{name}: {mnemonic} is left\n{code[name]}")
                wrong += 1
    for name, text in compiled(source, "ventus").items():
        if "prefix " in text:
            print(f"{name}: generation 1 has no such prefix\n{text}")
            wrong += 1
    sys.exit(1 if wrong else 0)


main()
