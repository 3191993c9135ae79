"""Sources as strangers write them: several kernels of one name, included files, #line, macros over lines, CRLF, no end of line, UTF-8,
Latin-1, lines of 5,000 characters and control characters; each line has its own file's text."""
import json
import os
import subprocess
import sys

import jsonschema

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP, SOURCE, BUILD = (os.environ[name] for name in ("CY", "CY_TMP", "CY_SOURCE", "CY_BUILD"))
PROGRAM = os.path.join(BUILD, "tests", "profile_sources")
LONG = "kernel void k(global int *p) { int x = p[get_global_id(0)]; " + "x = x * 3 + p[1]; " * 300 + "p[get_global_id(0)] = x; }\n"
TEXTS = {
    "plain": b"kernel void k(global int *p) { p[get_global_id(0)] = 1; }",
    "crlf": b"// first\r\nkernel void k(global int *p)\r\n{\r\n    p[get_global_id(0)] += 2;\r\n}\r\n",
    "included": b'#include "help.h"\n\nkernel void k(global int *p)\n{\n    p[get_global_id(0)] = helper(p[1]);\n}\n',
    "macro": b"#define BODY(x) \\\n    do { \\\n        p[get_global_id(0)] += x; \\\n    } while (0)\nkernel void k(global int *p)\n{\n    BODY(p[3]);\n}\n",
    "lined": b'#line 2 "/no/such/directory/a b.tpl"\nkernel void k(global int *p)\n{\n    p[get_global_id(0)] *= 7;\n}\n',
    "names": "// 乘影\nkernel void k(global int *p)\n{\n    int größe = p[0]; /* </script> \x1b[31m \x01 */\n    p[get_global_id(0)] = größe;\n}\n".encode(),
    "latin": b"kernel void k(global int *p) { p[get_global_id(0)] = 3; /* caf\xe9 */ }\n",
    "long": LONG.encode(),
}
HEADER = "inline int helper(int x)\n{\n    return x * 31 +\n        1;\n}\n"


def path(name):
    return os.path.join(TMP, name)


def profile(*words):
    done = subprocess.run([CY, "profile", *words], cwd=TMP, capture_output=True, check=False)
    check(done.returncode == 0 and not done.stderr, f"{words}: {done.stderr}")
    return done.stdout


def read(name):
    with open(path(name), encoding="utf-8") as text:
        document = json.load(text)
    with open(os.path.join(SOURCE, "docs", "profile.schema.json"), encoding="utf-8") as text:
        jsonschema.Draft202012Validator(json.load(text)).validate(document)
    return document["kernels"]


def lines(kernel):
    return {(line["file"], line["line"]): line["text"] for line in kernel["source_lines"] if "line" in line}


def texts():
    words = [word for name in TEXTS for word in (path(name + ".cl"), f"-I {TMP}")]
    profile("--json", path("all.json"), "--callgrind", path("all.callgrind"), "--", PROGRAM, *words)
    kernels = dict(zip(TEXTS, read("all.json")))
    check(len(kernels) == len(TEXTS) and all(kernel["launches"] == 3 for kernel in kernels.values()), "a kernel for each program")
    found = {name: lines(kernel) for name, kernel in kernels.items()}
    check(found["plain"] == {("<source>", 1): TEXTS["plain"].decode()}, f"{found['plain']}")
    check(found["crlf"][("<source>", 4)] == "p[get_global_id(0)] += 2;", f"{found['crlf']}")
    header = {line: text for (file, line), text in found["included"].items() if os.path.basename(file) == "help.h"}
    check(header == {3: "return x * 31 +"}, f"the text of an included file: {found['included']}")
    check(found["macro"][("<source>", 7)] == "BODY(p[3]);", f"{found['macro']}")
    check(set(found["lined"].values()) == {""} and ("/no/such/directory/a b.tpl", 4) in found["lined"], f"no text for lines of no file: {found['lined']}")
    check("größe = p[0]" in found["names"][("<source>", 4)], f"{found['names']}")
    check("caf\ufffd" in found["latin"][("<source>", 1)], f"{found['latin']}")
    check(found["long"][("<source>", 1)] == LONG.strip(), "a long line is whole")
    done = subprocess.run(["callgrind_annotate", "--threshold=100", path("all.callgrind")], cwd=TMP, capture_output=True, check=False)
    for text in (b"return x * 31 +", b"BODY(p[3]);", "int größe".encode()):
        check(text in done.stdout, f"callgrind_annotate shows {text}: {done.stderr}")


def table():
    out = profile("--", PROGRAM, path("long.cl"), "", path("names.cl"), "")
    check(not any(byte < 32 and byte != 10 for byte in out), "no control characters")
    check(max(map(len, out.decode().splitlines())) < 300, "long lines are cut")
    check("int größe = p[0]; /* </script>  [31m" in out.decode(), "a line of UTF-8")


def binaries():
    """They have their source with them.  What -g says of where they were compiled is no directory of a source in no file."""
    for first in ([], ["binary"]):
        profile("--json", path("g.json"), "--", PROGRAM, *first, path("crlf.cl"), "-g")
        kernel, = read("g.json")
        check({file for file, _ in lines(kernel)} == {"<source>"}, f"{first}: {lines(kernel)}")
        check(lines(kernel)[("<source>", 4)] == "p[get_global_id(0)] += 2;", f"{first}: {lines(kernel)}")


for key, value in TEXTS.items():
    with open(path(key + ".cl"), "wb") as output:
        output.write(value)
with open(path("help.h"), "w", encoding="ascii") as output:
    output.write(HEADER)
texts()
table()
binaries()
finish()
