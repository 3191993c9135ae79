"""Long launches are sampled: cycles that are estimated next to those that are computed, for regular and irregular kernels; what must stay
exact; the same on every host; and what the workgroups that are only executed do is done, faults included."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
KERNELS = r"""
kernel void regular(global const float *x, global float *y, int n) {
    int i = get_global_id(0);
    float a = x[i & 1023];
    for (int k = 0; k < n; k++) a = fma(a, 0.999f, x[(i * 5 + k * 7) & 1023]);
    y[i] = a;
}
kernel void spmv(global const int *row, global const float *value, global const float *x, global float *y, int n) {
    int i = get_global_id(0), length = row[i] & 31;
    float s = 0;
    for (int k = 0; k < length; k++) s += value[(i * 31 + k) & (n - 1)] * x[row[(i * 17 + k) & (n - 1)] & (n - 1)];
    y[i] = s;
}
/* the first half computes, the second half reads */
kernel void phased(global const float *x, global float *y, int n) {
    int i = get_global_id(0);
    float a = x[i & 1023];
    if (get_group_id(0) < get_num_groups(0) / 2)
        for (int k = 0; k < n; k++) a = fma(a, 0.999f, 0.5f);
    else
        for (int k = 0; k < n / 4; k++) a += x[(i * 37 + k * 131) & 16383];
    y[i] = a;
}
/* one workgroup in 16 has 20 times the work */
kernel void lengths(global const float *x, global float *y, int n) {
    int i = get_global_id(0), g = get_group_id(0), rounds = (g * 7 + 3) % 16 == 0 ? 20 * n : n;
    float a = x[i & 1023];
    for (int k = 0; k < rounds; k++) a = fma(a, 0.999f, x[(i + k) & 63]);
    y[i] = a;
}
kernel void growing(global const float *x, global float *y, int n) {
    int i = get_global_id(0), g = get_group_id(0);
    float a = x[i & 1023];
    for (int k = 0; k < n * g / (int)get_num_groups(0) + 1; k++) a = fma(a, 0.999f, x[(k + i) & 1023]);
    y[i] = a;
}
kernel void barriers(global const int *x, global int *y, local int *part, int rounds) {
    int l = get_local_id(0), s = get_local_size(0), t = 0;
    for (int r = 0; r < rounds; r++) {
        part[l] = x[(get_global_id(0) * 3 + r * 64) & 4095];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = s / 2; d > 0; d /= 2) { if (l < d) part[l] += part[l + d]; barrier(CLK_LOCAL_MEM_FENCE); }
        t += part[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_global_id(0)] = t;
}
/* each workgroup reads one of 24 columns, which together do not fit into the L2: those that are left out must not leave it to the others */
kernel void columns(global const float *x, global float *y, int n) {
    int i = get_global_id(0), column = get_group_id(0) % 24;
    float a = 0;
    for (int k = 0; k < n; k++) a += x[(column * n + k) * 32 + get_local_id(0)];
    y[i] = a;
}
/* many workgroups that are long, then as many that are not, and few lines from each: a small L2 takes more of them to fill than are left out,
 * and those that come next say little about them */
