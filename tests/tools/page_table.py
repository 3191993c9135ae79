#!/usr/bin/env python3
"""cy run --page-table: buffers at virtual addresses on both generations, and every kind of failed walk with its level."""
import os
import subprocess
import sys

cy, tmp = os.environ["CY"], os.environ["CY_TMP"]
failed = 0


def write(name, text):
    path = os.path.join(tmp, name)
    open(path, "w", encoding="utf-8").write(text)
    return path


fill = write("fill.cl", "kernel void fill(global int *p) { p[get_global_id(0)] = 7; }")
walk = write("walk.cl", "kernel void walk(global int *p, ulong a) { *(global int *)(size_t)a = 1; }")
go = write("go.s", ".ventus_kernel go\ngo: lw t0, 0(a0)\n jr t0\n.size go, .-go\n")


def check(table, expected, program=fill, march="ventus", arguments=("buffer:i32:4",), options=()):
    global failed
    command = [cy, "run", "-march=" + march, program, "--global", "4", "--page-table", write("table", table), *options]
    for argument in arguments:
        command += ["--arg", argument]
    done = subprocess.run(command + (["--print", "0"] if arguments else []), capture_output=True, text=True, timeout=60)
    text = done.stdout + done.stderr
    if done.returncode != 0 if expected is None else expected not in text:
        print(f"{march}, {table!r}: expected {expected!r}, found\n{text}")
        failed += 1


RIGHT = "7 7 7 7"
for generation in ("ventus", "ventus-gen2"):
    def both(*rest, **more):
        check(*rest, march=generation, **more)
    both("# a comment\nmap 0x10000000 argument 0 rw\n", RIGHT)
    both("map 0x10000000 argument 0 r", "write of 4 bytes at 0x10000000; the page is read-only (SV39 level 0, 4 KiB pages)")
    both("map 0x10000000 argument 0 x", "the page is not readable (SV39 level 0")
    both("", "the page is not present (SV39 level")
    both("map 0x10000000 argument 0 rw\nentry 2 0 0", "the page is not present (SV39 level 2, 1 GiB pages)")
    both("map 0x10000000 argument 0 rw\nentry 1 0x10000000 0", "the page is not present (SV39 level 1, 2 MiB pages)")
    both("map 0x10000000 argument 0 rw\nentry 0 0x10000000 0", "the page is not present (SV39 level 0, 4 KiB pages)")
    both("map 0x10000000 argument 0 rw\nentry 1 0x10000000 0x24000407", "misaligned superpage (SV39 level 1, 2 MiB pages)")
    both("map 0x10000000 argument 0 rw\nentry 2 0 0x24000407", "misaligned superpage (SV39 level 2, 1 GiB pages)")
    both("map 0x10000000 argument 0 rw\nentry 0 0x10000000 0x5", "reserved encoding (SV39 level 0")
    both("map 0x10000000 argument 0 rw\nentry 0 0x10000000 0x1", "a pointer on the last level (SV39 level 0")
    both("map 0x10000000 argument 0 rw\nentry 0 0x10000000 0x1fffffc07", "the physical page is not mapped (SV39 level 0")
    # the program's own code: without X, missing, in a misaligned superpage, and mapped to where it is not
    code = "map 0x10000000 argument 0 rw\n"
    both(code + "map 0x80000000 0x80000000 0x10000 rwx", RIGHT)
    both(code + "map 0x80000000 0x80000000 0x10000 rx", RIGHT)
    both(code + "map 0x80000000 0x80000000 0x10000 rw",
         "fetch of 4 bytes at 0x80000000; the page is not executable (SV39 level 0, 4 KiB pages)")
    both(code + "map 0x80000000 0x80000000 0x10000 r", "fetch of 4 bytes at 0x80000000; the page is not executable")
    both(code + "entry 0 0x80000000 0", "fetch of 4 bytes at 0x80000000; the page is not present (SV39 level 0")
    both(code + "entry 1 0x80000000 0", "fetch of 4 bytes at 0x80000000; the page is not present (SV39 level 1")
    both(code + "entry 1 0x80000000 0x20000003",
         "fetch of 4 bytes at 0x80000000; the page is not executable (SV39 level 1, 2 MiB pages)")
    both(code + "entry 2 0x80000000 0x20000003",
         "fetch of 4 bytes at 0x80000000; the page is not executable (SV39 level 2, 1 GiB pages)")
    both(code + "entry 1 0x80000000 0x2000040b", "fetch of 4 bytes at 0x80000000; misaligned superpage (SV39 level 1")
    both(code + "map 0x80000000 0x80001000 0x1000 rx", "fetch of 4 bytes at 0x80000000; ")
    both("map 0x10000001 argument 0 rw", "table:1:1: error: expected 'map VIRTUAL")
    both("map 0x10000000 argument 1 rw", "table:1:1: error: there is no such argument")
    both("entry 3 0 0", "table:1:1: error: expected 'entry LEVEL")
    both("map 0x10000000 argument 0 rw\nmap 0x10000000 argument 0 rq", "table:2:1: error: expected 'map VIRTUAL")
check("map 0x2000000000 argument 0 rw", RIGHT, march="ventus-gen2")
check("map 0xffffffc000000000 argument 0 rw", RIGHT, march="ventus-gen2")
check("map 0x2000000000 argument 0 rw", "this kernel's pointers have 32 bits")
check("map 0x10000000 argument 0 rw", "the address is not canonical: bits 63 to 39 must repeat bit 38 (SV39 level 2,", walk, "ventus-gen2",
      ("buffer:i32:4", "u64:0x4000000000"))
check("map 0x10000000 argument 0 rw", "fetch of 4 bytes at 0x10000000; the page is not executable (SV39 level 0, 4 KiB pages)", go)
check("map 0x10000000 argument 0 rw\nentry 0 0x10000000 0", "fetch of 4 bytes at 0x10000000; the page is not present", go)

# code that runs from a page with X into one without
cross = write("cross.s", ".ventus_kernel go\ngo:\n.rept 1100\nnop\n.endr\nret\n.size go, .-go\n")
fetch = "fetch of 4 bytes at 0x80001000; the page is not executable (SV39 level 0, 4 KiB pages)"
for observed in ((), ("--stats",), ("--profile",), ("--trace", os.path.join(tmp, "trace"))):
    check("map 0x80001000 0x80001000 0x1000 rw", fetch, cross, arguments=(), options=observed)
check("", None, cross, arguments=())
sys.exit(1 if failed else 0)
