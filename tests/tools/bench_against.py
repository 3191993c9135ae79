"""bench/run --against, with programs that only say how long they took: its ratios, its order, what is measured again and counted."""
import os
import pathlib
import re
import subprocess
import sys

SOURCE, TMP = pathlib.Path(os.environ["CY_SOURCE"]), pathlib.Path(os.environ["CY_TMP"])
# Nanoseconds of both builds: ours first.
TIMES = {"vecadd": (10, 10), "bfs": (30, 20), "aes": (5, 10), "crc32": (10.2, 10)}
PROGRAM = """#!/bin/bash
build=${OCL_ICD_VENDORS%%/lib/*}; build=${build##*/}
echo "$build $4 ${CHENGYING_ENGINE:-auto} $3" >>%(log)s
[ "$4 $build" != "adi theirs" ] || { echo "no such thing" >&2; exit 2; }
case "$4 $build" in
%(cases)s
esac
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def prepare():
    cases = []
    for name, times in TIMES.items():
        for build, time in zip(("ours", "theirs"), times):
            result = build if name == "aes" else "same"
            cases.append(f'"{name} {build}") echo "{name} 1 operations {time} ns cpu 1 ns wall {result}";;')
    for build, cpu in (("ours", 3), ("theirs", 2)):
        cases.append(f'"launches {build}") echo "launches 1 us in a row 1 us waited for, cpu {cpu} us 4 us";;')
        cases.append(f'"images {build}") echo "rgba float linear sum 1 1 operations 7 ns cpu 1 ns wall right";;')
    for build in ("ours", "theirs"):
        write(TMP / build / "lib/chengying.icd", "none\n")
    write(TMP / "ours/bin/bench_opencl", PROGRAM % {"log": TMP / "log", "cases": "\n".join(cases)})
    # 1,000 instructions, and 100 (theirs) or 110 (ours) for each pass.
    write(TMP / "bin/valgrind", """#!/bin/bash
case $OCL_ICD_VENDORS in */ours/*) each=110 ;; *) each=100 ;; esac
echo "refs: 1,$((each * $6))" >&2
""")


def run(*options):
    done = subprocess.run([SOURCE / "bench/run", "--build", TMP / "ours", "--reps", "2", *options], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{TMP}/bin:{os.environ['PATH']}"})
    return done.returncode, done.stdout, done.stderr


def check(condition, what, text):
    if not condition:
        sys.exit(f"error: {what}:\n{text}")


def main():
    prepare()
    theirs = ("--against", TMP / "theirs")
    status, out, err = run(*theirs, "--only", "^(vecadd|bfs|aes|crc32|launches|images)$")
    check(not status, "failed", out + err)
    rows = re.findall(r"^(\S.*\S) +(five|suite|program|overhead|images) +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)(.*)$", out, re.MULTILINE)
    found = [(name, ratio, turns, note.strip()) for name, _, _, _, ratio, turns, note in rows]
    check(found == [("bfs", "1.500", "12", ""), ("launch, in a row", "1.500", "12", ""), ("crc32", "1.020", "2", ""),
                    ("launch, waited for", "1.000", "12", ""), ("rgba float linear", "1.000", "2", ""), ("vecadd", "1.000", "2", ""),
                    ("aes", "0.500", "2", "the results differ")], "other rows", out)
    check("geometric mean, program: 0.714 of 2\n" in out, "the mean of programs", out)
    check("geometric mean: 1.020; at most 1.05: 5 of 7\n" in out, "the mean", out)
    counted = dict(re.findall(r"^(\w+) +0\.1 +0\.1 +([\d.]+)$", out.split("Thousand host instructions")[1], re.MULTILINE))
    check(counted == {"bfs": "1.100", "launches": "1.100"}, "the instructions", out)
    turns = [line.split()[0] for line in (TMP / "log").read_text().splitlines() if re.search(" vecadd auto ", line)]
    check(turns == ["theirs", "ours", "ours", "theirs"], "the turns do not alternate", turns)

    status, out, err = run(*theirs, "--only", "^(adi|vecadd)$")
    check(status == 1 and "error: adi: no such thing\n" in err and "vecadd" in out, "a program that theirs cannot run", out + err)
    for options, said in ((("--only", "bfs"), "--only needs --against"), ((*theirs, "--only", "nothing"), "no benchmark is called 'nothing'"),
                          (("--against", TMP), "--against needs a build directory")):
        status, out, err = run(*options)
        check(status and said in err, f"not refused: {options}", out + err)


main()
