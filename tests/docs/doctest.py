#!/usr/bin/env python3
"""What the documents show is what the commands print.

    doctest.py [--update] FILE...

Runs every ```console block of the given Markdown files: a line `$ command` is run by bash, the lines below it must be
what it printed (both streams).  A line of three dots stands for any number of lines.  `cy` is the tool of this build;
the commands of one file share an empty directory that has examples/ in it.  --update writes the real output into the
file, except where dots already match it.
"""
import os
import re
import subprocess
import sys

SOURCE = os.environ["CY_SOURCE"]
SCRATCH = os.environ["CY_TMP"]
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)


class Session:
    def __init__(self, path):
        self.path, self.commands, self.failures = path, 0, 0
        self.directory = os.path.join(SCRATCH, os.path.basename(path))
        os.makedirs(self.directory)
        for name in ("examples", "docs"):
            os.symlink(os.path.join(SOURCE, name), os.path.join(self.directory, name))
        self.environment = dict(os.environ, PATH=os.path.dirname(os.environ["CY"]) + ":" + os.environ["PATH"])

    def run(self, command):
        self.commands += 1
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
        return done.stdout.decode(errors="replace").splitlines()

    def block(self, match):
        """A block with its real output, where that differs from what is shown."""
        result, lines = [], match.group(1).splitlines()
        while lines:
            command = lines.pop(0)
            if not command.startswith("$ "):
                sys.exit(f"{self.path}: a console block begins with '$ command', not '{command}'")
            result.append(command)
            command = command[2:]
            while command.endswith("\\"):
                result.append(lines[0])
                command = command[:-1] + lines.pop(0)
            shown = []
            while lines and not lines[0].startswith("$ "):
                shown.append(lines.pop(0))
            got = self.run(command)
            if not matches(shown, got):
                self.failures += 1
                print(f"{self.path}: $ {command}\n  shown:", *shown, "  printed:", *got, sep="\n    ")
                shown = got
            result += shown
        return "".join(line + "\n" for line in result)


def matches(shown, got):
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def main():
    files = sys.argv[1:]
    update = "--update" in files
    failures = commands = 0
    for path in files:
        if path == "--update":
            continue
        path = os.path.join(SOURCE, path)
        session = Session(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        new = BLOCK.sub(session.block, text)
        if update and new != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        failures += session.failures
        commands += session.commands
    print(f"{commands - failures} passed, {failures} failed")
    sys.exit(1 if (failures and not update) or not commands else 0)


main()
