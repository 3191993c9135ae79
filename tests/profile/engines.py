"""Profiles of translated code equal those of the interpreter, number by number: workgroups and warps that are not full, branches in and outside of loops, barriers, sampled workgroups."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE, BUILD = (os.environ[name] for name in ("CY", "CY_TMP", "CY_SOURCE", "CY_BUILD"))
TRANSLATOR = "sir=on" if sys.argv[2:] == ["sir"] else "sir=no"
PROGRAM = os.path.join(BUILD, "bin", "bench_opencl")
# Names of bench/opencl, and sizes; 0: their own.
RUNS = {"vecadd": 1 << 17, "matmul": 128, "nbody": 256, "mandel": 64, "reduce": 1 << 15, "bfs": 1 << 12, "lud": 64, "kmeans": 1 << 9,
        "stencil5": 64, "stencil3d": 16, "spmv": 1 << 11, "search": 1 << 14, "transpose": 128, "nw": 128, "lud_blocks": 0,
        "nw_block": 0, "stencil2d_240x256_6x32": 0, "stencil2d_250x250_10x10": 0, "mergesort": 0, "doubles": 0, "one_item": 0,
        "small_launches": 0, "sobel_bytes": 0, "atomic_float": 0, "radixsort": 0, "trie": 0, "stencil": 0, "myocyte": 0, "spmv_csr": 0,
        "conv_layer": 0, "base64": 0, "raytrace": 0, "scan": 0, "pathfinder": 0, "tridiagonal": 0, "blur_uchar4": 0, "dwt_tile": 0,
        "hash_insert": 0, "median_filter": 0, "reduction": 0, "heartwall": 0, "bfs_rodinia": 0, "ray_march": 0,
        "tree_stack": 0, "atomic_long": 0, "atomic_max_float": 0, "life": 0, "hash_local": 0, "find_index": 0,
        "particlefilter": 0, "word_match": 0, "noinline_calls": 0, "noinline_tree": 0}
# Kernels of exits.cl, with the sizes of ranges and workgroups.  More than 64 warps: so many are interpreted.
EXITS = [("places", "16384", "256"), ("places", "12600", "126"), ("places", "1600", "4"), ("nested", "8192", "64"),
         ("nested", "252,24", "6,2"), ("chain", "12800", "128"), ("chain", "4000", "20"), ("chain", "192,60", "24,3"),
         ("alone", "16384", "256"), ("alone", "3000", "10"), ("alone", "192,60", "24,3"), ("rows", "16384", "64"), ("rows", "9000", "90"),
         ("edges", "256,40", "16,4"), ("edges", "256,40", "64,2"), ("edges", "4200", "126"), ("edges", "250,30", "50,3"),
         ("tiles", "128,64", "16,16"), ("tiles", "120,60", "10,6"), ("tiles", "8192", "256"), ("tiles", "100,60", "8,12"),
         ("fences", "16384", "64"), ("fences", "128,64", "16,16"), ("fences", "96,64", "24,4"),
         ("letters", "16384", "128"), ("letters", "250,30", "50,3"), ("letters", "128,64", "8,8"),
         ("meets", "16384", "256"), ("meets", "128,64", "16,16"), ("meets", "9000", "90"), ("meets", "250,30", "50,3"),
         ("meets_at_barriers", "16384", "256"), ("meets_at_barriers", "128,64", "16,16"),
         ("searches", "16384", "256"), ("searches", "128,64", "16,16"), ("searches", "9000", "90"), ("searches", "250,30", "50,3"),
         ("searches_first", "16384", "128"), ("searches_first", "120,60", "24,4"), ("searches_first", "4000", "20"),
         ("meets_again", "16384", "256"), ("meets_again", "250,30", "50,3"),
         ("exchanges", "8192", "128"), ("exchanges", "120,60", "24,3"), ("exchanges", "4096", "16"),
         ("letters", "150", "1"), ("meets", "100", "1"), ("chain", "150", "1"), ("searches", "100", "1")]
WALKS = [("4096", "256"), ("3000", "10"), ("4050", "90"), ("96,40", "24,3")]  # of bench/opencl/programs/tree_stack.cl
CONTENDED = ("exchanges", "atomic_float", "hash_insert", "atomic_long", "atomic_max_float", "hash_local")  # how often it tries again depends on what other threads do meanwhile


def profile(what, size, engine, device):
    file = os.path.join(TMP, f"{engine}.json")
    environment = {**os.environ, "CHENGYING_ENGINE": engine, "CHENGYING_DEVICES": device,
                   "CHENGYING_MACHINE": f"host-threads={1 if what in CONTENDED else 2},{TRANSLATOR}",
                   "OCL_ICD_VENDORS": os.path.join(BUILD, "lib", "chengying.icd")}
    command = [CY, "profile", "--exact", "--json", file, "--", PROGRAM, "Chengying", os.path.join(SOURCE, "bench", "opencl"), "1", what]
    done = subprocess.run(command + ([str(size)] if size else []), env=environment, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{what}, {engine}: {done.stdout}{done.stderr}")
    with open(file, encoding="utf-8") as text:
        return json.load(text)


def profile_kernel(kernel, sizes, engine, target):
    """The options are those of cy run."""
    arguments = ["buffer:u32:65536", "buffer:u32:512=random:5", "u32:77"]
    source = os.path.join(SOURCE, "tests", "profile", "exits.cl")
    if kernel == "traverse":
        arguments = ["buffer:f32:16384=random:5", "buffer:f32:8192=random:7", "buffer:i32:4096"]
        source = os.path.join(SOURCE, "bench", "opencl", "programs", "tree_stack.cl")
    file = os.path.join(TMP, f"{engine}.json")
    command = [CY, "profile", "--exact", "--json", file, "--engine", engine, "--set", TRANSLATOR, f"-march={target}", "--kernel", kernel, "--global", sizes[0], "--local",
               sizes[1], *[word for argument in arguments for word in ("--arg", argument)],
               *(["--host-threads=1"] if kernel in CONTENDED else []), source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{kernel}, {engine}: {done.stdout}{done.stderr}")
    check("interpreter" not in done.stderr, f"{kernel}, {engine}: {done.stderr}")
    with open(file, encoding="utf-8") as text:
        return json.load(text)


def differences(one, other, path=""):
    """Paths of what differs, but for times."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one if key != "seconds" for found in differences(one[key], other[key], f"{path}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [found for i, (a, b) in enumerate(zip(one, other)) for found in differences(a, b, f"{path}/{i}")]
    return [] if one == other else [f"{path}: {one} and {other}"]