kernel void bands(global const float *x, global float *y, int n) {
    int i = get_global_id(0), rounds = get_group_id(0) % 104 < 52 ? n : 1;
    float a = x[i];
    for (int k = 0; k < rounds; k++) a = fma(a, 0.999f, 0.5f);
    y[i] = a;
}
/* one workgroup runs for as long as 200 others: it may be one that is only executed */
kernel void one(global const float *x, global float *y, int n) {
    int i = get_global_id(0), g = get_group_id(0), rounds = g == (int)get_num_groups(0) * 3 / 4 ? 200 * n : n;
    float a = x[i & 1023];
    for (int k = 0; k < rounds; k++) a = fma(a, 0.999f, x[(k + i * 3) & 255]);
    y[i] = a;
}
kernel void add(global const float *a, global const float *b, global float *c) {
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}
kernel void wrong(global float *y, int n, int bad, int forever) {
    int i = get_global_id(0);
    float a = y[i];
    for (int k = 0; k < n; k++) a = fma(a, 0.999f, y[(i * 5 + k * 7) & 1023]);
    if ((int)get_group_id(0) == bad) {
        if (forever) for (volatile int k = 0; k >= 0; k ^= 1) ;
        y[i + 100000000] = a;
    }
    y[i] = a;
}
/* the last tenth reads: the change is in a cut, in a warm-up, or after the last interval */
kernel void late(global const float *x, global float *y, int n) {
    int i = get_global_id(0);
    float a = x[i & 4095];
    if (get_group_id(0) * 10 < get_num_groups(0) * 9)
        for (int k = 0; k < n; k++) a = a * 1.5f + 0.25f;
    else
        for (int k = 0; k < n / 4; k++) a += x[(i * 17 + k * 331) & 65535];
    y[i] = a;
}
"""
X, SIZE = "buffer:f32:16384=random", 16384
BUFFER = f"buffer:f32:{SIZE}"
# `spmv` on ventus-chisel is 2.8 % off here, outside the 2.0 % that are printed: one launch in twenty may be.
# Short for a test: one cycle more between two workgroups changes the computed cycles of `regular` by 0.8 %, and the estimate misses that.
LAUNCHES = {  # kernel: workgroup, arguments, error of the estimate at most (in percent), part that is computed at most (in percent)
    "regular": ("32", [X, BUFFER, "24"], 2.5, 75),
    "spmv": ("32", ["buffer:i32:16384=random", X, X, BUFFER, "16384"], 3.0, 90),
    "phased": ("32", [X, BUFFER, "96"], 2.0, 90),
    "lengths": ("32", [X, BUFFER, "8"], 3.0, 95),
    "growing": ("32", [X, BUFFER, "64"], 2.0, 90),
    "barriers": ("64", ["buffer:i32:4096=iota", f"buffer:i32:{SIZE}", "local:256", "6"], 1.0, 80),
}
LAUNCHES["columns"] = ("32", ["buffer:f32:16384=random", BUFFER, "16"], 2.0, 90)
LAUNCHES["bands"] = ("32", [X, BUFFER, "60"], 1.5, 95)
SMALL = ["sample_after=30000", "sample_window=3000"]
SMALL_L2 = {"columns": ["l2_sets=16", "memory_latency=200"], "bands": ["l2_sets=8"]}


def run(name, *more, program="kernels", settings=SMALL, size=SIZE, launch=None):
    local, arguments = (launch or LAUNCHES[name])[:2]
    words = [CY, "run", os.path.join(TMP, program), "-k", name, "--global", str(size), "--local", local, "--threads", "8", "--warps", "8", "--sms", "2",
             "--no-progress"]
    for argument in arguments:
        words += ["--arg", argument]
    for setting in settings:
        words += ["--set", setting]
    return subprocess.run(words + list(more), capture_output=True, text=True, check=False)


def measure(name, *more, **options):
    """Cycles, the part that was computed, and the estimated error; both in percent."""
    done = run(name, "--timing", *more, **options)
    found = re.search(r"^cycles: (\d+)$", done.stdout, re.M)
    check(found and done.returncode == 0, f"{name} {more}: {done.stdout}{done.stderr}")
    note = re.search(r"^note: the cycles of ([\d.]+) % of \d+ warp instructions .* error up to ([\d.]+) %", done.stderr, re.M)
    return int(found[1]) if found else 1, float(note[1]) if note else 100, float(note[2]) if note else 0


def compare(name, preset, program="kernels"):
    _, _, bound, most = LAUNCHES[name]
    more = SMALL_L2.get(name, [])
    exact, whole, _ = measure(name, f"--timing={preset}", settings=["sample_after=0"] + more, program=program)
    cycles, part, error = measure(name, f"--timing={preset}", settings=SMALL + more, program=program)
    difference = 100 * abs(cycles - exact) / exact
    check(whole == 100, f"{name}: sample_after=0 computes {whole} %")
    check(difference <= bound, f"{name} {preset} {program}: {cycles} cycles, {difference:.2f} % from {exact}; estimated {error} %")
    check(part <= most, f"{name} {preset} {program}: {part} % were computed")


def late_change():
    """A launch that changes in the end.  If that is measured, the estimate is near what is computed; if not, the error says so."""
    for preset, sms, size, bound in (("ventus-chisel", "1", 76800, 4), ("ventus-verilog", "2", 96000, 16)):
        words = (f"--timing={preset}", "--threads", "32", "--sms", sms)
        launch = ("64", ["buffer:f32:65536=random", f"buffer:f32:{size}", "24"])
        exact, _, _ = measure("late", *words, settings=["sample_after=0"], size=size, launch=launch)
        cycles, part, error = measure("late", *words, settings=[], size=size, launch=launch)
        difference = 100 * abs(cycles - exact) / cycles
        check(part < 60 and difference <= bound and error > 10, f"late {preset}: {difference:.2f} % from {exact}; estimated {error} %")


def exact_ones():
    """Profiles, launches that come into known states, short ones, and few workgroups that are long."""
    steps = measure("regular", settings=["sample_after=0"])
    check(measure("regular", "--json", os.path.join(TMP, "profile.json")) == steps, "a profile is exact")
    check(measure("regular", settings=[], size=1024) == measure("regular", settings=["sample_after=0"], size=1024), "a short launch is exact")
    few = ("32", [X, BUFFER, "3000"])
    check(measure("regular", size=256, launch=few) == measure("regular", size=256, launch=few, settings=["sample_after=0"]),
          "as many workgroups as fit on the device cannot be sampled")
    add = ("64", [f"buffer:f32:{8 * SIZE}=iota", f"buffer:f32:{8 * SIZE}=ones", f"buffer:f32:{8 * SIZE}"])
    check(measure("add", size=8 * SIZE, launch=add) == measure("add", size=8 * SIZE, launch=add, settings=["sample_after=0"]),
          "known states are preferred")


def one_long():
    """Nobody knows how long a workgroup takes that is alone in the end: the note must say so."""
    launch = ("32", [X, BUFFER, "10"])
    exact = measure("one", settings=["sample_after=0"], launch=launch)[0]
    cycles, part, error = measure("one", launch=launch)
    check(part < 100 and 100 * abs(cycles - exact) / exact <= error, f"one: {cycles} cycles instead of {exact}, estimated error {error} %")


def same_everywhere():
    for name in ("regular", "spmv", "barriers"):
        ways = [[], [], ["--host-threads", "4"], ["--host-threads", "1"], ["--stats"]]
        ways += [["--set", "slice=100"], ["--set", "slice=1000000"]] if name != "barriers" else []  # slices decide where local memory is
        seen = {measure(name, *way) for way in ways}
        check(len(seen) == 1, f"{name}: {seen}")


def same_results():
    for name in LAUNCHES:
        out = [os.path.join(TMP, f"{name}.{way}") for way in ("sampled", "plain")]
        number = [i for i, argument in enumerate(LAUNCHES[name][1]) if re.fullmatch(r"buffer:[if]32:16384", argument)][-1]
        run(name, "--timing", "--out", f"{number}={out[0]}")
        run(name, "--out", f"{number}={out[1]}", settings=[])
        contents = [open(path, "rb").read() for path in out]
        check(contents[0] == contents[1] and any(contents[0]), f"{name}: results")


def faults():
    for bad in (300, 333, 367, 401):  # most workgroups here are only executed
        for forever, setting in ((0, []), (1, ["--set", "watchdog-instructions=700000"]))[:1 if bad % 2 else 2]:
            launch = ("32", [BUFFER, "24", str(bad), str(forever)])
            sampled = run("wrong", "--timing", *setting, launch=launch)
            plain = run("wrong", "--timing", *setting, launch=launch, settings=["sample_after=0"])
            check(sampled.returncode == plain.returncode != 0 and "cycles" not in sampled.stdout and
                  sampled.stderr == plain.stderr and f"({bad}, 0, 0)" in sampled.stderr, f"{bad} {forever}: {sampled.stderr}\n{plain.stderr}")


def main():
    source = os.path.join(TMP, "kernels.cl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(KERNELS)
    subprocess.run([CY, "cc", "-o", os.path.join(TMP, "kernels"), source], check=True)
    subprocess.run([CY, "cc", "-march=ventus-gen2", "-o", os.path.join(TMP, "gen2"), source], check=True)
    for name in LAUNCHES:
        if name not in SMALL_L2:
            compare(name, "ventus-verilog")
        compare(name, "ventus-chisel")
    compare("regular", "ventus-verilog", program="gen2")
    late_change()
    exact_ones()
    one_long()
    same_everywhere()
    same_results()
    faults()
    finish()


main()
