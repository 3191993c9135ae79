"""No expression depends on the order in which a host's compiler evaluates its operands.

C leaves open which argument of a call is evaluated first: gcc goes from the right on x86-64 and from the left on aarch64.  When one
argument writes what another reads or writes, the same source does different things on different hosts.  The same holds for the
operands of an operator, the two sides of an assignment and the elements of an initialiser.

For each function the objects it reads and writes through its parameters are summed up, over all files and calls.  Then each
such list of operands is searched for two that meet in an object one of them writes.  An object is a variable followed by
members and dereferences; different variables are taken for different objects, and what a function does through a function pointer is
not seen.  Allocation from an arena, locks and atomics count as no write: their order does not show.

argument_order.py [--tests | FILE...]: without files, all C files of the build in CY_BUILD, those of tests/ only with --tests."""
import json
import multiprocessing
import os
import re
import shlex
import subprocess
import sys

DEPTH = 12  # of an object's path; deeper ones are ignored
# Last words, counts of checks, which blocks a failure scope remembers, and the devices a checker knows: their order does not show.
HARMLESS = {"global stderr", "global test_counts", "static src/base/alloc.c innermost", "static src/cl/observe/check.c checker"}
UNSEEN = re.compile(r"\b(struct cy_arena|pthread_\w+_t|_Atomic|once_flag)\b")  # their order does not show
OPAQUE = re.compile(r"\bLLVM\w+Ref\b|\bstruct LLVMOpaque")
MAKES = re.compile(r"LLVM(Build|Append|Add|Insert|Position|Set)\w*")  # the order of what LLVM is told to make shows
LEFT_OUT = {"src/isa/unique.c"}  # nothing but case labels, of which clang dumps gigabytes
SHIPPED = ("src/", "tools/")
KNOWN = set()  # functions of headers, once in each process
SEQUENCED = {"&&", "||", ","}


class Effects:
    """What evaluating an expression reads, writes and calls.  Calls: (name, objects pointed to by the arguments)."""

    def __init__(self):
        self.reads, self.writes, self.calls = set(), set(), []

    def add(self, other):
        self.reads |= other.reads
        self.writes |= other.writes
        self.calls += other.calls


