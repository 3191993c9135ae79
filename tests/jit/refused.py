#!/usr/bin/env python3
"""refused.py [DIRECTORY...]: why kernels are not translated by the strip IR, as a table of reasons and how many kernels each stands against; of
both generations, and once more where they are counted.  Every reason that is not expected fails."""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, SOURCE, TMP = os.environ["CY"], pathlib.Path(os.environ["CY_SOURCE"]), pathlib.Path(os.environ["CY_TMP"])
DIRECTORIES = sys.argv[1:] or ["tests/kernels", "bench/opencl"]
# The reason, and the kernel that it is for.
EXPECTED = {"the compiler did not finish": "many_arguments.cl:long_kernel"}


def cy(*words):
    done = subprocess.run([CY, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=900)
    return done.returncode, done.stdout, done.stderr


def reason(program, kernel, count):
    """Why not; empty: it is translated."""
    status, _, log = cy("jit", "--llvm=first", "-k", kernel, *count, program)
    if status == 0:
        return ""
    text = log.strip().splitlines()[-1] if log.strip() else f"status {status}"
    text = text.split("the interpreter runs this kernel: ")[-1]
    return re.sub(r"0x[0-9a-f]+|%\d+|\bb\d+\b", "...", text)


def examine(path, march):
    """(kernel, how, why not) of each kernel of a file."""
    program = TMP / f"{abs(hash((str(path), march)))}.riscv"
    options = re.findall(r"^//!? options:? (.*)$", path.read_text(errors="replace"), re.M)
    status, _, log = cy("cc", "-w", "-march", march, *(options[0].split() if options else []), "-o", program, path)
    if status != 0:
        return [(path.name, march, f"does not compile: {log.strip()[:200]}")]
    found = []
    for kernel in [line.split()[0] for line in cy("run", "--list", program)[1].splitlines()]:
        for how, count in (("", []), (", counted", ["--count=insns"])):
            found.append((f"{path.name}:{kernel}", march + how, reason(program, kernel, count)))
    program.unlink()
    return found


def main():
    TMP.mkdir(parents=True, exist_ok=True)
    files = sorted(path for directory in DIRECTORIES for path in
                   ([SOURCE / directory] if directory.endswith(".cl") else (SOURCE / directory).rglob("*.cl")))
    check(files, "there are files")
    table, examples, kernels = collections.Counter(), {}, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda job: examine(*job), [(path, march) for path in files for march in ("ventus", "ventus-gen2")]):
            for kernel, how, why in found:
                kernels += 1
                if why:
                    table[why, how] += 1
                    examples.setdefault((why, how), kernel)
    print(f"{kernels} translations, {sum(table.values())} refused")
    for (why, how), number in table.most_common():
        print(f"{number:6}  {why}  ({how}; {examples[why, how]})")
        check(any(why.startswith(text) and examples[why, how] == kernel for text, kernel in EXPECTED.items()), f"refused: {why}")
    check(kernels, "there are kernels")


main()
finish()
