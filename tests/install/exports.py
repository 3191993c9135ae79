"""The shared libraries export only their public names, have a SONAME, and do not load LLVM."""
import glob
import os
import re
import subprocess
import sys

LIB = os.path.join(os.environ["CY_BUILD"], "lib")
failures = 0


def check(what, got, expected):
    global failures
    if got != expected:
        failures += 1
        print(f"failed: {what}\n  too many: {sorted(got - expected)}\n  missing:  {sorted(expected - got)}")


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def exports(library):
    rows = [line.split() for line in run("nm", "-D", "--defined-only", os.path.join(LIB, library)).splitlines()]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}  # A: the name of a version


def dynamic(library, tag):
    return set(re.findall(rf"\({tag}\).*\[(.*)\]", run("readelf", "-dW", os.path.join(LIB, library))))


def declared():
    texts = [open(path, encoding="utf-8").read() for path in glob.glob("include/chengying/*.h")]
    return {name for text in texts for name in re.findall(r"\bCY_API\s[^();]*?\b(cy_\w+)\(", text)}


def functions_of_headers():
    """Every function that the headers declare, as the compiler sees them."""
    lines = "".join(f'#include "{path}"\n' for path in sorted(glob.glob("include/chengying/*.h")))
    text = subprocess.run(["gcc", "-E", "-P", "-Iinclude", "-"], input=lines, stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    text = re.sub(r"\{[^{}]*\}|\btypedef\b[^;]*;", "", text)  # members of structures, types of functions
    return set(re.findall(r"\b(cy_\w+)\(", text))


def entries():
    return set(re.findall(r"^ENTRY\((\w+)\)", open("src/cl/entries.def", encoding="utf-8").read(), re.M))


check("functions without CY_API", functions_of_headers(), declared())
check("libchengying.so", exports("libchengying.so"), declared())
check("libchengying_cl.so", exports("libchengying_cl.so"),
      entries() | {"clIcdGetPlatformIDsKHR", "clGetExtensionFunctionAddress", "clGetKernelSuggestedLocalWorkSizeKHR"})
check("libchengying_llvm.so", exports("chengying/libchengying_llvm.so"), {"cc_worker", "cc_worker_version"})
check("clang-zygote.so", exports("chengying/clang-zygote.so"), set())
for name in ("libchengying", "libchengying_cl"):
    check(f"SONAME of {name}", dynamic(f"{name}.so", "SONAME"), {f"{name}.so.1"})
    check(f"{name} loads LLVM", {lib for lib in dynamic(f"{name}.so", "NEEDED") if "LLVM" in lib}, set())
print(f"{len(declared())} functions of include/chengying")
sys.exit(failures != 0 or len(declared()) < 70)
