#!/usr/bin/env python3
"""Every built-in function of OpenCL C 1.2 and 3.0 is in the library, under the name that clang gives a call of it.

clang's own header opencl-c.h lists the functions with all types, widths and address spaces.  Each declaration becomes a
function that calls it; these are compiled as kernels are (without that header: clang's built-in table chooses the
overload); a module of the library has every function they need, and those that it needs in turn, but for the compiler's intrinsics.

What clang does not declare for us must belong to a feature we do not have (UNAVAILABLE), and every name of the
specification (names.txt) must be among those that were called."""
import os
import re
import subprocess
import sys

SOURCE, BUILD, TMP = (os.environ[k] for k in ("CY_SOURCE", "CY_BUILD", "CY_TMP"))
CLANG = "clang-19"
LIBRARY = os.path.join(BUILD, "lib/ventus/builtins")

# Not called here: images (tests/cl/images.c), and the clock, which we do not have.
UNAVAILABLE = re.compile(
    r"(get_image_\w+|read_image\w+|write_image\w+|clock_read_\w+)$")
# LLVM 19 mistakes its own minima and maxima of floats (src/cc/llvm/opaque.c): the library has none.
INTRINSICS = re.compile(
    r"(__cy_(csr_[a-z]+|lane|pipe_[rw]o|reserve_(id|slot)|barrier|warp_barrier|exchange|unite|late_\w+|fence|scratch|fexp|[fd]min|[fd]max|cas(64)?_[glp]|(load|store)(64)?_[glp]|note_\w+|amo(64)?_(add|swap|and|or|xor|min|max|minu|maxu)_[glp])|"
    r"_Z10__cy_image\w+|__cy_sampler|llvm\.(?!minnum|maxnum|minimum|maximum).*)$")
ATOMICS = ",".join("+__opencl_c_atomic_" + f for f in
                   ("order_acq_rel", "order_seq_cst", "scope_device", "scope_all_devices"))


def extensions():
    """The -cl-ext option of the compiler proper."""
    text = open(os.path.join(SOURCE, "src/cc/driver/extensions.def")).read()
    rows = re.findall(r"^(?:EXTENSION|FEATURE|MACRO)\((\w+),.* (?:OPTION|BOTH), \w+\)$", text, re.M)
    return "-cl-ext=-all" + "".join(",+" + name for name in rows)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def checked(*command):
    done = run(*command)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(command), done.stderr))
    return done.stdout


def declarations(std):
    """(return type, name, parameter types) of each function in opencl-c.h."""
    include = os.path.join(checked(CLANG, "-print-resource-dir").strip(), "include")
    text = checked(CLANG, "-x", "cl", "-cl-std=" + std, "-target", "spir", "-cl-no-stdinc", "-E", "-P", "-Xclang",
                   extensions(), "-include", os.path.join(include, "opencl-c.h"), "-I", include, "/dev/null")
    while True: # attributes may nest parentheses
        shorter = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
        if shorter == text:
            break
        text = shorter
    for result, name, parameters in re.findall(r"([\w\s]+?)\b(\w+)\(([^()]*)\)\s*;", text):
        types = [re.sub(r"\b(\w+)\s*$", strip_name, p.strip()) for p in parameters.split(",")]
        if name in ("printf",) or "typedef" in result or "image" in parameters or "sampler" in parameters:
            continue
        yield " ".join(result.split()), name, [t for t in types if t not in ("void", "")]


KEYWORDS = set("char uchar short ushort int uint long ulong float double half size_t void event_t const".split())


def strip_name(match):
    """A parameter's name goes, a type's last word stays."""
    word = match.group(1)
    is_type = re.sub(r"\d+$", "", word) in KEYWORDS or word.startswith(("atomic_", "memory_", "cl_mem"))
    return word if is_type else ""


def caller(number, declaration):
    result, name, types = declaration
    parameters = ", ".join("%s a%d" % (t, i) for i, t in enumerate(types))
    arguments = ", ".join("a%d" % i for i in range(len(types)))
    back = "" if result == "void" else "return "
    return "%s t%d(%s) { %s%s(%s); }" % (result, number, parameters or "void", back, name, arguments)


