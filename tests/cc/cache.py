#!/usr/bin/env python3
"""The cache of compiled kernels: hits, and that nothing stale or damaged is ever used.

clang is a script here that counts how often it runs."""
import glob
import os
import shutil
import subprocess
import sys
import time

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
CLANG, RUNS = f"{TMP}/clang-19", f"{TMP}/runs"
CACHE = f"{TMP}/cache"
failures = 0

KERNEL = """kernel void f(global int *a) { a[get_global_id(0)] = VALUE; }
"""


def check(what, got, expected):
    global failures
    if got != expected:
        print(f"{what}: {got!r}, expected {expected!r}")
        failures += 1


def write(path, text, old=True):
    """A file that was there before the compile began, unless it says otherwise."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    if old:
        time.sleep(1.1)


def runs():
    return os.path.getsize(RUNS) if os.path.exists(RUNS) else 0


def cc(*words, cwd=TMP, **env):
    """(how often clang ran, exit status, messages, the executable)"""
    environment = {key: text for key, text in os.environ.items() if not key.startswith("CHENGYING_")}
    environment |= {"CHENGYING_CLANG": CLANG, "CHENGYING_CACHE_DIR": CACHE} | env
    output, before = f"{TMP}/out.riscv", runs()
    if os.path.exists(output):
        os.remove(output)
    done = subprocess.run([CY, "cc", "-o", output, *words], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=100)
    elf = open(output, "rb").read() if os.path.exists(output) else b""
    return runs() - before, done.returncode, done.stdout + done.stderr, elf


def entries():
    return sorted(glob.glob(f"{CACHE}/??/*"))


def test_found_again():
    write(f"{TMP}/a.cl", KERNEL.replace("VALUE", "1; int unused"), old=False)
    first = cc("--stats", "-Wall", "a.cl")
    check("a first time", first[:2], (1, 0))
    check("its warning", "unused variable" in first[2], True)
    check("a second time", cc("--stats", "-Wall", "a.cl"), (0, *first[1:]))
    check("in another directory", cc("--stats", "-Wall", "a.cl", cwd=TMP)[0], 0)
    check("without the cache", cc("--stats", "-Wall", "--no-cache", "a.cl"), first)
    check("switched off", cc("--stats", "-Wall", "a.cl", CHENGYING_CACHE="0"), first)
    for words in (["a.cl"], ["-Wall", "-O0", "a.cl"], ["-Wall", "-DX", "a.cl"], ["-Wall", f"{TMP}/a.cl"],
                  ["-cl-fast-relaxed-math", "a.cl"]):
        check(f"{words}, first", cc(*words)[0], 1)
        check(f"{words}, second", cc(*words)[0], 0)
    listing = cc("-S", "a.cl")
    check("assembly", listing[:2], (1, 0))
    check("assembly again", cc("-S", "a.cl"), (0, *listing[1:]))
    shutil.rmtree(f"{TMP}/home", ignore_errors=True)
    for env, place in (({"HOME": f"{TMP}/home"}, "home/.cache/chengying"),
                       ({"HOME": "/nowhere", "XDG_CACHE_HOME": f"{TMP}/home"}, "home/chengying")):
        check(place, cc("a.cl", CHENGYING_CACHE_DIR="", **env)[0], 1)
        check(place, cc("a.cl", CHENGYING_CACHE_DIR="", **env)[0], 0)
        check(place, len(glob.glob(f"{TMP}/{place}/??/*")), 1)


def test_every_kind_of_result():
    """Names of any length, kernels without arguments, functions, listings: the same from the cache."""
    long = "n" * 300
    write(f"{TMP}/long.cl", f"""kernel void {long}1(global int *a) {{ a[get_global_id(0)] = 1; }}
