"""Variables that nobody reads are warned of, once and with the nearest that somebody reads; and a program that never calls
OpenCL is said to have run nothing."""
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, BUILD = os.environ["CY"], pathlib.Path(os.environ["CY_TMP"]), pathlib.Path(os.environ["CY_BUILD"])
VECADD = str(BUILD / "bin/examples/vecadd")
NOT_CALLED = "ended without calling OpenCL"


def run(*words, **environment):
    return subprocess.run(words, cwd=TMP, env=os.environ | environment, capture_output=True, text=True, check=False)


def warning(name, near):
    rest = f"did you mean {near}?" if near else "'cy help --man' lists those that are read"
    return f"chengying: warning: nobody reads the environment variable {name}; {rest}\n"


def unknown_variables():
    for name, near in (("CHENGYING_ENGIN", "CHENGYING_ENGINE"), ("CHENGYING_CACHEDIR", "CHENGYING_CACHE_DIR"),
                       ("CHENGYING_MACHNIE", "CHENGYING_MACHINE"), ("CHENGYING_XYZ", None), ("CHENGYING_", None)):
        check(run(CY, "--version", **{name: "1"}).stderr == warning(name, near), f"{name}: {near}")
    check(run(CY, "--version", CHENGYING_ENGINE="jit", CHENGYING_TIMING_PRINT="1", CHENGYINGS="1").stderr == "", "those that are read")
    both = run(CY, "exec", "-q", "--", VECADD, CHENGYING_ENGIN="jit", CHENGYING_STAT="1").stderr
    check(both.count("warning") == 2 and warning("CHENGYING_STAT", "CHENGYING_STATS") in both, f"once, though `cy` and the platform look: {both}")
    alone = run(VECADD, CHENGYING_ENGIN="jit", OCL_ICD_VENDORS=str(BUILD / "lib/chengying.icd")).stderr
    check(alone == warning("CHENGYING_ENGIN", "CHENGYING_ENGINE"), f"without cy: {alone}")


def no_opencl():
    for command in (["exec"], ["check"], ["profile"], ["exec", "--stats"]):
        done = run(CY, *command, "--", "true")
        check(done.stderr.count(f"chengying: true {NOT_CALLED}") == 1 and done.returncode == 0, f"{command}: {done}")
        done = run(CY, *command, "--", VECADD)
        check(NOT_CALLED not in done.stderr, f"{command} vecadd: {done.stderr}")
    done = run(CY, "exec", "--", "sh", "-c", f"exec 3>&- 4>&- 5>&-; ( {VECADD} ) & wait")
    check(NOT_CALLED not in done.stderr, f"a child calls it: {done}")


def ends():
    done = run(CY, "exec", "--", "sh", "-c", "exit 7")
    check(done.returncode == 7, f"a status: {done.returncode}")
    done = run(CY, "exec", "--", "sh", "-c", "kill -SEGV $$")
    check(done.returncode == -signal.SIGSEGV, f"a signal: {done.returncode}")
    done = run(CY, "exec", "--", "no-such-program")
    check(done.returncode == 1 and done.stderr == "error: cannot run no-such-program: No such file or directory\n", f"no program: {done}")
    for number, expected in (signal.SIGTERM, [5]), (signal.SIGKILL, []):
        script = f"trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done; {VECADD}"
        with subprocess.Popen([CY, "exec", "--", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.send_signal(number)
            process.communicate(timeout=60)  # the program has ended, too: it had our standard output
            check(process.returncode in (expected or [-number]), f"signal {number}: {process.returncode}")


unknown_variables()
no_opencl()
ends()
finish()