class File:
    """Walks the functions of one file.  `functions`: name -> Effects by its own statements.  `groups`: operands whose order is
    open, as (line, what, [Effects])."""

    def __init__(self, path):
        self.path, self.line = path, 0
        self.functions, self.groups, self.statics = {}, [], set()

    # ---- where we are: clang names a line only where it changes ----

    def move(self, place):
        for key in ("spellingLoc", "expansionLoc"):
            if key in place:
                self.move(place[key])
        self.line = place.get("line", self.line)

    # ---- objects ----

    def root(self, decl):
        if decl["id"] in self.parameters:
            return (self.parameters[decl["id"]],)
        if decl["id"] in self.locals:
            return (decl["name"] + "@" + decl["id"],)
        return (("static " + self.path + " " if decl["name"] in self.statics else "global ") + decl["name"],)

    def object_of(self, node):
        """The object an lvalue names, or None."""
        kind, inner = node.get("kind"), node.get("inner") or []
        if kind == "DeclRefExpr":
            decl = node["referencedDecl"]
            return self.root(decl) if decl["kind"] in ("VarDecl", "ParmVarDecl") else None
        if kind == "ParenExpr":
            return self.object_of(inner[0])
        if kind == "MemberExpr":
            base = self.target_of(inner[0]) if node.get("isArrow") else self.object_of(inner[0])
            return base and base + (node["name"],) if node["name"] else base
        if kind == "ArraySubscriptExpr":
            base = self.target_of(inner[0])
            return base and base + ("[]",)
        if kind == "UnaryOperator" and node["opcode"] == "*":
            return self.target_of(inner[0])
        return None

    def target_of(self, node):
        """The object a pointer's value points to, or None."""
        kind, inner = node.get("kind"), node.get("inner") or []
        if kind in ("ImplicitCastExpr", "CStyleCastExpr"):
            if node["castKind"] == "LValueToRValue":
                base = self.object_of(inner[0])
                return base and base + ("*",)
            if node["castKind"] == "ArrayToPointerDecay":
                return self.object_of(inner[0])
            return self.target_of(inner[0]) if node["castKind"] in ("BitCast", "NoOp") else None
        if kind == "ParenExpr":
            return self.target_of(inner[0])
        if kind == "UnaryOperator" and node["opcode"] == "&":
            return self.object_of(inner[0])
        if kind == "BinaryOperator" and node["opcode"] in "+-":
            return self.target_of(inner[0]) or self.target_of(inner[1])
        return None

    # ---- effects ----

    def walk(self, node):
        effects = Effects()
        if not node:
            return effects
        self.move(node.get("loc", {}))
        place = node.get("range", {})
        self.move(place.get("begin", {}))
        line = self.line
        self.move(place.get("end", {}))
        kind, inner = node.get("kind"), node.get("inner") or []
        if kind in ("UnaryExprOrTypeTraitExpr", "OffsetOfExpr"):
            self.skip(inner)
            return effects
        parts = [self.walk(child) for child in inner]
        for part in parts:
            effects.add(part)
        at_kind = getattr(self, f"at_{kind}", None)
        if at_kind:
            at_kind(node, inner, parts, effects, line)
        return effects

    def skip(self, nodes):
        for node in nodes:
            groups = len(self.groups)
            self.walk(node)
            del self.groups[groups:]

    def group(self, line, what, parts):
        if any(part.writes or part.calls for part in parts):
            busy = [part for part in parts if part.reads or part.writes or part.calls]
            if len(busy) > 1:
                self.groups.append((line, what, busy))

    def at_VarDecl(self, node, inner, parts, effects, line):
        if node.get("storageClass") != "static":
            self.locals.add(node["id"])
        if node.get("init") and "*" in node["type"]["qualType"]:
            target = self.target_of(inner[-1])
            if target and not any(target[: len(path)] == path for path in self.overwritten):
                self.alias_target[node["id"]] = target

    def at_CallExpr(self, node, inner, parts, effects, line):
        name = called(inner[0])
        self.group(line, name or "a call", parts[1:])
        targets = []
        for argument in inner[1:]:
            pointer = argument["type"]["qualType"]
            seen = "*" in pointer and not UNSEEN.search(pointer) and not OPAQUE.search(pointer)
            target = self.resolved(self.target_of(argument)) if seen else None
            targets.append((target, points_to_const(parameter_type(inner[0], len(targets), pointer))))
        effects.calls.append((self.keys(name), targets))

    def at_BinaryOperator(self, node, inner, parts, effects, line):
        if node["opcode"] == "=":
            self.write(inner[0], effects)
        if node["opcode"] not in SEQUENCED:
            self.group(line, "'" + node["opcode"] + "'", parts)

    def at_CompoundAssignOperator(self, node, inner, parts, effects, line):
        left = Effects()
        left.add(parts[0])
        self.read(inner[0], left)
        self.group(line, "'" + node["opcode"] + "'", [left, parts[1]])
        self.read(inner[0], effects)
        self.write(inner[0], effects)

    def at_ArraySubscriptExpr(self, node, inner, parts, effects, line):
        self.group(line, "a subscript", parts)

    def at_InitListExpr(self, node, inner, parts, effects, line):
        self.group(line, "an initialiser", parts)

    def at_UnaryOperator(self, node, inner, parts, effects, line):
        if node["opcode"] in ("++", "--"):
            self.read(inner[0], effects)
            self.write(inner[0], effects)

    def at_ImplicitCastExpr(self, node, inner, parts, effects, line):
        if node["castKind"] == "LValueToRValue":
            self.read(inner[0], effects)

    def resolved(self, target):
        """A local pointer with an initialiser stands for what it was set to."""
        for _ in range(4):
            if not target or len(target) < 2 or target[1] != "*" or "@" not in target[0]:
                break
            known = self.alias_target.get(target[0].split("@")[1])
            if not known:
                break
            target = known + target[2:]
        return target if target and len(target) <= DEPTH and target[0] not in HARMLESS else None

    def read(self, node, effects):
        target = self.resolved(self.object_of(node))
        if target and not UNSEEN.search(node["type"]["qualType"]):
            effects.reads.add(target)

    def write(self, node, effects):
        target = self.resolved(self.object_of(node))
        if target and not UNSEEN.search(node["type"]["qualType"]):
            effects.writes.add(target)

    def function(self, node):
        body = [child for child in node.get("inner") or [] if child.get("kind") == "CompoundStmt"]
        self.alias_target, self.locals, self.overwritten = {}, set(), set()
        parameters = [child for child in node.get("inner") or [] if child.get("kind") == "ParmVarDecl"]
        self.parameters = {child["id"]: f"parameter {k}" for k, child in enumerate(parameters)}
        if body:  # twice: a pointer stands for what it was set to only where that is not overwritten
            line, groups = self.line, len(self.groups)
            self.overwritten = self.walk(node).writes
            self.line, self.alias_target = line, {}
            del self.groups[groups:]
            self.functions[self.keys(node["name"])[0]] = self.walk(node)

    def keys(self, name):
        """By what a function may be known.  Test programs have functions of the same name."""
        if name in self.statics:
            return [(self.path, name)]
        if self.path.startswith(SHIPPED):
            return [name]
        return [(os.path.dirname(self.path), name), name]


