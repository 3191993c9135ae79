"""200 points on two Slurm nodes, one of whose daemons is killed in the middle; then the same again, which costs nothing."""
import csv
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
SLURM = os.path.join(SOURCE, "tests", "sweep", "slurm.sh")
CLUSTER = os.path.join(TMP, "cluster")
PLAN = os.path.join(TMP, "plan.toml")
STORE = os.path.join(TMP, "plan.sweep")


def results():
    return sum(name.endswith(".result") for name in os.listdir(STORE)) if os.path.isdir(STORE) else 0


def write_plan():
    kernel = os.path.join(SOURCE, "examples", "asm", "vecadd.s")
    words = [kernel, "--global", "{n}", "--local", "32", "--set", "threads=8"] + ["--arg", "buffer:f32:{n}"] * 3
    latencies = ", ".join(str(4 + 2 * i) for i in range(25))
    with open(PLAN, "w", encoding="utf-8") as file:
        file.write(f"run = {words!r}\n[cross]\nn = [32, 64]\nl1d_sets = [8, 16, 32, 64]\nmemory_latency = [{latencies}]\n")


def sweep(*words):
    return [CY, "sweep", PLAN, "--csv", os.path.join(TMP, "out.csv"), "-q", *words]


def main():
    write_plan()
    subprocess.run([SLURM, "start", CLUSTER, "2"], check=True)
    os.environ["SLURM_CONF"] = os.path.join(CLUSTER, "slurm.conf")
    with subprocess.Popen(sweep("--slurm", "--chunk", "5", "--stall", "10"), stderr=subprocess.PIPE, text=True) as running:
        while results() < 20 and running.poll() is None:
            time.sleep(0.1)
        seen = results()
        with open(os.path.join(CLUSTER, "node-n1.pid"), encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        errors = running.communicate(timeout=500)[1]
    check(running.returncode == 0, f"status {running.returncode}: {errors}")
    check(20 <= seen < 200, f"the node was not killed in the middle: {seen} points")
    check(results() == 200, f"{results()} results")
    with open(os.path.join(TMP, "out.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    check(len(rows) == 200 and all(int(row["cycles"]) > 0 for row in rows), f"{len(rows)} rows")
    # the same again: nothing is measured, and nobody is asked (there is no Slurm any more)
    subprocess.run([SLURM, "stop", CLUSTER], check=True)
    again = subprocess.run(sweep("--slurm"), stderr=subprocess.PIPE, text=True, check=False)
    check(again.returncode == 0 and not again.stderr, f"again: {again.stderr}")
    # and the cluster computed what this machine computes
    other = os.path.join(TMP, "local.csv")
    plan = os.path.join(TMP, "small.toml")
    with open(PLAN, encoding="utf-8") as file, open(plan, "w", encoding="utf-8") as small:
        small.write(file.read().replace("n = [32, 64]", "n = [64]").replace("l1d_sets = [8, 16, 32, 64]", "l1d_sets = [16]"))
    subprocess.run([CY, "sweep", plan, "-q", "--csv", other], check=True)
    with open(other, encoding="utf-8", newline="") as file:
        local = {row["memory_latency"]: row["cycles"] for row in csv.DictReader(file)}
    remote = {row["memory_latency"]: row["cycles"] for row in rows if (row["n"], row["l1d_sets"]) == ("64", "16")}
    check(local == remote, "the cluster's cycles differ from this machine's")


try:
    main()
finally:
    subprocess.run([SLURM, "stop", CLUSTER], check=False)
finish()
