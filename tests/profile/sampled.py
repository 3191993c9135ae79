"""Kernels that are slow to count: some workgroups stand for all.  The estimate is near what --exact counts, says what it is, and depends
neither on the engine nor on the host's threads."""
import json
import os
import subprocess
import sys

import jsonschema

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE, BUILD = (os.environ[name] for name in ("CY", "CY_TMP", "CY_SOURCE", "CY_BUILD"))
PROGRAMS = os.path.join(SOURCE, "bench", "opencl", "programs")
MARK = "counts are estimates; --exact counts all"
FILE = os.path.join(TMP, "profile.json")


def read(command, environment=None):
    """The table, and the only kernel of the document."""
    done = subprocess.run([CY, "profile", "--json", FILE, "--profile", *command], env={**os.environ, **(environment or {})},
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{command}: {done.stdout}{done.stderr}")
    with open(FILE, encoding="utf-8") as text:
        document = json.load(text)
    with open(os.path.join(SOURCE, "docs", "profile.schema.json"), encoding="utf-8") as text:
        jsonschema.Draft202012Validator(json.load(text)).validate(document)
    kernel, = document["kernels"]
    return done.stdout, kernel


def walk(items, *options):
    """A launch of bench/opencl/programs/tree_stack.cl in workgroups of two warps."""
    arguments = ["buffer:f32:16384=random:5", f"buffer:f32:{2 * items}=random:7", f"buffer:i32:{items}"]
    return read([*options, "--kernel", "traverse", "--global", str(items), "--local", "64",
                 *[word for argument in arguments for word in ("--arg", argument)], os.path.join(PROGRAMS, "tree_stack.cl")])


def launches(name, engine, threads, *options):
    """A program of bench/opencl, which launches its kernel several times."""
    return read([*options, "--", os.path.join(BUILD, "bin", "bench_opencl"), "Chengying", os.path.join(SOURCE, "bench", "opencl"), "3", name],
                {"CHENGYING_ENGINE": engine, "CHENGYING_MACHINE": f"host-threads={threads}",
                 "OCL_ICD_VENDORS": os.path.join(BUILD, "lib", "chengying.icd")})


def is_near(estimate, count, part):
    return abs(estimate - count) <= part * count


def large():
    table, estimate = walk(65536, "--engine", "jit")
    exact_table, exact = walk(65536, "--engine", "jit", "--exact")
    check(MARK in table and MARK not in exact_table, f"the mark: {table}{exact_table}")
    check(estimate["workgroups"] == exact["workgroups"] == exact["counted_workgroups"] == 1024, f"{exact['counted_workgroups']} counted")
    check(64 <= estimate["counted_workgroups"] <= 128, f"{estimate['counted_workgroups']} stand for all")
    for key in ("issued", "vector", "active_lanes", "divergent"):
        check(is_near(estimate["total"][key], exact["total"][key], 0.05), f"{key}: {estimate['total'][key]}, exactly {exact['total'][key]}")
    rows = {row["pc"]: row for row in estimate["instructions"]}
    for row in exact["instructions"]:
        found = rows.get(row["pc"], {"issued": 0, "active_lanes": 0})
        check(is_near(found["issued"], row["issued"], 0.1), f"{row['text']}: {found['issued']}, exactly {row['issued']}")
        check(found["active_lanes"] <= 32 * found["issued"], f"{row['text']}: {found['active_lanes']} lanes")
    check(walk(65536, "--engine", "interp")[1] == estimate, "the interpreter's estimate differs")
    check(walk(65536, "--engine", "interp", "--exact")[1] == exact, "the interpreter counts otherwise")
    for threads in ("1", "3"):
        check(walk(65536, "--engine", "jit", f"--host-threads={threads}")[1] == estimate, f"{threads} threads: the estimate differs")


def noted():
    """Forms without room for a mark."""
    stacks = os.path.join(TMP, "stacks")
    done = subprocess.run([CY, "profile", "--flamegraph", stacks, os.path.join(PROGRAMS, "many_branches.cl"), "--global", "32768", "--local", "64",
                           "--arg", "buffer:i32:32768", "--arg", "buffer:i32:32769=random:5"],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0 and "--exact counts all" in done.stderr, f"a note: {done.stdout}{done.stderr}")
    with open(stacks, encoding="utf-8") as file:
        check(all(line.split(";")[0].endswith(" (estimated)") for line in file), "the first frame says that it is an estimate")


def small():
    """Few workgroups are all counted."""
    table, kernel = walk(4096)
    check(MARK not in table and kernel["counted_workgroups"] == kernel["workgroups"] == 64, f"a small launch: {table}")
    check(walk(4096, "--exact")[1] == kernel, "--exact changes a small launch")


def repeated():
    """Later launches are sampled, however small; the first one is not, if it is."""
    for name, groups in (("tree_stack", 64), ("sudoku", 4)):
        table, kernel = launches(name, "jit", 2)
        exact = launches(name, "interp", 1, "--exact")[1]
        check(MARK in table and groups <= kernel["counted_workgroups"] < kernel["workgroups"] == 4 * groups, f"{name}: {table}")
        check(is_near(kernel["total"]["issued"], exact["total"]["issued"], 0.05), f"{name}: {kernel['total']['issued']}, {exact['total']['issued']}")
        for engine, threads in (("jit", 1), ("auto", 2), ("interp", 1)):
            check(launches(name, engine, threads)[1] == kernel, f"{name}: {engine}, {threads} threads: the estimate differs")
    table, kernel = launches("nbody", "jit", 1)
    check(MARK not in table and kernel["counted_workgroups"] == kernel["workgroups"], f"nothing parts there: {table}")
    table, kernel = launches("matmul", "jit", 1)
    exact = launches("matmul", "interp", 1, "--exact")[1]
    check(MARK in table and kernel["counted_workgroups"] < kernel["workgroups"], f"warps of two rows: {table}")
    check(kernel["total"] == exact["total"], f"its workgroups are alike: {kernel['total']}, {exact['total']}")


def later():
    """Later launches access memory in another way: 32 lines instead of one."""
    source = os.path.join(TMP, "later.cl")
    with open(source, "w", encoding="ascii") as text:
        text.write("kernel void k(global int *p, int n) { p[get_global_id(0) * (n ? 32 : 1)] += 3; }\n")
    for engine in ("jit", "interp"):
        _, kernel = read(["--", os.path.join(BUILD, "tests", "profile_sources"), "many", source, ""], {"CHENGYING_ENGINE": engine})
        rows = [row for row in kernel["instructions"] if row["text"].startswith(("vlw", "vluxei", "vsw", "vsuxei"))]
        check(rows and all(is_near(row["lines"] / row["issued"], (1 + 99 * 32) / 100, 0.01) for row in rows), f"{engine}: {rows}")


def explained():
    """What CHENGYING_STATS says of the workgroups that the interpreter looks at."""
    done = subprocess.run([CY, "profile", "--", os.path.join(BUILD, "bin", "bench_opencl"), "Chengying", os.path.join(SOURCE, "bench", "opencl"), "3",
                           "tree_stack"], capture_output=True, text=True, check=False,
                          env={**os.environ, "CHENGYING_ENGINE": "jit", "CHENGYING_STATS": "1",
                               "OCL_ICD_VENDORS": os.path.join(BUILD, "lib", "chengying.icd")})
    check("not: workgroups that are counted one by one" in done.stderr, f"why some are not translated: {done.stderr}")


large()
noted()
explained()
later()
small()
repeated()
finish()
