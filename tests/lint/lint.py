"""Checks of the source tree beyond those of a compiler.

    lint.py [--root DIR] [--table FILE] [--whole]

  includes   every #include of src/, tools/ and include/ goes in a direction that includes.txt allows
  paths      no file names a path of the machine it was written on
  length     a file of src/ longer than 1,000 lines says why ("over 1,000 lines because ...") in its first comment
  calls      libraries do not exit, print to standard output or start a shell
  memory     the modules of MANAGED allocate and free through base/mem.h; what the C library allocated is freed by a line
             that says so ("libc's")
  abi        an address of the memory map stands in src/abi/abi.def and nowhere else
  spelling   what an instruction does is not found out by its mnemonic or the text of its expression: isa/effects.h knows
Prints file:line: message for each finding; the status is 1 if there was one.
"""
import argparse
import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# The headers of C17 and POSIX.1-2017 that may be included anywhere, and Linux's where the interface has no other home.
LIBC = set(
    """assert complex ctype dirent dlfcn elf errno fcntl fenv float inttypes iso646 limits locale math poll pthread sched
    semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string
    strings sys/file sys/mman sys/prctl sys/resource sys/signalfd sys/socket sys/stat sys/syscall sys/time sys/types sys/wait
    termios threads time unistd wchar ucontext""".split()
)
MACHINE_PATH = re.compile(rb"(?<![\w.~$}*-])/(work|root|home|Users|tmp|mnt)/[\w.-]+")
MAX_LINES = 1000
REASON = re.compile(r"over 1,000 lines because \w+")
# A call by this name: not a member, not a part of a longer name, not a declaration of our own.
FORBIDDEN_CALL = re.compile(r"(?<![\w.>])(exit|_exit|_Exit|quick_exit|system|popen|printf|vprintf|puts|putchar)\s*\(")
# A block of base/mem.h that free() takes away would be freed again by the scope it belongs to.
MANAGED = ("src/base/", "src/isa/", "src/obj/", "src/as/", "src/ld/", "src/dis/", "src/gpu/", "src/cl/")
ALLOCATOR = "src/base/alloc.c"
MEMORY_CALL = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|aligned_alloc|posix_memalign|free|abort)\s*\(")
# The sign bit is 0x80000000 too, so the window of programs cannot be looked for.
MAP_ADDRESS = re.compile(r"\b0x[79]0000000(?![0-9a-f])", re.IGNORECASE)
SPELLING = re.compile(
    r"\bstr(?:str|ncmp|chr|rchr|cspn|spn|pbrk)\s*\([^;]*(?:->|\.)(?:mnemonic|semantics)\b|(?:->|\.)(?:mnemonic|semantics)\s*\["
)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def blank(match):
    """The same number of lines with nothing in them, so that line numbers stay right."""
    return "\n" * match.group().count("\n") if match.group().startswith("/") else '""'


class Table:
    def __init__(self, path):
        self.direct, self.foreign, self.used = {}, {}, set()
        for line in open(path, encoding="utf-8"):
            line = line.split("#")[0].strip()
            if line:
                name, rest = line.split(":")
                words = [word for word in rest.split() if word != "-"]
                self.direct[name] = [word for word in words if not word.startswith("<")]
                self.foreign[name] = [word[1:-1] for word in words if word.startswith("<")]
        for name, allowed in self.direct.items():
            for word in allowed:
                if self.owner(word + "/") not in (word, os.path.dirname(word)):
                    sys.exit(f"{path}: '{name}' may include '{word}', which has no row")

    def owner(self, path):
        """The row a file belongs to: the longest one that is a folder above it."""
        rows = [name for name in self.direct if path.startswith(name + "/")]
        return max(rows, key=len, default=None)

    def allows(self, owner, target):
        """May a file of the folder `owner` include the file `target`?  Arrows are not passed on."""
        home = self.owner(target)
        for word in (home, target):
            if word in self.direct[owner]:
                self.used.add((owner, word))
        return home == owner or home in self.direct[owner] or target in self.direct[owner]

    def unused(self):
        return [(name, word) for name in self.direct for word in self.direct[name] if (name, word) not in self.used]


def tracked_files(root):
    """What git tracks; everything, when root is not a repository of its own (a tarball, a sample tree)."""
    if os.path.exists(os.path.join(root, ".git")):
        command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"]
        names = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
        return sorted(name for name in names if name and os.path.isfile(os.path.join(root, name)))
    return list(walk(root, "."))


def walk(root, top):
    for directory, subdirectories, names in os.walk(os.path.join(root, top)):
        subdirectories[:] = sorted(d for d in subdirectories if not d.startswith("build") and d != ".git")
        for name in sorted(names):
            yield os.path.relpath(os.path.join(directory, name), root)


# Headers that the build makes, and the file they are made from.
GENERATED = {"isa/shapes.h": "src/isa/formats.def", "view/page_parts.h": "src/view/page/body.html"}


def resolve(root, path, name):
    """The file that #include "name" of path means, relative to root; None when it is nowhere."""
    if name in GENERATED:
        return GENERATED[name]
    for base in (os.path.dirname(path), "src", "include", "tools"):
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def check_include(root, table, path, name, is_system):
    owner = table.owner(path)
    if owner is None:
        return "no row of the include table covers this file"
    if is_system:
        stem = name[:-2] if name.endswith(".h") else name
        if stem in LIBC or any(fnmatch.fnmatch(name, pattern) for pattern in table.foreign[owner]):
            return None
        if not os.path.isfile(os.path.join(root, "include", name)):
            return f"<{name}> is neither of the C library nor listed for '{owner}'"
        target = "include/" + name
    else:
        target = resolve(root, path, name)
        if target is None:
            return f'"{name}" is nowhere'
    if not table.allows(owner, target):
        return f"'{owner}' may not include '{target}'"
    if target.endswith("_priv.h") and table.owner(target) != owner:
        return f"'{target}' is private to '{table.owner(target)}'"
    return None


def check_source(root, table, path, report):
    text = open(os.path.join(root, path), encoding="utf-8").read()
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*(<([^>]+)>|"([^"]+)")', line)
        if match:
            problem = check_include(root, table, path, match.group(2) or match.group(3), match.group(2) is not None)
            if problem:
                report(path, number, problem)
    if not path.startswith("src/"):
        return
    count = text.count("\n")
    first_comment = re.search(r"/\*(.*?)\*/", text, re.DOTALL)
    reason = REASON.search(re.sub(r"\s*\n\s*\*?\s*", " ", first_comment.group(1))) if first_comment else None
    if count > MAX_LINES and not reason:
        report(path, count, f"{count} lines: over {MAX_LINES:,} needs a reason ('over 1,000 lines because ...') in the first comment")
    lines = text.split("\n")
    for number, line in enumerate(COMMENT_OR_STRING.sub(blank, text).split("\n"), 1):
        match = FORBIDDEN_CALL.search(line)
        if match:
            report(path, number, f"a library does not call {match.group(1)}()")
        match = MAP_ADDRESS.search(line)
        if match and not path.startswith("src/abi/"):
            report(path, number, f"{match.group()} is an address of src/abi/abi.def: use its name")
        if SPELLING.search(line) and not path.startswith("src/isa/"):
            report(path, number, "the spelling of an instruction: isa/effects.h and isa/expr.h say what it does")
        match = MEMORY_CALL.search(line)
        if match and path.startswith(MANAGED) and path != ALLOCATOR and "libc's" not in lines[number - 1]:
            report(path, number, f"{match.group(1)}() instead of a function of base/mem.h")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--table", default=os.path.join(HERE, "includes.txt"))
    parser.add_argument("--whole", action="store_true", help="the tree is whole: an arrow that no file needs is a finding")
    arguments = parser.parse_args()
    table, findings, checked = Table(arguments.table), [], 0

    def report(path, number, message):
        findings.append(f"{path}:{number}: {message}")

    for top in ("include", "src", "tools"):
        for path in walk(arguments.root, top):
            if path.endswith((".c", ".h", ".def", ".inc")):
                check_source(arguments.root, table, path, report)
                checked += 1
    if arguments.whole:
        for name, word in table.unused():
            findings.append(f"{os.path.relpath(arguments.table, arguments.root)}: no file of '{name}' includes '{word}'")
    for path in tracked_files(arguments.root):
        for number, line in enumerate(open(os.path.join(arguments.root, path), "rb").read().split(b"\n"), 1):
            match = MACHINE_PATH.search(line)
            if match:
                report(path, number, f"names a path of a build machine: {match.group().decode()}")
    print("\n".join(findings + [f"{checked} sources checked, {len(findings)} findings"]))
    sys.exit(1 if findings or checked == 0 else 0)


main()
