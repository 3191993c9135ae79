"""No call of the compiler has two arguments that both make an instruction: C leaves open which is made first, gcc for x86-64
does it from the right and others from the left, and the same kernel would become different code on different hosts."""
import glob
import json
import os
import re
import subprocess
import sys

MAKES = re.compile(r"emit(_.*)?|int_[a-z_]+|isel_(s|v|temp|const|put|own)|make_[a-z]+|popcount|(lead|trail)ing_zeros|compare_float|less"
                   r"|mir_make|ir_new.*|LLVMBuild.*|LLVMAppend.*|LLVMAdd.*")
PURE = {"int_words", "isel_own"}  # isel_own: the register of a value, known since the beginning
FILES = ["src/cc/import*.c", "src/cc/isel*.c", "src/cc/opt*.c", "src/cc/helpers.c", "src/cc/inline.c", "src/cc/start.c"]
PLANTED = "int emit(int, int); int f(void); int f(void) { return emit(emit(1, 2), emit(3, 4)) + emit(emit(5, 6), 7); }"


def called(node):
    while node and node.get("kind") != "DeclRefExpr":
        node = (node.get("inner") or [None])[0]
    return node["referencedDecl"].get("name", "") if node else ""


def makes(node):
    """Does anything below this node make an instruction?  What only its size is asked of is not evaluated."""
    if node.get("kind") == "UnaryExprOrTypeTraitExpr":
        return False
    inner = node.get("inner") or []
    if node.get("kind") == "CallExpr" and MAKES.fullmatch(called(inner[0])) and called(inner[0]) not in PURE:
        return True
    return any(makes(child) for child in inner)


def findings(node, line, out):
    """Clang names a line only where it changes: the one that was named last is handed on."""
    begin = node.get("range", {}).get("begin", {})
    line = begin.get("expansionLoc", begin).get("line", line)
    here = line
    inner = node.get("inner") or []
    if node.get("kind") == "CallExpr" and sum(makes(argument) for argument in inner[1:]) > 1:
        out.append((here, called(inner[0])))
    for child in inner:
        line = findings(child, line, out)
    return line


def check(name, text=None):
    command = ["clang-19", "-std=c17", "-Isrc", "-Iinclude", "-isystem", "/usr/lib/llvm-19/include", "-fsyntax-only", "-Xclang",
               "-ast-dump=json", "-x", "c", "-" if text else name]
    tree = json.loads(subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout)
    out, line = [], 0
    for declaration in tree["inner"]:
        place = declaration.get("loc", {})
        line = place.get("expansionLoc", place).get("line", line)
        if declaration["kind"] == "FunctionDecl":
            line = findings(declaration, line, out)
    return out


os.chdir(os.environ["CY_SOURCE"])
if len(check("planted", PLANTED)) != 1:
    sys.exit("does not find what was planted")
count = 0
for path in sorted(path for pattern in FILES for path in glob.glob(pattern)):
    for line, function in check(path):
        print(f"{path}:{line}: {function}: two arguments make instructions; give the first a name")
        count += 1
sys.exit(count > 0)
