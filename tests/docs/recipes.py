"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the tree.

A fenced block says what to do with its text:
    ```c file PATH             write the file
    ```c insert PATH MARK      insert it after the first line that contains MARK
    ```sh run                  run each line; all must succeed
Afterwards each recipe must have had its effect: the new instruction, pass and command work."""
import os
import re
import shutil
import subprocess
import sys

SOURCE, TMP = os.environ["CY_SOURCE"], os.environ["CY_TMP"]
TREE = os.path.join(TMP, "tree")
MUST_PRINT = ["vaddx2.vv v40, v1, v2", "s12 = const #0", "s13 = xor s11 s4", "x ^ x is 0", "hello, 乘影", "whom to greet"]


def steps():
    with open(os.path.join(SOURCE, "CONTRIBUTING.md"), encoding="utf-8") as page:
        for head, text in re.findall(r"^```(\w+ (?:file|insert|run).*?)\n(.*?)^```$", page.read(), re.M | re.S):
            yield head.split(" ", 3)[1:], text


def insert(path, mark, text):
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    at = next((i for i, line in enumerate(lines) if mark in line), None)
    if at is None:
        sys.exit(f"CONTRIBUTING.md: {path} has no line with '{mark}'")
    lines.insert(at + 1, text)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def run(text):
    printed = ""
    for line in text.splitlines():
        done = subprocess.run(["bash", "-c", line], cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        printed += done.stdout
        if done.returncode:
            sys.exit(f"{line}\n{done.stdout[-4000:]}\nexit status {done.returncode}")
    return printed


def main():
    shutil.rmtree(TREE, ignore_errors=True)
    os.makedirs(TREE)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, stdout=subprocess.PIPE, check=True, text=True).stdout
    for name in files.split("\0")[:-1]:
        os.makedirs(os.path.join(TREE, os.path.dirname(name)), exist_ok=True)
        shutil.copy(os.path.join(SOURCE, name), os.path.join(TREE, name))
    printed = run("cmake --preset default")
    count = 0
    for (kind, *rest), text in steps():
        count += 1
        path = os.path.join(TREE, rest[0]) if rest else ""
        if kind == "run":
            printed += run(text)
        elif kind == "insert":
            insert(path, rest[1], text)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    printed = " ".join(printed.split())
    missing = [words for words in MUST_PRINT if words not in printed]
    print(f"{count} steps; " + (f"not printed: {missing}" if missing else "every recipe had its effect"))
    return bool(missing) or count < 12


if __name__ == "__main__":
    sys.exit(main())