def base(name):
    """The function's name without its mangled parameters."""
    return re.sub(r"^_Z(\d+)(.*)", lambda m: m.group(2)[:int(m.group(1))], name)


def compile_calls(std, extra, calls, stem):
    """Bitcode of those calls that clang accepts, and the names of the others."""
    source, bitcode = stem + ".cl", stem + ".bc"
    lines, refused = [caller(i, c) for i, c in enumerate(calls)], set()
    lines += ["__global void *to1(void *p) { return to_global(p); }", "__local void *to2(void *p) { return to_local(p); }",
              "__private void *to3(void *p) { return to_private(p); }"] if std == "CL3.0" else []
    for _ in range(4):
        with open(source, "w") as out:
            out.write("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#line 1\n" + "\n".join(lines) + "\n")
        done = run(CLANG, "-x", "cl", "-cl-std=" + std, "-target", "spir", "-O2", "-Xclang", "-disable-llvm-passes",
                   "-Xclang", extensions() + extra, "-ferror-limit=0", "-w", "-c", "-emit-llvm", "-o", bitcode, source)
        if done.returncode == 0:
            return bitcode, refused
        for line in {int(n) for n in re.findall(r"\.cl:(\d+):\d+: error", done.stderr)}:
            refused.add(calls[line - 1][1])
            lines[line - 1] = ""
    sys.exit("clang does not accept the calls:\n" + done.stderr[:4000])


def names_in(which, file):
    return set(checked("llvm-nm-19", which, "--extern-only", "--just-symbol-name", file).split())


def read_modules():
    """What the modules define and what they call, and findings: two have the same function, or the index does not say which."""
    failures, have, need = [], set(), set()
    index = set(open(os.path.join(LIBRARY, "index")).read().splitlines())
    for file in sorted(os.listdir(LIBRARY)):
        if file.endswith(".bc"):
            symbols = names_in("--defined-only", os.path.join(LIBRARY, file))
            failures += ["%s: two modules have it" % n for n in symbols & have]
            failures += ["index: %s of %s" % (n, file) for n in symbols if "%s %s" % (base(n), file[:-3]) not in index]
            have |= symbols
            need |= names_in("--undefined-only", os.path.join(LIBRARY, file))
    return have, need, failures


def main():
    have, need, failures = read_modules()
    wanted = {}
    for line in open(os.path.join(SOURCE, "tests/builtins/names.txt")):
        std, _, names = line.partition(":")
        if names:
            wanted.setdefault(std.strip(), set()).update(names.split())
    old = list(declarations("CL1.2"))
    new = list(dict.fromkeys([(r, n, tuple(t)) for r, n, t in old + list(declarations("CL3.0"))]))
    for label, std, extra, calls in (("OpenCL C 1.2", "CL1.2", "", old), ("OpenCL C 3.0", "CL3.0", "", new),
                                     ("OpenCL C 3.0 with all orders of atomics", "CL3.0", "," + ATOMICS,
                                      [c for c in new if c[1].startswith("atomic")])):
        stem = os.path.join(TMP, label.replace(" ", "_"))
        bitcode, refused = compile_calls(std, extra, calls, stem)
        names = names_in("--undefined-only", bitcode)
        called = {base(n) for n in names}
        missing = [n for n in (names | need) - have if not INTRINSICS.match(n) and not UNAVAILABLE.match(base(n))
                   and "_AtomicDh" not in n] # there are no atomic halves
        never = [n for n in refused if n not in called and not UNAVAILABLE.match(n)
                 and not (extra == "" and n.startswith("atomic_"))]
        print("%s: %d declarations, %d functions called, %d of them undefined" % (label, len(calls), len(names), len(missing)))
        failures += ["%s: undefined: %s" % (label, n) for n in missing]
        failures += ["%s: clang has no %s" % (label, n) for n in never]
        for part in (["1.2"] if std == "CL1.2" else ["1.2", "3.0"]) if not extra else ["atomics"]:
            failures += ["%s: %s is never called" % (label, n) for n in sorted(wanted[part] - called)]
    for line in failures[:60]:
        print(line)
    sys.exit("%d failures" % len(failures) if failures else 0)


if __name__ == "__main__":
    main()
