"""The log of programs that ran, to which lines are only added, and what it adds up to.

A line is JSON.  Of a program: kind, seed, commit, host (its processor), configurations, instructions and items (executed by the
interpreter), verdict ("same", or what was found).  Of a batch: rows, by level of the host in how many programs that ran
translated there each row of the instruction tables was, and how often: of assembly how often warps executed it in the interpreter, of
OpenCL C how often the programs' functions have it.

What a whole log adds up to is one line, too, with `sum`: of those runs.jsonl is made, the log that is kept with the sources."""
import collections
import json
import os
import subprocess
import threading

from configuration import parse, pairs


def processor():
    """By name: what was run where."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith(("model name", "CPU part"))]
    except OSError:
        names = []
    machine = os.uname().machine
    emulated = os.environ.get("CY_EMULATED")
    return f"{machine} {names[0] if names else '?'}" + (f" ({emulated})" if emulated else "")


def commit(source):
    """CY_COMMIT names it where there is no repository."""
    if "CY_COMMIT" in os.environ:
        return os.environ["CY_COMMIT"]
    said = subprocess.run(["git", "-C", source, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    dirty = subprocess.run(["git", "-C", source, "diff", "--quiet", "HEAD", "--", "src", "lib"], capture_output=True)
    return (said.stdout.strip() or "?") + ("+" if dirty.returncode == 1 else "")


class Log:
    def __init__(self, path, source):
        self.file = open(path, "a", buffering=1) if path else None
        self.lock = threading.Lock()
        self.common = {"commit": commit(source), "host": processor()}

    def add(self, **what):
        if self.file:
            with self.lock:
                self.file.write(json.dumps({**what, **self.common}, separators=(",", ":")) + "\n")


def as_key(value):
    """Lists of JSON are keys again."""
    return tuple(as_key(part) for part in value) if isinstance(value, list) else value


class Totals:
    def __init__(self):
        self.programs, self.verdicts = collections.Counter(), collections.Counter()
        self.pairs, self.rows, self.times = collections.Counter(), collections.Counter(), collections.Counter()
        self.hosts, self.runs, self.instructions = collections.Counter(), 0, collections.Counter()

    def add(self, line):
        if "sum" in line:
            self.add_sum(line["sum"])
            return
        if "rows" in line:
            for level, rows in line["rows"].items():
                for row, (programs, times) in rows.items():
                    self.rows[row, level] += programs
                    self.times[row, level] += times
            return
        self.programs[line["kind"]] += 1
        self.verdicts[line["verdict"]] += 1
        self.hosts[line["host"], line["commit"]] += 1
        if line["instructions"]:
            self.instructions[line["per_item"].bit_length()] += 1
        for text in line["configurations"]:
            self.runs += 1
            for pair in pairs(parse(text)):
                self.pairs[pair] += 1

    COUNTERS = ("programs", "verdicts", "pairs", "rows", "times", "hosts")

    def as_sum(self):
        """A line for all that has been added; of instructions how many programs executed how many, as powers of two."""
        counters = {name: sorted(map(list, getattr(self, name).items()), key=str) for name in self.COUNTERS}
        return {"sum": {**counters, "runs": self.runs, "instructions": sorted(self.instructions.items())}}

    def add_sum(self, line):
        for name in self.COUNTERS:
            for key, count in line[name]:
                getattr(self, name)[as_key(key)] += count
        self.runs += line["runs"]
        for power, count in line["instructions"]:
            self.instructions[power] += count

    def read(self, path):
        with open(path) as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:  # cut off by the end of a process
                    continue
                self.add(line)
        return self

    def show(self):
        programs = ", ".join(f"{count} {kind}" for kind, count in sorted(self.programs.items()))
        print(f"{sum(self.programs.values())} programs ({programs}), {self.runs} runs")
        print("verdicts: " + ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.most_common()))
        if self.instructions:
            powers = sorted(self.instructions.elements())
            print(f"guest instructions that a work-item executes: median at least {2 ** max(0, powers[len(powers) // 2] - 1)}")
        self.show_pairs()
        self.show_rows()
        for (host, at), count in self.hosts.most_common():
            print(f"{count:8} on {host} at {at}")

    def show_pairs(self):
        """A row and a column for each value of an axis: in how many runs they were together."""
        values = sorted({value for pair in self.pairs for value in pair})
        if not values:
            return
        print("\nruns with both values of a pair:")
        names = [f"{axis}={value}" for axis, value in values]
        for i, value in enumerate(values):
            cells = []
            for other in values[:i]:
                count = self.pairs[other, value] + self.pairs[value, other]
                cells.append("." if other[0] == value[0] else str(count))
            print(f"{names[i]:20}" + "".join(f"{cell:>7}" for cell in cells))
        print(" " * 20 + "".join(f"{value[:6]:>7}" for _, value in values[:-1]))
        least = [(self.pairs[a, b] + self.pairs[b, a], a, b) for i, b in enumerate(values) for a in values[:i] if a[0] != b[0] and possible(a, b)]
        if least:
            count, a, b = min(least)
            print(f"the rarest pair that is possible: {a[0]}={a[1]} and {b[0]}={b[1]}, {count} runs\n")

    def show_rows(self):
        levels = sorted({level for _, level in self.rows})
        rows = sorted({row for row, _ in self.rows})
        for level in levels:
            for counted, what in ((self.times, "times"), (self.rows, "programs")):
                counts = [counted[row, level] for row in rows]
                rare = [row for row in rows if counted[row, level] < 1000]
                print(f"level {level}: {len(rows)} rows, the rarest {min(counts)} {what}; fewer than 1,000: {len(rare)}"
                      + (f" ({', '.join(rare[:6])}{', ...' if len(rare) > 6 else ''})" if rare else ""))


def possible(a, b):
    """Whether a program can run with both values: the interpreter has no strips, and what is attached needs it or fixes them."""
    both = dict((a, b))
    interpreted = both.get("engine") == "interp" or both.get("attached") in ("check", "debug")
    if both.get("engine") == "verify" and both.get("attached", "plain") != "plain":
        return False
    if both.get("platform") == "pocl":
        return both.get("engine") == "interp"
    return not (both.get("engine") == "jit" and both.get("attached") in ("check", "debug")) and \
        not (both.get("strip", "auto") != "auto" and (interpreted or both.get("attached") == "counting"))
