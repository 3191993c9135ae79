#!/usr/bin/env python3
"""`cy jit`: each kind of file, each of its options, and what it refuses."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
SOURCE = """#ifndef STEP
#define STEP 3
#endif
kernel void k(global int *a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] += STEP;
}
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global int *a)
{
    a[get_global_id(0)] = get_local_id(1);
}
"""
ASSEMBLY = """        .text
        .ventus_kernel k, pds=0
k:
        lw      t0, 0(a0)
        vid.v   v1
        vsll.vi v1, v1, 2
        vsuxei32.v v1, (t0), v1
        ret
        .size   k, . - k
"""


def cy(*words):
    done = subprocess.run([CY, *words], cwd=TMP, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=200)
    return done.returncode, done.stdout, done.stderr


def jit(*words):
    """What is printed, of a command that must succeed."""
    status, out, err = cy("jit", *words)
    check(status == 0 and not err, f"cy jit {' '.join(words)}: {status} {err}")
    return out


def renumbered(text):
    """Values by the order in which the text has them: reading gives numbers to what is printed without one."""
    seen = {}
    return re.sub(r"%\d+", lambda name: f"%{seen.setdefault(name[0], len(seen))}", text)


def refused(expected, message, *words):
    status, out, err = cy("jit", *words)
    check((status, out) == (expected, "") and message in err, f"cy jit {' '.join(words)}: {status} {out[:200]} {err}")


def write(name, text):
    with open(f"{TMP}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


def test_passes():
    rows = [line.split()[0] for line in jit("--passes").splitlines()]
    check(rows[0] == "pass" and "masks" in rows and len(rows) >= 3, f"--passes: {rows}")
    imported = jit("--kernel", "k", "--stop-after", "import", "k.cl")
    check(imported.startswith('kernel "k" simt gen1 local 64 1 1 threads 32 '), imported)
    check("vbranch" in imported, "the branch is there")
    last = jit("-k", "k", "k.cl")
    check(last.startswith('kernel "k" vector gen1') and "vbranch" not in last, last)
    check(jit("-k", "k", "--dump=import", "k.cl") == "; after import\n" + imported, "--dump")
    everything = jit("-k", "k", "--dump", "all", "k.cl")
    check(re.findall(r"^; after (\w+)", everything, re.M) == ["import", *rows[1:]], "--dump=all has all passes")
    check(everything.endswith(last), "and the last one is what is printed without")
    write("k.sir", imported)
    check(renumbered(jit("k.sir")) == renumbered(last), "strip IR goes on where it was printed")
    check(renumbered(jit("--run-pass=masks", "k.sir")) == renumbered(jit("-k", "k", "--run-pass=masks", "k.cl")), "one pass")
    status, _, times = cy("jit", "--time-passes", "k.sir")
    check(status == 0 and re.search(r"^masks +\d+\.\d+ +\d+\.\d%$", times, re.M), times)


def test_files():
    check(cy("cc", "-o", "k.riscv", "k.cl")[0] == 0, "compiled")
    check(jit("-k", "k", "k.riscv") == jit("-k", "k", "k.cl"), "an executable is what its source is")
    write("k.s", ASSEMBLY)
    check("store" in jit("k.s"), "assembly")
    check(" gen2 " in jit("-march", "ventus-gen2", "-k", "k", "k.cl"), "the other generation")
    check(jit("-k", "k", "-O0", "k.cl") != jit("-k", "k", "k.cl"), "-O0")
    check(jit("-k", "k", "--build-options", "-DSTEP=5", "k.cl") != jit("-k", "k", "k.cl"), "--build-options")


def test_shapes():
    def head(*words):
        return jit("--stop-after=import", *words, "k.cl").splitlines()[0]
    check("local 16 2 1 threads 8 warps 4 " in head("-k", "k", "--local", "16,2", "--threads=8"), "a shape")
    check("local 8 4 1 " in head("-k", "required"), "a size that the kernel requires")
    check(" strip 4/4 " in head("-k", "k", "--width=4"), "a width")
    check(" threads 16 warps 4 " in head("-k", "k", "--set", "threads=16"), "--set")


def test_counted():
    imported = jit("-k", "k", "--count=insns", "--stop-after=import", "k.cl")
    check(" counts insns" in imported and re.search(r"^  issue code 0 ", imported, re.M) and "  split %" in imported, imported)
    last = jit("-k", "k", "--count=lanes", "k.cl")
    check(" counters 7 counts lanes" in last and re.search(r"^  count %\d+, counter 0", last, re.M) and "issue" not in last, last)
    check(" strip 32/32 " in last, "a strip is a warp")


def test_translated():
    text = jit("-k", "k", "--asm", "k.cl")
    check(re.search(r"^# k\.cl:8\n# 0x8[0-9a-f]{7}: v(su|lu|sll|add)", text, re.M), "lines and instructions")
    check(not re.search(r"^\t\.", text, re.M), "no directives")
    check("zmm" in jit("-k", "k", "--asm", "--level=avx512", "k.cl"), "AVX-512")
    check("zmm" not in jit("-k", "k", "--asm", "--level=avx2", "k.cl"), "AVX2")
    check("\tld1" in jit("-k", "k", "--asm", "--level=neon", "k.cl") or "\tldr\tq" in jit("-k", "k", "--asm", "--level=neon", "k.cl"),
          "another host's")
    first, last = jit("-k", "k", "--llvm=first", "k.cl"), jit("-k", "k", "--llvm", "k.cl")
    check("define internal i32 @any(" in first and "define " in last and first != last, "LLVM's code")
    check(jit("-k", "k", "--llvm=last", "k.cl") == last, "behind its passes")


def test_refused():
    refused(2, "no input file")
    refused(2, "--run-pass: there is no pass 'maskss'; there are import, ", "--run-pass=maskss", "k.sir")
    refused(2, "--dump: there is no pass 'x'; there are import, ", "--dump=x", "k.sir")
    refused(2, "there is no level 'sse4'; there are sse2, ", "--level=sse4", "k.cl")
    refused(2, "--width needs a number from 1 to 32, not '33'", "--width=33", "k.cl")
    refused(2, "--count is lanes or insns, not 'x'", "--count=x", "k.cl")
    refused(2, "--llvm is first or last, not 'x'", "--llvm=x", "k.cl")
    refused(2, "--dump shows strip IR, and --asm something else", "--asm", "--dump=all", "k.cl")
    refused(2, "--kernel is for programs: strip IR is of a launch that it knows", "--kernel=k", "k.sir")
    refused(2, "strip IR is a kernel by itself: 'k.sir' and 'k.cl'", "k.sir", "k.cl")
    refused(1, "several kernels, choose one with --kernel: k, required", "k.cl")
    refused(1, "no kernel 'x'; there are k, required", "--kernel=x", "k.cl")
    refused(1, "absent.cl", "absent.cl")
    refused(1, "requires workgroups of 8x4x1 work-items", "--kernel=required", "--local=16", "k.cl")
    write("wrong.sir", 'kernel "k" simt gen1 local 8 1 1 threads 8 warps 1 strip 4/4 items 8 row 8\nb0:\n  jump b7\n')
    refused(1, "wrong.sir:3:", "wrong.sir")
    refused(1, "the pass 'phases' takes vector form, and this is the other one", "--run-pass=phases", "k.sir")
    write("half.cl", 'kernel void h(global int *a) { __asm__ volatile("vsetvli zero, zero, e16, m1, ta, ma"); a[0] = 1; }\n')
    refused(1, "half.cl: error: the interpreter runs this kernel: ", "half.cl")
    refused(1, "half.cl: error: the interpreter runs this kernel: ", "--asm", "half.cl")


os.makedirs(TMP, exist_ok=True)
write("k.cl", SOURCE)
test_passes()
test_files()
test_shapes()
test_counted()
test_translated()
test_refused()
finish()
