#!/bin/bash
# One of each kind (fuzz_messages.c), as the programs themselves write them.
set -eu
printf '#include "'"$CY_SOURCE"'/tests/fuzz/seeds/messages/include/k.h"\nkernel void k(global int *a) { a[get_global_id(0)] += 3; }\n' >"$1/k.cl"
export CHENGYING_CACHE=1 CHENGYING_CACHE_DIR=$1/cache TMPDIR=$1
CHENGYING_COMPILER_FAULT=crash@isel "$CY" cc -o "$1/k.o" "$1/k.cl" 2>/dev/null || true
"$CY" run --engine jit "$1/k.cl" --global 64 --arg buffer:i32:64=iota >/dev/null
sed 's/NN\b/32/; s/\bSIZE\b/%uint/' "$CY_SOURCE/tests/cl/spirv/constants.spvasm" | spirv-as --target-env spv1.0 - -o "$1/k.spv"
"$CY_PYTHON" - "$1" <<'END'
import glob
import os
import sys

here = sys.argv[1]
magic = b"Chengying compiler input 1\n"

def seed(kind, name, data):
    with open(f"{here}/{name}", "wb") as file:
        file.write(bytes((kind,)) + data)

for path in glob.glob(f"{here}/*.reproducer"):
    data = open(path, "rb").read()
    seed(3, "reproducer", data)
    seed(0, "request", data[len(magic):])
    os.remove(path)
for path in glob.glob(f"{here}/cache/??/*"):
    data = open(path, "rb").read()[8 + 64:]  # magic, key, checksum
    if data.startswith(b"CYHOST1\n"):
        seed(2, "image", data[9:])
    elif not data.startswith(b"CY"):
        seed(1, "entry", data)
seed(4, "spirv", open(f"{here}/k.spv", "rb").read())
seed(5, "asm", b'void f(int x) { __asm__ volatile("add %0, %1, %2" : "=r"(x) : "r"(x), "i"(3)); }\n')
seed(5, "rule", b"k.o: k.cl dir\\ with/k.h \\\n  a$$b.h \\#c.h\n")
END
rm -rf "$1"/k.* "$1/cache"