kernel void {long}2(void) {{ }}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void s(int4 v, local char *l, constant float *c) {{ }}
__attribute__((noinline)) int f{long}(int x) {{ return x * 3; }}
kernel void k(global int *a) {{ a[0] = f{long}(a[1]); }}
""", old=False)
    for words in (["--stats"], ["--stats", "-g", "-cl-kernel-arg-info"], ["-S"], ["--dump=isel"]):
        first = cc(*words, "long.cl")
        check(f"{words}, first", first[:2], (1, 0))
        check(f"{words}, again", cc(*words, "long.cl"), (0, *first[1:]))
        if "--stats" in words:
            rows = [line.split()[0] for line in first[2].splitlines()]
            check("names", rows, ["kernel", f"{long}1", f"{long}2", "s", "k", "function", f"f{long}"])
    write(f"{TMP}/none.cl", "/* no kernel */\n", old=False)
    first = cc("--stats", "none.cl")
    check("no kernel, again", cc("--stats", "none.cl")[1:], first[1:])


SERVER_THAT_REFUSES = """
#include <string.h>
#include <sys/socket.h>
int main(void)
{
    char data[64], control[256], reply[12] = "CYCALL\\r\\n";
    struct iovec vector = {data, sizeof(data)};
    struct msghdr header = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    recvmsg(0, &header, 0);
    int files[4];
    memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof(files));
    send(files[2], reply, sizeof(reply), 0);
}
"""


def test_compiler_of_another_version():
    """A compile server of a different version refuses; one that just exits, or is missing, is an error too."""
    for place in ("other/bin", "other/lib/chengying"):
        os.makedirs(f"{TMP}/{place}", exist_ok=True)
    shutil.copy(CY, f"{TMP}/other/bin/cy")
    server = f"{TMP}/other/lib/chengying/compile-server"
    write(f"{TMP}/a.cl", KERNEL.replace("VALUE", "1"), old=False)
    name = os.path.realpath(server)
    for source, message in ((SERVER_THAT_REFUSES, f"{name} has a different version than this program"),
                            ("int main(void) { return 0; }", f"the compiler {name} exited without an answer"),
                            (None, "No such file or directory")):
        if source:
            subprocess.run(["clang-19", "-x", "c", "-", "-o", server], input=source, text=True, check=True)
        else:
            os.remove(server)
        done = subprocess.run([f"{TMP}/other/bin/cy", "cc", "--libdir", os.path.join(os.path.dirname(CY), "../lib/ventus"),
                               "-o", f"{TMP}/out.riscv", f"{TMP}/a.cl"], text=True, capture_output=True)
        said = done.stderr.replace("/bin/../lib/", "/lib/")
        check(said, (done.returncode, said.startswith(f"{TMP}/a.cl: error: "), said.endswith(message + "\n")), (1, True, True))


def test_changed_source():
    seen = set()
    for value in ("1", "2", "3"):
        write(f"{TMP}/b.cl", KERNEL.replace("VALUE", value), old=False)
        count, status, _, elf = cc("b.cl")
        check(f"source {value}", (count, status), (1, 0))
        seen.add(elf)
    check("different programs", len(seen), 3)
    write(f"{TMP}/b.cl", KERNEL.replace("VALUE", "2"), old=False)
    check("the second source again", cc("b.cl")[0], 0)


def test_errors_are_not_kept():
    write(f"{TMP}/bad.cl", "kernel void f() { nonsense; }\n", old=False)
    first = cc("bad.cl")
    check("an error", first[:2], (1, 1))
    check("the same again", cc("bad.cl"), first)


def test_headers():
    write(f"{TMP}/h/c.cl", '#include "value.h"\n#include <deep/er.h>\n' + KERNEL.replace("VALUE", "V + D"), old=False)
    write(f"{TMP}/two/value.h", "#define V 1\n", old=False)
    write(f"{TMP}/two/deep/er.h", '#include "est.h"\n', old=False)
    write(f"{TMP}/two/deep/est.h", "#define D 10\n")
    words = ("-Ione", "-Itwo/", "-Ithree", "h/c.cl")
    one = cc(*words)
    check("with headers", one[:2], (1, 0))
    check("found again", cc(*words), (0, *one[1:]))
    write(f"{TMP}/two/value.h", "#define V 2\n")
    two = cc(*words)
    check("a header changed", (two[0], two[3] != one[3]), (1, True))
    check("found again", cc(*words)[0], 0)
    write(f"{TMP}/two/deep/est.h", "#define D 20\n")
    check("a header of a header changed", (cc(*words)[0], cc(*words)[0]), (1, 0))
    write(f"{TMP}/three/value.h", "#define V 3\n")
    check("a new header after it", cc(*words)[3], cc("--no-cache", *words)[3])
    write(f"{TMP}/one/value.h", "#define V 4\n")
    three = cc(*words)
    check("a header before it came up", (three[0], three[3] != two[3]), (1, True))
    check("found again", cc(*words)[0], 0)
    write(f"{TMP}/h/value.h", "#define V 5\n")
    four = cc(*words)
    check("a new header next to the source", (four[0], four[3] != three[3]), (1, True))
    os.remove(f"{TMP}/h/value.h")
    os.remove(f"{TMP}/one/value.h")
    os.remove(f"{TMP}/three/value.h")
    check("gone again", cc(*words)[3] == cc("--no-cache", *words)[3], True)
    shutil.copytree(f"{TMP}/h", f"{TMP}/elsewhere/h")
    write(f"{TMP}/elsewhere/two/deep/est.h", "#define D 30\n", old=False)
    write(f"{TMP}/elsewhere/two/deep/er.h", '#include "est.h"\n', old=False)
    write(f"{TMP}/elsewhere/two/value.h", "#define V 6\n")
    there = cc(*words, cwd=f"{TMP}/elsewhere")
    check("the same names elsewhere", there[3] == cc(*words)[3], False)


def test_header_written_just_now():
    """One that changes while clang runs could be another than clang saw: such a compile is not kept."""
    write(f"{TMP}/n.cl", '#include "now.h"\n' + KERNEL.replace("VALUE", "V"), old=False)
    write(f"{TMP}/now.h", "#define V 1\n", old=False)
    check("first", cc("n.cl")[0], 1)
    check("not kept", cc("n.cl")[0], 1)
    time.sleep(1.1)
    check("old enough", (cc("n.cl")[0], cc("n.cl")[0]), (1, 0))


def test_more_than_files():
    for index, text in enumerate(("#if __has_include(\"x.h\")\n#endif\n", "constant char d[] = __DATE__;\n",
                                  "constant char t[] = __TIME__ __TIMESTAMP__;\n")):
        write(f"{TMP}/m{index}.cl", text + KERNEL.replace("VALUE", "1"), old=False)
        check(text, (cc(f"m{index}.cl")[0], cc(f"m{index}.cl")[0]), (1, 1))
    write(f"{TMP}/t.cl", KERNEL.replace("VALUE", "sizeof(TEXT)"), old=False)
    check("a date by option", (cc("-DTEXT=__DATE__", "t.cl")[0], cc("-DTEXT=__DATE__", "t.cl")[0]), (1, 1))


def test_compiler_changed():
    write(f"{TMP}/a.cl", KERNEL.replace("VALUE", "7"), old=False)
    check("first", (cc("a.cl")[0], cc("a.cl")[0]), (1, 0))
    os.utime(CLANG)
    check("another clang", (cc("a.cl")[0], cc("a.cl")[0]), (1, 0))
    library = f"{TMP}/ventus"
    shutil.copytree(os.path.join(os.path.dirname(CY), "../lib/ventus"), library)
    check("another library", (cc("--libdir", library, "a.cl")[0], cc("--libdir", library, "a.cl")[0]), (1, 0))
    os.utime(f"{library}/builtins/workitem.bc")
    check("the library changed", (cc("--libdir", library, "a.cl")[0], cc("--libdir", library, "a.cl")[0]), (1, 0))


def test_damage():
    shutil.rmtree(CACHE)
    write(f"{TMP}/a.cl", KERNEL.replace("VALUE", "8"), old=False)
    good = cc("a.cl")
    [entry] = entries()
    whole = open(entry, "rb").read()
    damaged = [b"", whole[:7], whole[:40], whole[:-1], whole[:len(whole) // 2], whole + b"x"]
    for at in range(0, len(whole), max(1, len(whole) // 12)):
        damaged.append(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:])
    for number, data in enumerate(damaged):
        with open(entry, "wb") as file:
            file.write(data)
        check(f"damage {number}", cc("a.cl"), good)
        check(f"damage {number} is repaired", cc("a.cl"), (0, *good[1:]))
    os.remove(entry)
    os.mkdir(entry)
    check("a directory in its place", cc("a.cl"), good)
    os.rmdir(entry)


def test_no_place():
    for place in ("/dev/null/cache", "/proc/cache"):
        check(place, cc("a.cl", CHENGYING_CACHE_DIR=place)[:3], (1, 0, ""))


def fill(count, size, start=0, used=None):
    """Entries, or what looks like them, and the sum of all."""
    for number in range(start, start + count):
        path = f"{CACHE}/{number % 256:02x}/{number:064x}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"x" * size)
        stamp = number if used is None else used
        os.utime(path, (stamp, stamp))
    if os.path.exists(f"{CACHE}/size"):
        os.remove(f"{CACHE}/size")


def total():
    return sum(os.path.getsize(path) for path in entries())


def test_limit():
    """No more than the limit is kept, and what was used last stays."""
    shutil.rmtree(CACHE)
    size = {"CHENGYING_CACHE_SIZE": "400K"}
    write(f"{TMP}/keep.cl", KERNEL.replace("VALUE", "1000"), old=False)
    cc("keep.cl", **size)
    fill(400, 1000)  # written long ago
    os.makedirs(f"{CACHE}/new", exist_ok=True)
    open(f"{CACHE}/new/dead", "w").close()  # of a process that was ended while it wrote
    os.utime(f"{CACHE}/new/dead", (1, 1))
    for value in range(12):
        write(f"{TMP}/l.cl", KERNEL.replace("VALUE", str(value)), old=False)
        check("stored", cc("l.cl", **size)[1], 0)
        check("found", cc("l.cl", **size)[0], 0)
        check("the limit", total() <= 400 << 10, True)
    check("the rest of a dead process", os.listdir(f"{CACHE}/new"), [])
    gone = [number for number in range(400) if not os.path.exists(f"{CACHE}/{number % 256:02x}/{number:064x}")]
    check("some went", len(gone) > 30, True)
    check("the older ones", sum(gone) / len(gone) < 150, True)
    check("what was used last", cc("keep.cl", **size)[0], 0)
    check("an entry above the limit", (cc("l.cl", CHENGYING_CACHE_SIZE="1K", CHENGYING_CACHE_DIR=f"{TMP}/small")[0],
                                       glob.glob(f"{TMP}/small/??/*")), (1, []))


def test_wrong_sum():
    """A sum that is damaged, or too high because files were removed by others, costs no entry in the long run."""
    size = {"CHENGYING_CACHE_SIZE": "400K"}
    for number, damage in enumerate((b"", b"nonsense", b"CYCACHE3" + b"\xff" * 16, b"CYCACHE3" + bytes((0, 0, 9, 0)) * 4)):
        shutil.rmtree(CACHE, ignore_errors=True)
        write(f"{TMP}/s.cl", KERNEL.replace("VALUE", f"1{number}"), old=False)
        cc("s.cl", **size)
        with open(f"{CACHE}/size", "wb") as file:
            file.write(damage)
        write(f"{TMP}/t.cl", KERNEL.replace("VALUE", f"2{number}"), old=False)
        check("stored", (cc("t.cl", **size)[0], cc("t.cl", **size)[0]), (1, 0))
        check(f"{damage}: both are there", len(entries()), 2)


def test_other_files():
    """Anything but a regular file is neither opened nor followed nor waited for, wherever it is."""
    shutil.rmtree(CACHE, ignore_errors=True)
    write(f"{TMP}/o.cl", KERNEL.replace("VALUE", "77"), old=False)
    good = cc("o.cl")
    [entry] = entries()
    precious = f"{TMP}/precious"
    for make in (os.mkfifo, os.mkdir, lambda path: os.symlink(precious, path), lambda path: os.symlink("/dev/zero", path),
                 lambda path: os.symlink(path, path)):
        with open(precious, "wb") as file:
            file.write(b"mine")
        os.remove(entry)
        make(entry)
        check("in place of an entry", cc("o.cl")[:2], (1, 0))
        check("cy cache", subprocess.run([CY, "cache"], env=os.environ | {"CHENGYING_CACHE": "1", "CHENGYING_CACHE_DIR": CACHE},
                                         timeout=20, capture_output=True).returncode, 0)
        if os.path.isdir(entry) and not os.path.islink(entry):
            os.rmdir(entry)
            cc("o.cl")
        check("and replaced", (os.path.isfile(entry) and not os.path.islink(entry), cc("o.cl")[0]), (True, 0))
        check("what the link named", open(precious, "rb").read(), b"mine")
    for name in ("size", "new", os.path.basename(os.path.dirname(entry))):
        for make in (os.mkfifo, lambda path: os.symlink(f"{TMP}/elsewhere-{name}", path),
                     lambda path: (os.makedirs(f"{TMP}/dir-{name}", exist_ok=True), os.symlink(f"{TMP}/dir-{name}", path))):
            shutil.rmtree(CACHE)
            os.makedirs(CACHE)
            make(f"{CACHE}/{name}")
            check(f"{name} is something else", cc("o.cl"), good)
            subprocess.run([CY, "cache", "--clear"], env=os.environ | {"CHENGYING_CACHE": "1", "CHENGYING_CACHE_DIR": CACHE},
                           timeout=20, check=True, capture_output=True)
            check(f"{name}: nothing was written through it",
                  glob.glob(f"{TMP}/elsewhere-{name}*") + glob.glob(f"{TMP}/dir-{name}/*"), [])
    shutil.rmtree(CACHE)


def system_calls(count):
    """System calls of a build that stores into a full cache of this many entries."""
    shutil.rmtree(CACHE, ignore_errors=True)
    fill(count, 1500, used=1000)
    size = {"CHENGYING_CACHE_SIZE": str(1500 * count)}  # so that each makes room for itself
    results = []
    for value in range(6):
        write(f"{TMP}/n.cl", KERNEL.replace("VALUE", f"{count} + {value}"), old=False)
        trace = f"{TMP}/trace"
        environment = os.environ | {"CHENGYING_CACHE_DIR": CACHE, "CHENGYING_CACHE": "1"} | size
        environment["ASAN_OPTIONS"] = "detect_leaks=0"  # which needs what strace uses
        subprocess.run(["strace", "-o", trace, CY, "cc", "-o", f"{TMP}/out.riscv", "n.cl"], cwd=TMP, env=environment, check=True)
        results.append(sum(1 for line in open(trace) if CACHE in line or "fstatat" in line or "unlinkat" in line
                           or "openat" in line or "getdents" in line))
    check(f"{count} entries: within the limit", total() <= int(size["CHENGYING_CACHE_SIZE"]), True)
    return results[1:]  # the first one counts all entries, because there was no sum


def test_cost():
    """What a build costs does not depend on how many kernels are kept."""
    few, many = system_calls(100), system_calls(4000)
    check(f"system calls {few} and {many}", max(many) <= max(few) + 10, True)


def test_old_layout():
    shutil.rmtree(CACHE, ignore_errors=True)
    os.makedirs(f"{CACHE}/a")
    with open(f"{CACHE}/a/{'a' * 64}", "w") as file:
        file.write("old")
    run = lambda *words: subprocess.run([CY, "cache", *words], env=os.environ | {"CHENGYING_CACHE": "1",
                                        "CHENGYING_CACHE_DIR": CACHE}, check=True, capture_output=True, text=True).stdout
    check("not counted", "kernels    0\n" in run(), True)
    run("--clear")
    check("cleared", os.path.exists(f"{CACHE}/a"), False)


def test_command():
    def cache(*words, **env):
        return subprocess.run([CY, "cache", *words], env=os.environ | {"CHENGYING_CACHE": "1"} | env, text=True,
                              capture_output=True, check=True).stdout

    shutil.rmtree(CACHE, ignore_errors=True)
    cc("a.cl")
    here = {"CHENGYING_CACHE_DIR": CACHE, "CHENGYING_CACHE_SIZE": "3M"}
    size = os.path.getsize(entries()[0])
    check("cy cache", cache(**here), f"directory  {CACHE}\nkernels    1\ntranslated 0\nbytes      {size} of {3 << 20}\n")
    check("cy cache --clear", cache("--clear", **here), f"directory  {CACHE}\nkernels    0\ntranslated 0\nbytes      0 of {3 << 20}\n")
    check("cleared", entries(), [])
    check("off", cache(CHENGYING_CACHE="0"), "the cache is off\n")


def test_many_at_once():
    """Twelve processes, three kernels, an empty cache."""
    shutil.rmtree(CACHE, ignore_errors=True)
    expected = []
    for value in range(3):
        write(f"{TMP}/p{value}.cl", KERNEL.replace("VALUE", str(value)), old=False)
        expected.append(cc("--no-cache", f"p{value}.cl")[3])
    environment = os.environ | {"CHENGYING_CACHE_DIR": CACHE, "CHENGYING_CACHE": "1"}
    started = [subprocess.Popen([CY, "cc", "-o", f"{TMP}/p{i}.riscv", f"p{i % 3}.cl"], cwd=TMP, env=environment)
               for i in range(12)]
    for i, process in enumerate(started):
        check(f"process {i}", process.wait(100), 0)
        check(f"result {i}", open(f"{TMP}/p{i}.riscv", "rb").read() == expected[i % 3], True)
    check("entries", len(entries()), 3)
    check("unfinished files", os.listdir(f"{CACHE}/new"), [])


with open(CLANG, "w") as script:
    script.write(f'#!/bin/sh\nprintf x >> "{RUNS}"\nexec {shutil.which("clang-19")} "$@"\n')
os.chmod(CLANG, 0o755)
for name, function in list(globals().items()):
    if name.startswith("test_"):
        function()
sys.exit(failures != 0)
