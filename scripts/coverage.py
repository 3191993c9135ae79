#!/usr/bin/env python3
"""coverage.py [--build DIR] [--floors FILE | --files]: which branches of our own code ran in a build with CY_COVERAGE.

The programs and libraries of DIR (build-coverage) have counted in DIR/coverage since it was emptied.  Printed are the branches of each
folder that FILE (tests/coverage_floors.txt) lists: the share of both outcomes of all conditions that occurred.  With --floors the exit
status is 1 where a folder is below its floor.  --files prints each source file instead, the worst first.

A source that is compiled for several levels, or linked into several programs, counts once: an outcome that occurred in any of them did."""
import argparse
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def read_floors(path):
    rows = [line.split("#")[0].split() for line in path.read_text().splitlines()]
    return {row[0]: float(row[1]) for row in rows if row}


def counted_objects(build):
    """Programs and libraries, of which those that have not run bring only the sources that nothing ran."""
    libraries = [*(build / "lib").glob("*.so"), *(build / "lib/chengying").iterdir()]
    programs = [build / "bin/cy", *(path for path in (build / "tests").glob("*") if path.is_file() and path.stat().st_mode & 0o100)]
    return [path for path in libraries + programs if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]


def measure(build, folders):
    """For each source file of the folders: branches, and how many of them occurred."""
    raw = sorted(str(path) for path in (build / "coverage").glob("*.profraw"))
    if not raw:
        sys.exit(f"error: nothing has run in {build}: there is no {build}/coverage/*.profraw")
    profile = build / "coverage/all.profdata"
    subprocess.run(["llvm-profdata-19", "merge", "--sparse", "--failure-mode=all", "-o", profile, *raw], check=True)
    objects = [str(path) for path in counted_objects(build)]
    command = ["llvm-cov-19", "export", "--summary-only", f"--instr-profile={profile}", objects[0],
               *(word for path in objects[1:] for word in ("-object", path)), "--sources", *(str(SOURCE / folder) for folder in folders)]
    exported = subprocess.run(command, check=True, capture_output=True, text=True)
    return {str(pathlib.Path(each["filename"]).relative_to(SOURCE)): (each["summary"]["branches"]["count"],
                                                                     each["summary"]["branches"]["covered"])
            for each in json.loads(exported.stdout)["data"][0]["files"]}


def share(pairs):
    count, covered = (sum(column) for column in zip(*pairs)) if pairs else (0, 0)
    return count, covered, 100 * covered / count if count else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=SOURCE / "build-coverage", type=pathlib.Path)
    parser.add_argument("--floors", type=pathlib.Path, help="fails where a folder is below its floor in this file")
    parser.add_argument("--files", action="store_true", help="each source file, the worst first")
    arguments = parser.parse_args()
    floors = read_floors(arguments.floors or SOURCE / "tests/coverage_floors.txt")
    found = measure(arguments.build.resolve(), floors)
    if arguments.files:
        for name, pair in sorted(found.items(), key=lambda item: share([item[1]])[2]):
            if pair[0]:
                print(f"{name:50}{pair[1]:7} of{pair[0]:6}{share([pair])[2]:8.1f} %")
        return
    print(f"{'branches of':24}{'occurred':>10}{'of':>10}{'share':>10}" + (f"{'floor':>10}" if arguments.floors else ""))
    low = []
    for folder, floor in floors.items():
        count, covered, percent = share([pair for name, pair in found.items() if name.startswith(folder + "/")])
        print(f"{folder:24}{covered:10}{count:10}{percent:8.1f} %" + (f"{floor:8.1f} %" if arguments.floors else ""))
        if not count or percent < floor:
            low.append(folder)
    if arguments.floors and low:
        sys.exit(f"error: below their floor in {arguments.floors}: {', '.join(low)}; 'scripts/coverage.py --files' lists the sources")


main()
