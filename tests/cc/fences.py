#!/usr/bin/env python3
"""Fences order what OpenCL's memory orders ask for, and no more: on hosts, ordering loads after stores takes longer than all else."""
import os
import re
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]

TSO, ACQUIRE, RELEASE, FULL = "fence.tso", "fence r, rw", "fence rw, w", "fence rw, rw"
CASES = {
    "both": ("mem_fence(CLK_GLOBAL_MEM_FENCE)", [TSO]),
    "reads": ("read_mem_fence(CLK_LOCAL_MEM_FENCE)", [ACQUIRE]),
    "writes": ("write_mem_fence(CLK_LOCAL_MEM_FENCE)", [RELEASE]),
    "nothing": ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, memory_scope_device)", []),
    "acquire": ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device)", [ACQUIRE]),
    "release": ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device)", [RELEASE]),
    "order": ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device)", [FULL]),
    "any": ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, k, memory_scope_device)", [FULL]),
    "relaxed": ("atomic_fetch_add_explicit(b, 1, memory_order_relaxed)", []),
    "acquired": ("a[2] = atomic_load_explicit(b, memory_order_acquire)", [ACQUIRE]),
    "released": ("atomic_store_explicit(b, 1, memory_order_release)", [RELEASE]),
    "exchanged": ("a[2] = atomic_exchange_explicit(b, 1, memory_order_acq_rel)", [RELEASE, ACQUIRE]),
    "added": ("a[2] = atomic_fetch_add(b, 1)", [FULL, ACQUIRE]),
}


def main():
    source = os.path.join(TMP, "fences.cl")
    with open(source, "w", encoding="utf-8") as file:
        for name, (body, _) in CASES.items():
            file.write(f"kernel void {name}(global int *a, global atomic_int *b, memory_order k)\n"
                       f"{{ a[0] = 1; {body}; a[1] = 2; }}\n")
    wrong = 0
    for generation in ("ventus", "ventus-gen2"):
        text = subprocess.run([CY, "cc", "--no-cache", "-cl-std=CL3.0", f"-march={generation}", "-S", "-o", "-", source],
                              check=True, capture_output=True, text=True).stdout
        for name, (body, wanted) in CASES.items():
            code = re.search(rf"^{name}:\n(.*?)^\t\.size", text, re.M | re.S)[1]
            found = re.findall(r"^ (fence.*)$", re.sub(r"[\t ]+", " ", code), re.M)
            if found != wanted:
                print(f"{generation}: {body}: {found} instead of {wanted}")
                wrong += 1
    sys.exit(wrong > 0)


main()
