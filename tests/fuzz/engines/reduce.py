"""Makes a program that differs smaller, and writes what is left as a test.

Lines and blocks are left out, blocks replaced by what is in them, expressions by their parts, parameters with their arguments left
out, launches made smaller, as long as the configuration still gives other words than the interpreter.  What is left must have no
faults that `cy check` knows, or it would differ for a reason of its own."""
import os
import re
import tempfile
import time
from dataclasses import replace

SECONDS = 600


class Reducer:
    def __init__(self, kind, program, oracle, configuration, is_raw, seconds):
        self.kind, self.program, self.is_raw = kind, program, is_raw
        self.oracle = replace(oracle, attached="plain")
        self.configuration = replace(configuration, run="first")
        self.until = time.time() + seconds
        self.tries = 0

    def run(self, program, configuration):
        with tempfile.TemporaryDirectory(prefix="engines") as folder:
            extra = {"is_raw": self.is_raw} if self.kind.KIND == "opencl" else {}
            return self.kind.run([program], configuration, folder, **extra)[0]

    def differs(self, program):
        if time.time() > self.until:
            return False
        self.tries += 1
        expected = self.run(program, self.oracle)
        if expected.fault or not expected.words:
            return False
        got = self.run(program, self.configuration)
        if not got.words or got.outcome() == expected.outcome():
            return False
        if self.kind.KIND != "opencl":
            return True
        checked = self.run(program, replace(self.oracle, attached="check"))
        return not checked.reports and not checked.fault

    def keep_if(self, program):
        if self.differs(program):
            self.program = program
            return True
        return False

    def reduce(self):
        size = None
        while size != self.size() and time.time() < self.until:
            size = self.size()
            self.leave_out_lines()
            self.leave_out_parameters()
            self.simplify_lines()
            self.shrink_launches()
        return self.program

    def size(self):
        return len(self.program.source) + sum(map(len, self.program.launches)) + sum(map(len, self.program.objects))

    # -- lines

    def lines(self):
        return self.program.source.split("\n")

    def with_lines(self, lines):
        return self.program.with_source("\n".join(lines))

    def leave_out_lines(self):
        """Whole blocks first, the largest ones, then runs of lines."""
        at = 0
        while at < len(self.lines()):
            lines = self.lines()
            end = end_of_block(lines, at)
            if end > at and (self.keep_if(self.with_lines(lines[:at] + lines[end + 1:])) or
                             self.keep_if(self.with_lines(lines[:at] + inside(lines, at, end) + lines[end + 1:]))):
                continue
            at += 1
        length = max(1, len(self.lines()) // 4)
        while length:
            at = 0
            while at < len(self.lines()):
                lines = self.lines()
                part = lines[at:at + length]
                if is_balanced(part) and self.keep_if(self.with_lines(lines[:at] + lines[at + length:])):
                    continue
                at += length
            length //= 2

    # -- expressions

    def simplify_lines(self):
        at = 0
        while at < len(self.lines()) and time.time() < self.until:
            line = self.lines()[at]
            if not line.startswith(("kernel", "#", "constant")) and not any(self.replace_line(at, text) for text in simpler(line)):
                at += 1
            elif line.startswith(("kernel", "#", "constant")):
                at += 1

    def replace_line(self, at, text):
        lines = self.lines()
        return self.keep_if(self.with_lines(lines[:at] + [text] + lines[at + 1:]))

    # -- parameters and launches

    def leave_out_parameters(self):
        for index in reversed(range(len(self.program.launches))):
            self.keep_if(replace(self.program, launches=self.program.launches[:index] + self.program.launches[index + 1:]))
        for index, launch in enumerate(self.program.launches):
            name = launch.split()[2]
            for place in reversed(range(len(launch.split()) - 4)):
                words = self.program.launches[index].split()
                source = without_parameter(self.program.source, name, place)
                if source is None or place + 4 >= len(words):
                    continue
                words.pop(place + 4)
                launches = [*self.program.launches]
                launches[index] = " ".join(words)
                self.keep_if(replace(self.program, source=source, launches=launches))
        for line in self.program.objects:
            self.keep_if(replace(self.program, objects=[other for other in self.program.objects if other != line]))

    def shrink_launches(self):
        for index, launch in enumerate(self.program.launches):
            match = re.match(r"(// run: \S+) (\d+)((?:x\d+)*)/(\d+)((?:x\d+)*)(\S*)(.*)", launch)
            for text in (f"{match[1]} {match[4]}{match[5]}/{match[4]}{match[5]}{match[6]}{match[7]}",) if match else ():
                launches = [*self.program.launches]
                launches[index] = text
                if text != launch:
                    self.keep_if(replace(self.program, launches=launches))


def depth_of(line):
    return line.count("{") - line.count("}")


def is_balanced(lines):
    depth = 0
    for line in lines:
        depth += min(0, depth_of(line)) if line.lstrip().startswith("}") else 0
        if line.lstrip().startswith("}") and depth < 0:
            return False
        depth += depth_of(line) if not line.lstrip().startswith("}") else max(0, depth_of(line) + line.count("}")) if "{" in line else 0
    return depth == 0


def end_of_block(lines, at):
    """The last line of the block that begins at a line, or that line."""
    if not lines[at].rstrip().endswith("{") or lines[at].lstrip().startswith("}"):
        if lines[at].startswith(("kernel", "__attribute__")) or at + 1 < len(lines) and lines[at + 1] == "{":
            end = at + 1
            while end < len(lines) and lines[end] != "}":
                end += 1
            return min(end, len(lines) - 1)
        return at
    depth = 0
    for end in range(at, len(lines)):
        depth += depth_of(lines[end])
        if depth <= 0:
            return end
    return at


def inside(lines, at, end):
    return [line for line in lines[at + 1:end] if not line.strip().startswith(("} else", "case", "default", "break;", "continue;"))]


def groups(text):
    """The places of parentheses that belong together, outermost first."""
    stack, found = [], []
    for i, c in enumerate(text):
        if c == "(":
            stack.append(i)
        elif c == ")" and stack:
            found.append((stack.pop(), i))
    return sorted(found, key=lambda pair: pair[0] - pair[1])


def parts_of(text):
    """What commas, operators and question marks of the outermost level separate."""
    parts, depth, start = [], 0, 0
    tokens = re.finditer(r"[(),?:]|<<|>>|&&|\|\||==|!=|[-+*/%&|^<>]", text)
    for token in tokens:
        c = token[0]
        depth += (c == "(") - (c == ")")
        if depth == 0 and c not in "()":
            parts.append(text[start:token.start()].strip())
            start = token.end()
    return [part for part in parts + [text[start:].strip()] if part and part != text.strip()]


def simpler(line):
    """The line with one expression in parentheses, and what is called or converted by it, replaced by a part of it or a number."""
    for first, last in groups(line):
        start = first
        while start and (line[start - 1].isalnum() or line[start - 1] == "_"):
            start -= 1
        name, body = line[start:first], line[first + 1:last]
        if name in ("if", "while", "for", "switch") or not body:
            start = first
        for part in [*parts_of(body), "1"] if body != "1" else []:
            yield line[:start] + ("(" if start == first else "") + part + (")" if start == first else "") + line[last + 1:]
        if start != first:
            yield line[:start] + body + line[last + 1:]
    match = re.match(r"(\s*(?:return )?[^=]* = )(.*);$", line)
    if match:
        for part in [*parts_of(match[2]), "1"] if match[2] not in ("1", "0") else []:
            yield f"{match[1]}{part};"


def without_parameter(source, kernel, place):
    match = re.search(rf"(kernel void {kernel}\()([^)]*)\)", source)
    if not match:
        return None
    parameters = match[2].split(", ")
    if place >= len(parameters):
        return None
    parameters.pop(place)
    return source[:match.start()] + match[1] + ", ".join(parameters) + ")" + source[match.end():]


def reduce_program(kind, program, oracle, configuration, is_raw, folder, seconds=SECONDS):
    """Leaves the smallest program that differs as FOLDER/reduced.cl; 1: the program did not differ by itself."""
    reducer = Reducer(kind, program, oracle, configuration, is_raw, seconds)
    os.makedirs(folder, exist_ok=True)
    if hasattr(kind, "reduce"):
        with open(os.path.join(folder, f"reduced-{kind.file_name(program)}"), "w") as file:
            file.write(kind.text([kind.reduce(program, reducer.differs)]))
        return 0
    if not reducer.differs(program):
        print(f"program {program.seed} does not differ by itself, or only for a reason that `cy check` reports")
        return 1
    smallest = tidy(reducer.reduce())
    path = os.path.join(folder, "reduced.cl")
    with open(path, "w") as file:
        file.write(f"// {configuration}: other words than the interpreter ({oracle})\n" + kind.text([smallest]))
    print(f"{path}: {len(smallest.source.splitlines())} lines, {reducer.tries} tries")
    return 0


def tidy(program):
    return program.with_source("\n".join(line for line in program.source.split("\n") if line.strip()) + "\n")