def called(node):
    while node and node.get("kind") != "DeclRefExpr":
        node = (node.get("inner") or [None])[0] if node.get("kind") in ("ImplicitCastExpr", "ParenExpr") else None
    return node["referencedDecl"].get("name", "") if node and node["referencedDecl"]["kind"] == "FunctionDecl" else ""


def parameter_type(callee, k, otherwise):
    """The k-th parameter's type from the callee's: 'int (const char *, ...)'."""
    text = callee["type"]["qualType"]
    match = re.search(r"\((?!\*)(.*)\)$", text)
    if not match:
        return otherwise
    depth, parts = 0, [""]
    for char in match[1]:
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts[k].strip() if k < len(parts) and parts[k].strip() != "..." else otherwise


def points_to_const(text):
    """const char *, char *const *"""
    pointee = re.sub(r"\s*\*[^*]*$", "", text)
    return pointee.endswith("const") or ("*" not in pointee and pointee.startswith("const"))


def functions_of(text, known):
    """The functions with a body in clang's dump, as (file, line before it, node).  Only these are parsed: nearly all of the dump is
    headers.  `known` are functions of headers that another file had too."""
    path, line = "", 0
    for chunk in text[text.index('"inner": [\n') + 11 :].split("\n    },\n    {\n"):
        if '"kind": "FunctionDecl"' in chunk[:200] and '"kind": "CompoundStmt"' in chunk:
            begin = re.search(r'"file": "([^"]*)",\n +"line"', chunk[:600])
            place = begin[1] if begin else path
            function = (place, re.search(r'\n {6}"name": "(\w+)"', chunk)[1])
            if function not in known:
                if place.endswith(".h"):
                    known.add(function)
                end = chunk.rfind("\n    }\n  ]")
                yield place, line, json.loads("{" + (chunk if end < 0 else chunk[:end]).lstrip(" {") + "}")
        last = chunk.rfind('"line": ')
        if last >= 0:
            line = int(re.match(r"\d+", chunk[last + 8 : last + 20])[0])
        if '"file": "' in chunk:  # not that which includes this one: no line follows there
            path = (re.findall(r'"file": "([^"]*)",\n +"line"', chunk) or [path])[-1]


