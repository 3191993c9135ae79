"""scripts/timed.py: steps next to their budget, and the budget of docs/testing.md itself, which has every step of the Makefile."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

SOURCE, TMP = pathlib.Path(os.environ["CY_SOURCE"]), pathlib.Path(os.environ["CY_TMP"])


def run(budget, *words):
    done = subprocess.run([SOURCE / "scripts/timed.py", *words], capture_output=True, text=True,
                          env={**os.environ, "CY_BUDGET": str(budget), "CY_MINUTES": str(TMP / "minutes.tsv")})
    return done.returncode, done.stdout, done.stderr


def test_steps():
    budget = TMP / "budget.md"
    budget.write_text("Text.\n\n| step | minutes | what |\n|---|---|---|\n| quick | 2.5 | a |\n| late | 0 | b |\n| never | 1 | c |\n\n| other | table |\n|---|---|\n| a | 99 |\n")
    status, out, _ = run(budget, "quick", "echo", "hello")
    check(status == 0 and out == "hello\n", f"outside of make test a step is only run: {out}")
    run(budget, "--start")
    status, out, _ = run(budget, "quick", "echo", "hello")
    check(status == 0 and out == "hello\nquick: 0.0 minutes of 2.5\n", f"a step: {out}")
    status, out, _ = run(budget, "late", "bash", "-c", "sleep 0.7; exit 3")
    check(status == 3 and out == "late: 0.0 minutes of 0, failed\n", f"a step that fails: {status} {out}")
    status, _, err = run(budget, "other", "true")
    check(status == 1 and "has no step 'other'" in err, f"a step without a budget: {err}")
    status, out, _ = run(budget, "--table")
    rows = re.findall(r"^(\w+) +0\.0 +([\d.]+) +0\.0( +late)?$", out, re.MULTILINE)
    check(status == 0 and rows == [("quick", "2.5", ""), ("late", "0.0", "   late"), ("all", "3.5", "")], f"the table: {out}")
    check("not run: never\n" in out and re.search(r"^\S+, .* cores, levels \S+; load [\d.]+$", out, re.MULTILINE), f"the table: {out}")
    budget.write_text("| step | minutes | what |\n|---|---|---|\n| a | 20 | |\n| b | 10.5 | |\n")
    run(budget, "--start")
    status, _, err = run(budget, "a", "true")
    check(status == 1 and "add up to 30.5 minutes of 30" in err, f"too much: {err}")


def test_tests():
    """Of a run of ctest: labels and the longest tests."""
    build, budget = TMP / "build", TMP / "tests.md"
    build.mkdir()
    (build / "CTestTestfile.cmake").write_text('add_test(slow sleep 1.2)\nset_tests_properties(slow PROPERTIES LABELS "naps;x")\n'
                                               'add_test(fast true)\nset_tests_properties(fast PROPERTIES LABELS "work")\n')
    budget.write_text("| step | minutes | what |\n|---|---|---|\n| naps | 3 | |\n")
    run(budget, "--start")
    _, out, _ = run(budget, "--tests", str(build), "naps", "ctest", "--test-dir", str(build))
    check("\nnaps, minutes of tests by label: naps 0.0, work 0.0\nnaps, minutes of the longest: slow 0.0, fast 0.0\n" in out, f"labels: {out}")


def test_the_budget():
    makefile = (SOURCE / "Makefile").read_text()
    steps = re.findall(r"\$\(timed\) (?:--tests \S+ )?'([^']+)'", makefile)
    check(len(steps) >= 6, f"steps of the Makefile: {steps}")
    for step in steps:
        run(SOURCE / "docs/testing.md", "--start")
        status, _, err = run(SOURCE / "docs/testing.md", step, "true")
        check(status == 0, f"'{step}' is in the budget: {err}")
    table = run(SOURCE / "docs/testing.md", "--table")[1]
    check(f"not run: {steps[0]}" in table and steps[-1] in table, f"steps of the budget: {table}")
    check(set(re.findall(r"^not run: (.*)$", table, re.MULTILINE)) <= set(steps), f"steps that the Makefile does not have: {table}")


test_steps()
test_tests()
test_the_budget()
finish()
