"""scripts/coverage.py on a tree of one source: branches that occurred in any process count, forked and killed ones too; floors hold."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

SOURCE, TMP = pathlib.Path(os.environ["CY_SOURCE"]), pathlib.Path(os.environ["CY_TMP"])
PROGRAM = """
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
int choose(int a) { if (a > 1) return 1; if (a == 1) return 2; return 0; }
int main(int argc, char **argv) {
    (void)argv;
    if (fork() == 0) { choose(argc > 1 ? 1 : 0); raise(SIGKILL); }
    wait(0);
    return 0;
}
"""


def counting_flags():
    """As the build has them."""
    text = (SOURCE / "cmake/CyBuild.cmake").read_text()
    pattern = re.search(r'-fprofile-instr-generate=\$\{PROJECT_BINARY_DIR\}(/\S+)"', text).group(1)
    return [f"-fprofile-instr-generate={TMP}/build-coverage{pattern}", "-fcoverage-mapping", "-mllvm", "-runtime-counter-relocation"]


def report(*options):
    done = subprocess.run([sys.executable, TMP / "scripts/coverage.py", *options], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def main():
    build = TMP / "build-coverage"
    for folder in ("scripts", "src/isa", "tests", "build-coverage/bin", "build-coverage/lib/chengying", "build-coverage/tests"):
        (TMP / folder).mkdir(parents=True)
    shutil.copy(SOURCE / "scripts/coverage.py", TMP / "scripts")
    (TMP / "src/isa/choose.c").write_text(PROGRAM)
    floors = TMP / "tests/coverage_floors.txt"
    floors.write_text("# folder floor\nsrc/isa 50\n")
    subprocess.run(["clang-19", *counting_flags(), "-O1", "-o", build / "bin/cy", TMP / "src/isa/choose.c"], check=True)
    status, _, err = report()
    check(status == 1 and "nothing has run" in err, f"nothing has run: {err}")
    # Eight outcomes, two of each condition.  Of fork() one occurs: the other is the runs before less those of the first, one process's.
    for arguments, occurred in (((), 4), (("x",), 6)):
        subprocess.run([build / "bin/cy", *arguments], check=True)
        status, out, _ = report("--floors", floors)
        share = 100 * occurred / 8
        check(status == 0 and re.search(rf"^src/isa +{occurred} +8 +{share:.1f} % +50.0 %$", out, re.MULTILINE), f"{occurred} of 8: {out}")
    check(re.search(r"^src/isa/choose.c +6 of +8 +75.0 %$", report("--files")[1], re.MULTILINE), "by file")
    floors.write_text("src/isa 90\n")
    status, _, err = report("--floors", floors)
    check(status == 1 and "below their floor" in err and "src/isa" in err, f"below the floor: {err}")
    floors.write_text("src/isa 0\nsrc/gone 0\n")
    check(report("--floors", floors)[0] == 1, "a folder of which nothing is counted")


main()
finish()
