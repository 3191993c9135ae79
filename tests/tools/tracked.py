"""The demo leaves the source tree as it was: what it writes is in the build directory."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

SOURCE, BUILD, CY = pathlib.Path(os.environ["CY_SOURCE"]), pathlib.Path(os.environ["CY_BUILD"]), os.environ["CY"]


def is_ours(path):
    """Build directories and caches are not the tree."""
    top = path.relative_to(SOURCE).parts[0]
    return not (top == ".git" or top == "build" or top.startswith("build-") or top == ".cache" or "__pycache__" in path.parts or BUILD in path.parents)


def tree():
    files = {}
    for directory, names, members in os.walk(SOURCE):
        here = pathlib.Path(directory)
        names[:] = [name for name in names if is_ours(here / name)]
        for name in members:
            if is_ours(here / name):
                status = (here / name).lstat()
                files[str(here / name)] = (status.st_size, status.st_mtime_ns)
    return files


check(not list(SOURCE.glob("*.png")) and not list(SOURCE.glob("*.html")), "pictures and pages at the root are left over from a demo")
before = tree()
done = subprocess.run([SOURCE / "scripts/demo.sh", CY], cwd=SOURCE, capture_output=True, text=True, check=False)
check(done.returncode == 0, f"the demo: {done.stdout[-500:]}{done.stderr}")
after = tree()
changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
check(not changed, f"the demo has changed {changed}")
check((BUILD / "mandelbrot.png").exists() and (BUILD / "mandelbrot.html").exists(), "the demo's picture and page are in the build directory")
finish()
