"""cy run --record, cy verify and cy replay on a folder: kernels of OpenCL C on both generations, in every shape, on every level."""
import os
import shutil
import subprocess

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
passed = failed = 0

SOURCE = """
kernel void shared(global const int *in, global float *out, int n, local int *tmp)
{
    size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    tmp[get_local_id(0)] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) out[i] = tmp[get_local_id(0) ^ 1] * 0.5f;
}
kernel void longs(global ulong *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + (ulong)(size_t)p; }
kernel void far_away(global int *p) { p[get_global_id(0) * 100000000] = 1; }
kernel void private_array(global uint *p)
{
    uint a[16], i = get_global_id(0);
    for (uint k = 0; k < 16; k++) a[k * i % 16] = k + i;
    p[i] = a[i % 16] + a[5];
}
"""
PRINTS = """
kernel void prints(global int *p) { printf("item %d\\n", (int)get_global_id(0)); p[get_global_id(0)] = 1; }
"""
SHARED = ["--kernel", "shared", "--arg", "buffer:i32:1000=iota", "--arg", "buffer:f32:1000", "--arg", "50", "--arg", "local:128"]
# the launch, why the pair of generation 1 is marked, and what ends it
LAUNCHES = [
    (SHARED + ["--global", "64", "--local", "32"], None, ""),
    (SHARED + ["--global", "32,3", "--local", "32,1"], None, ""),
    (SHARED + ["--global", "16,2,4", "--local", "16,2,1"], None, ""),
    (SHARED + ["--global", "48", "--local", "16"], "partial warps", ""),
    (SHARED + ["--global", "70", "--local", "32"], "partial workgroups", ""),
    (SHARED + ["--global", "64,2", "--local", "32,1", "--offset", "3,1"], "global offsets", ""),
    (["--kernel", "longs", "--arg", "buffer:u64:64=iota", "--global", "64"], None, ""),
    (["--kernel", "private_array", "--arg", "buffer:u32:64", "--global", "64"], None, ""),
    (["--kernel", "far_away", "--arg", "buffer:i32:64", "--global", "64"], None, "UNMAPPED"),
    (["--arg", "buffer:i32:64", "--global", "64"], "printf", "printed"),
]


def check(condition, text):
    global passed, failed
    passed += bool(condition)
    failed += not condition
    if not condition:
        print("failed:", text)


def path(name):
    return os.path.join(TMP, name)


def cy(*arguments, expect=0):
    done = subprocess.run([CY, *arguments], capture_output=True, text=True, check=False)
    check(done.returncode == expect, f"cy {' '.join(arguments)}: status {done.returncode}, not {expect}: {done.stderr}")
    return done.stdout, done.stderr


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return file.read()


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def levels():
    text = subprocess.run([CY, "verify", "--engine-level", "none", path("launch")], capture_output=True, text=True, check=False)
    check(text.returncode == 2, "an unknown level is trouble")
    return text.stderr.split("available: best, ")[1].split("\n")[0].split(", ")


def pair_gives(launch):
    """The pair alone, replayed in the recorder's order, gives what the folder says."""
    cy("replay", "-q", "--dump", path("pair"), path("launch/launch.metadata"))
    cy("replay", "-q", "--dump", path("whole"), path("launch"))
    compared = 0
    for name in os.listdir(path("whole")):
        if name.endswith(".txt"):
            whole, pair = read("whole/" + name), read("pair/" + name)
            both = min(len(whole), len(pair))  # the pair leaves zeros at the end out, and is dumped in whole pages without any
            check(whole[:both] == pair[:both], f"{launch}: {name} of the pair")
            compared += any(word.strip("0") for word in pair.split())
    check(compared, f"{launch}: something is compared")
    shutil.rmtree(path("pair"))
    shutil.rmtree(path("whole"))


def one(source, launch, march, marked, end):
    shutil.rmtree(path("launch"), ignore_errors=True)
    cy("run", f"-march={march}", source, *launch, "--record", path("launch"), expect=end == "UNMAPPED")
    if march == "ventus-gen2":
        marked = "code of generation 2"
    toml = read("launch/launch.toml")
    check(("marked" in toml) == bool(marked) and (not marked or f'marked = "{marked}"' in toml), f"{launch}: mark\n{toml}")
    os.rename(path("launch"), path("moved"))
    out, _ = cy("verify", path("moved"))
    lines = out.splitlines()
    check(len(lines) == 2 and "translated code" in lines[1] and all("as expected" in line for line in lines), f"{launch}: {out}")
    check(end in out.replace("printf", "printed"), f"{launch}: {end} in {out}")
    out, _ = cy("replay", "--engine", "jit", path("moved"))
    check("as expected" in out, out)
    os.rename(path("moved"), path("launch"))
    if marked:
        _, error = cy("replay", path("launch/launch.metadata"), expect=1)
        check("does not hold all" in error, error)
    elif not end:
        pair_gives(launch)


def tampered():
    """What differs is said, with the status of cmp and diff."""
    source = write("k.cl", SOURCE)
    cy("run", source, *SHARED, "--global", "64", "--local", "32", "--record", path("launch"))
    for level in levels():
        out, _ = cy("verify", "--engine-level", level, path("launch"))
        check(out.count(f"at level {level}") == 2, out)
    write("launch/launch.after", read("launch/launch.after").replace("41a00000\n", "41a00001\n"))
    out, _ = cy("verify", path("launch"), expect=1)
    check(out.count("argument 1 (out), word 41") == 2 and "0x41a00000, expected 0x41a00001" in out, out)
    out, _ = cy("verify", "--engine", "jit", path("launch"), expect=1)
    check("interpreter" not in out, out)
    cy("verify", "-q", path("launch"), expect=1)
    cy("replay", path("launch"), expect=1)
    cy("verify", path("nothing"), expect=2)
    cy("verify", expect=2)
    cy("verify", "--engine", "auto", path("launch"), expect=2)
    cy("replay", "-e", path("launch/launch.riscv"), path("launch"), expect=1)
    _, error = cy("run", source, *SHARED, "--global", "64", "--page-table", write("pages", ""), "--record", path("x"), expect=2)
    check("plain device memory" in error and not os.path.exists(path("x")), error)


def options():
    out, _ = cy("replay", "--stats", "--timing", "--trace", path("logs"), "--trace-format", "full", path("launch"), expect=1)
    check("warp instructions" in out, out)
    check("barrier" in read("logs/launch.log"), "a trace of a folder")


for generation in ("ventus", "ventus-gen2"):
    for arguments, why, how in LAUNCHES:
        one(write("k.cl", PRINTS if how == "printed" else SOURCE), arguments, generation, why, how)
tampered()
options()
print(passed, "passed,", failed, "failed")
raise SystemExit(failed != 0)
