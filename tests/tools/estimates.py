"""An estimate, or a report that is left out, is said before the figures that it is about, with the share."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, BUILD, SOURCE = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"]), os.environ["CY_BUILD"], pathlib.Path(os.environ["CY_SOURCE"])
PROGRAM = os.path.join(BUILD, "tests", "profile_sources")
MANDELBROT = [str(SOURCE / "examples/kernels/mandelbrot.cl"), "--global", "624,200", "--local", "78,1", "--arg", "buffer:u8:124800", "--arg",
              "i32:200", "--no-progress"]
BRANCHES = [str(SOURCE / "bench/opencl/programs/many_branches.cl"), "--global", "32768", "--local", "64", "--arg", "buffer:i32:32768", "--arg",
            "buffer:i32:32769=random:5", "--no-progress"]
MACHINE = "timing: 2 SMs x 32 warps x 32 threads, ventus-verilog"
COMPUTED = r"the cycles of \d+\.\d % of \d+ warp instructions were computed, the others estimated"


def together(*words, **environment):
    """What a terminal shows."""
    done = subprocess.run([CY, *words], cwd=TMP, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.stdout


def timing():
    out = together("run", "--timing", *MANDELBROT)
    check(re.match(f"{MACHINE}\nnote: {COMPUTED}.*\ncycles: ", out), f"cy run --timing: {out}")
    words = ["--machine", "sms=2", "--", os.path.join(BUILD, "bin", "examples", "mandelbrot"), "picture.png"]
    out = together("exec", "--timing", *words)
    check(re.search(f"^note: {COMPUTED}.*\\ncycles: ", out, re.M), f"cy exec --timing: {out[:600]}")
    out = together("exec", *words, CHENGYING_TIMING="1")
    check(len(re.findall(f"^chengying: times of long launches are estimates; kernel 'mandelbrot': {COMPUTED}", out, re.M)) == 1, f"once: {out[:600]}")


def statistics():
    out = together("run", "--stats", "--engine", "jit", *MANDELBROT)
    check(re.match(r"memory accesses +[\d.e-]+%  were looked at", out), f"cy run --stats: {out}")
    out = together("run", "--stats", *MANDELBROT)
    check(out.startswith("warp instructions"), f"all of them: {out}")


def profiles():
    share = r"\d+ of 512 workgroups \([\d.]+ %\)"
    for form in ("json", "callgrind", "flamegraph", "roofline"):
        out = together("profile", f"--{form}=-", *BRANCHES)
        check(re.match(rf"note: kernel \w+: {share} were counted, which stand for all", out), f"{form}: {out[:300]}")
    check(re.search(r"^desc: Estimated: kernel \w+, of whose 512 workgroups \d+ were counted", together("profile", "--callgrind=-", *BRANCHES), re.M),
          "callgrind, in the file")
    out = together("profile", *BRANCHES)
    check(re.match(r"kernel .*\n  counted +\d+  of 512 workgroups \([\d.]+ %\): counts are estimates", out), f"table: {out[:300]}")


def view():
    out = together("run", "--html", "run.html", "--events", "100", *MANDELBROT)
    check(re.search(r"^note: \d+ warp instructions \([\d.]+ %\) beyond the first 100 were left out", out, re.M), f"{out}")


def reports():
    (TMP / "wrong.cl").write_text("kernel void k(global int *p)\n{\n" + "".join(f"    p[{100 + i}] = {i};\n" for i in range(4)) + "}\n",
                                  encoding="ascii")
    out = together("check", "--max-reports", "2", "wrong.cl", "--global", "1", "--arg", "buffer:i32:8").splitlines()
    at = [i for i, line in enumerate(out) if line == "note: further reports of [out-of-bounds] are counted, not shown; --max-reports shows more"]
    check(len(at) == 1 and sum("error: write" in line for line in out[:at[0]]) == 2 and out[-1].endswith("2 not shown"), f"{out}")


timing()
statistics()
profiles()
view()
reports()
finish()