def survey(job):
    sys.setrecursionlimit(20000)
    path, flags = job
    command = ["clang-19", *flags, "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-x", "c", path]
    text = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    file = File(path)
    with open(path, encoding="utf-8") as source:
        file.statics = set(re.findall(r"^static [^;={(]*?(\w+)(?:\(|\[| =|;)", source.read(), re.M))
    own = []
    for where, line, node in functions_of(text, KNOWN if path.startswith(SHIPPED) else set()):
        if where.startswith(("/usr/", "/lib")):
            continue
        file.line = line
        before = len(file.groups)
        file.function(node)
        own += [(where or path, *group) for group in file.groups[before:]]
    return path, file.functions, own


def sum_up(functions):
    """For each function, what it reads and writes that its caller can see, with what it calls."""
    known = {name: (set(), set()) for name in functions}
    changed = True
    while changed:
        changed = False
        for name, effects in functions.items():
            reads, writes = expand(effects, known)
            seen = tuple({path for path in paths if "@" not in path[0] and not (path[0].startswith("parameter") and len(path) == 1)}
                         for paths in (reads, writes))
            if seen != known[name]:
                known[name] = seen
                changed = True
    return known


def expand(effects, known):
    reads, writes = set(effects.reads), set(effects.writes)
    for keys, targets in effects.calls:
        key = next((key for key in keys if key in known), None)
        if key:
            for found, into in zip(known[key], (reads, writes)):
                for path in found:
                    if not path[0].startswith("parameter"):
                        into.add(path)
                        continue
                    k = int(path[0].split()[1])
                    if path[1] == "*" and k < len(targets) and targets[k][0]:
                        if len(targets[k][0]) + len(path) - 2 <= DEPTH:
                            into.add(targets[k][0] + path[2:])
        elif isinstance(keys[-1], str) and MAKES.match(keys[-1]):
            writes.add(("LLVM",))
        elif keys[-1]:
            for target, constant in targets:
                if target:
                    (reads if constant else writes).add(target)
    return reads, writes


def overlap(writes, uses):
    """An object that is written and used.  Using a pointer is not using what it points to."""
    for written in writes:
        for used in uses:
            n = min(len(written), len(used))
            if written[:n] == used[:n] and "*" not in written[n:]:
                return written
    return None


def shown(path):
    text = path[0].split("@")[0]
    for part in path[1:]:
        text = "*" + text if part == "*" else text + part if part == "[]" else text + "." + part
    return text


def check(jobs):
    with multiprocessing.Pool() as pool:
        surveys = pool.map(survey, jobs, chunksize=4)
    functions = {}
    for _, found, _ in surveys:
        functions.update(found)
    known = sum_up(functions)
    out = set()
    for _, _, groups in surveys:
        for path, line, what, parts in groups:
            sides = [expand(part, known) for part in parts]
            for i, (_, writes) in enumerate(sides):
                for j, (reads, also) in enumerate(sides):
                    both = i != j and overlap(writes, reads | also)
                    if both:
                        out.add((path, line, f"{what}: one operand writes '{shown(both)}', another uses it: their order is open"))
    return sorted(out)


def jobs_of(build):
    with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
        for entry in json.load(file):
            words = shlex.split(entry["command"])
            flags = [word for before, word in zip(words, words[1:]) if re.match("-[ID]|-std=|-isystem", word) or before == "-isystem"]
            yield os.path.relpath(entry["file"]), tuple(flags)


if __name__ == "__main__":
    os.chdir(os.environ["CY_SOURCE"])
    everything = dict(jobs_of(os.environ["CY_BUILD"]))
    tests = sys.argv[1:] == ["--tests"]
    chosen = sorted(path for path in everything if path not in LEFT_OUT and (tests or not path.startswith("tests/")))
    chosen = chosen if tests else sys.argv[1:] or chosen
    found = check([(path, everything.get(path, ("-std=c17",))) for path in chosen])
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    print(f"{len(chosen)} files, {len(found)} findings")
    sys.exit(bool(found))