def sampled():
    """Of a large launch the first workgroups and one in many are looked at; sums are for all."""
    kernel, = profile("vecadd", 1 << 17, "interp", "gen1")["kernels"]
    rows = [row for row in kernel["instructions"] if row["accesses"] and row["access_lanes"] > row["accesses"]]
    check(kernel["warps"] == (1 << 17) // 32, f"{kernel['warps']} warps")
    check(len(rows) == 3 and all(row["accesses"] == row["lines"] == row["issued"] for row in rows), f"accesses: {rows}")


def compare_programs():
    for name, elements in RUNS.items():
        found = differences(profile(name, elements, "interp", "gen1"), profile(name, elements, "jit", "gen1"))
        check(not found, f"{name}: {len(found)} numbers differ: {found[:8]}")
    for name in ("vecadd", "matmul", "stencil5"):
        found = differences(profile(name, RUNS[name], "interp", "gen2"), profile(name, RUNS[name], "jit", "gen2"))
        check(not found, f"{name}, generation 2: {len(found)} numbers differ: {found[:8]}")


def compare_kernels():
    for name, *shape in EXITS + [("traverse", *shape) for shape in WALKS]:
        for generation in ("ventus", "ventus-gen2"):
            found = differences(profile_kernel(name, shape, "interp", generation), profile_kernel(name, shape, "jit", generation))
            check(not found, f"{name} {shape}, {generation}: {len(found)} numbers differ: {found[:8]}")


if sys.argv[1] == "programs":
    compare_programs()
    sampled()
else:
    compare_kernels()
finish()
