"""digests.py [--update|--part]: what this host computes is what was recorded, byte for byte, on whichever host it was.

recorded.digests has a line for each source - code: what it is compiled or assembled to, at -O0 and -O2; run: results and
statistics of its launches - and for each directory of the device library, example and picture.  After an intended change, --update
and look at which lines differ.  With --part only every fourth kernel is tried; emulated (CY_EMULATED), every eighth is enough to wait
for."""
import hashlib
import os
import subprocess
import sys

import outputs

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded.digests")


def group_of(name, sources):
    """The line of recorded.digests that a file of the outputs belongs to."""
    if name.startswith("lib-"):
        return "library " + {"bc": "bitcode", "o": "objects"}.get(name.rsplit(".", 1)[-1], "index")
    what, rest = ("run", name[4:]) if name.startswith("run-") else ("code", name)
    source = next((path for path in sources if rest.startswith(outputs.name_of(path))), None)
    return f"{what} {source}" if source else "example " + rest.split(".")[0]


def digests(out):
    sources = outputs.all_of(outputs.KERNELS + outputs.SOURCES)
    sums = {}
    for name in sorted(os.listdir(out)):
        with open(f"{out}/{name}", "rb") as file:
            sums.setdefault(group_of(name, sources), hashlib.sha256()).update(name.encode() + b"\0" + file.read())
    return {group: value.hexdigest()[:16] for group, value in sums.items()}


def line_tables(out):
    """Of the examples with -g: address, line and column.  The rest of debug information names directories."""
    for source in outputs.all_of(["examples/kernels/*.cl"]):
        if not os.path.exists(f"{out}/{outputs.name_of(source)}-O2.riscv"):
            continue
        path = f"{out}/{outputs.name_of(source)}.lines"
        subprocess.run([os.environ["CY"], "cc", "-g", "-o", path, source], check=True)
        text = subprocess.run(["llvm-dwarfdump-19", "--debug-line", path], stdout=subprocess.PIPE, check=True, text=True).stdout
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in text.splitlines() if line.startswith("0x"))


def main():
    out = os.path.join(os.environ["CY_TMP"], "outputs")
    some = 8 if os.environ.get("CY_EMULATED") else 4 if sys.argv[1:] == ["--part"] else None
    os.chdir(os.environ["CY_SOURCE"])
    outputs.Build(os.environ["CY_BUILD"], out, every=some or 1).everything()
    line_tables(out)
    found = digests(out)
    if sys.argv[1:] == ["--update"]:
        with open(RECORDED, "w", encoding="utf-8") as file:
            file.writelines(f"{value} {group}\n" for group, value in sorted(found.items()))
        print(f"{len(found)} digests written")
        return 0
    with open(RECORDED, encoding="utf-8") as file:
        recorded = {group: value for value, group in (line.rstrip("\n").split(" ", 1) for line in file)}
    wrong = [f"{group}: not what was recorded" for group in found if group in recorded and found[group] != recorded[group]]
    wrong += [f"{group}: not recorded" for group in found if group not in recorded]
    wrong += [f"{group}: recorded, but not there" for group in recorded if group not in found and not some]
    for line in sorted(wrong):
        print(line)
    if wrong:
        print(f"after an intended change: CY_BUILD=build CY_TMP=... tests/hosts/digests.py --update; the files are in {out}")
    print(f"{len(found) - len(wrong)} of {len(found)} groups as recorded")
    return bool(wrong) or not found


sys.exit(main())
