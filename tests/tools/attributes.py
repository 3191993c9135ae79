"""reqd_work_group_size, work_group_size_hint and the required size of sub-groups, in `cy run` and the commands built on it:
of a source, an executable, and a program binary of OpenCL, for both generations."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"])
SOURCE = """kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global int *p)
{
    p[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 100 + get_local_size(1);
}
kernel __attribute__((work_group_size_hint(16, 1, 1))) void hinted(global int *p)
{
    p[get_global_id(0)] = get_local_size(0);
}
kernel __attribute__((work_group_size_hint(4096, 1, 1))) void hinted_too_much(global int *p)
{
    p[get_global_id(0)] = get_local_size(0);
}
kernel void plain(global int *p)
{
    p[get_global_id(0)] = get_local_size(0);
}
"""
SUB_GROUPS = """kernel __attribute__((intel_reqd_sub_group_size(16))) void narrow(global int *p)
{
    p[get_global_id(0)] = get_sub_group_size();
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void partial(global int *p)
{
    p[get_global_id(0)] = get_local_size(0);
}
"""


def run(file, kernel, *words, command="run"):
    done = subprocess.run([CY, command, *file, "-k", kernel, "--arg", "buffer:i32:256", "--print", "0:1", *words], cwd=TMP, capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def gives(value, file, kernel, *words, **how):
    status, out, err = run(file, kernel, *words, **how)
    check(status == 0 and f"     0: {value}\n" in out, f"{file} {kernel} {words}: {value} expected: {status}\n{out}{err}")
    return err


def fails(message, file, kernel, *words):
    status, out, err = run(file, kernel, *words)
    check(status == 1 and message in err and not out, f"{file} {kernel} {words}: '{message}' expected: {status}\n{out}{err}")


def all_of(file):
    required = "kernel 'required' requires workgroups of 8x4x1 work-items (reqd_work_group_size), "
    gives(804, file, "required", "--global", "16,8")
    gives(804, file, "required", "--global", "16,8", "--local", "8,4")
    gives(804, file, "required", "--global", "16,8", command="profile")
    fails(required + "but --local says 16x8x1; leave --local out", file, "required", "--global", "16,8", "--local", "16,8")
    fails(required + "but --local says 32x1x1", file, "required", "--global", "16,8", "--local", "32")
    fails(required + "of which the global size 12x8x1 is not a multiple", file, "required", "--global", "12,8")
    fails(required + "of which the global size 128x1x1 is not a multiple", file, "required", "--global", "128")
    gives(16, file, "hinted", "--global", "64")
    gives(4, file, "hinted", "--global", "64", "--local", "4")
    err = gives(64, file, "hinted_too_much", "--global", "64")
    check("work_group_size_hint(4096,1,1) of kernel 'hinted_too_much' does not fit" in err, f"a hint that is not obeyed: {err}")
    gives(64, file, "plain", "--global", "64")


def sub_groups(file):
    gives(16, file, "narrow", "--global", "64")
    gives(16, file, "narrow", "--global", "64", "--threads", "16")
    fails("requires sub-groups of 16 work-items, this device's have 32", file, "narrow", "--global", "64", "--threads", "32")
    gives(8, file, "partial", "--global", "20")


(TMP / "a.cl").write_text(SOURCE, encoding="ascii")
(TMP / "s.cl").write_text(SUB_GROUPS, encoding="ascii")
for march in "ventus", "ventus-gen2":
    all_of([f"-march={march}", "a.cl"])
    sub_groups([f"-march={march}", "--build-options", "-cl-std=CL3.0", "s.cl"])
    for name, options in ("a", []), ("s", ["-cl-std=CL3.0"]):
        subprocess.run([CY, "cc", f"-march={march}", *options, "-o", f"{name}.riscv", f"{name}.cl"], cwd=TMP, check=True)
    all_of(["a.riscv"])
    sub_groups(["s.riscv"])
finish()
