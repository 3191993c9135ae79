#!/usr/bin/env python3
"""Workgroup built-in functions, on the machine: ids of uniform and ragged NDRanges, atomics, barriers,
workgroup copies (machine.cl)."""
import array
import itertools
import os
import subprocess
import sys

CY, SOURCE, TMP = (os.environ[k] for k in ("CY", "CY_SOURCE", "CY_TMP"))
failures = []


def check(good, text):
    if not good:
        failures.append(text)


def tool(*arguments):
    done = subprocess.run((CY,) + arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit("cy %s: status %d\n%s" % (" ".join(arguments), done.returncode, done.stderr))


def run(program, kernel, size, local, arguments, results, offset=None):
    """The buffers `results` (argument number: type code of array) after a launch."""
    join = lambda values: ",".join(map(str, values))
    files = {n: os.path.join(TMP, "r%d.bin" % n) for n in results}
    command = ["run", program, "-k", kernel, "--global", join(size), "-l", join(local), "--no-progress"]
    command += ["--offset", join(offset)] if any(offset or ()) else []
    for a in arguments:
        command += ["-a", a]
    for n, file in files.items():
        command += ["-o", "%d=%s" % (n, file)]
    tool(*command)
    return [array.array(code, open(files[n], "rb").read()) for n, code in results.items()]


def check_ids(program, new):
    for size, local, offset in (((256,), (64,), (0,)), ((50,), (16,), (7,)), ((13, 7), (4, 3), (100, 50)),
                                ((5, 7, 3), (2, 4, 2), (1, 2, 3)), ((40, 1, 9), (8, 1, 4), (0, 0, 0))):
        dims = len(size)
        size3, local3, offset3 = (v + (d,) * (3 - dims) for v, d in ((size, 1), (local, 1), (offset, 0)))
        items = size3[0] * size3[1] * size3[2]
        (r,) = run(program, "ids", size, local, ["buffer:u32:%d" % (16 * items)], {0: "I"}, offset)
        for number, (z, y, x) in enumerate(itertools.product(*map(range, reversed(size3)))):
            at = (x, y, z)
            group = [a // n for a, n in zip(at, local3)]
            inside = [min(n, s - g * n) for n, s, g in zip(local3, size3, group)]
            id_ = [a % n for a, n in zip(at, local3)]
            wanted = [a + o for a, o in zip(at, offset3)] + id_ + group + inside + [dims]
            if new:
                wanted += [number, (id_[2] * inside[1] + id_[1]) * inside[0] + id_[0], local3[0]]
            got = list(r[16 * number:16 * number + len(wanted)])
            check(got == wanted, "ids of %s in %s: %s, not %s" % (at, size, got, wanted))


def check_atomics(program):
    for n, local in ((1024, 128), (96, 32), (50, 16)):
        counters, ticket = run(program, "tickets", (n,), (local,),
                               ["buffer:u32:8=" + init("I", [0, 0, 0, 10 ** 6, 0, 0, 0, 0]), "buffer:u32:%d" % n, "local:4"],
                               {0: "I", 1: "I"})
        check(sorted(ticket) == list(range(n)), "tickets of %d: not all different" % n)
        xor = 0
        for i in range(n):
            xor ^= i
        total = n * (n - 1) // 2
        wanted = [n, total, max(i * 7 % 1000 for i in range(n)), 5, 0xffffffff, xor, total]
        check(list(counters[:7]) == wanted, "counters of %d: %s, not %s" % (n, list(counters[:7]), wanted))
    x = [i * 0.5 for i in range(256)]
    (total,) = run(program, "float_sum", (256,), (64,), ["buffer:u32:1", "buffer:f32=@" + raw("f", x)], {0: "f"})
    check(total[0] == sum(x), "float_sum: %g, not %g" % (total[0], sum(x)))


def raw(code, values, names=itertools.count()):
    file = os.path.join(TMP, "in%d.bin" % next(names))
    with open(file, "wb") as out:
        array.array(code, values).tofile(out)
    return file


def init(code, values):
    return "@" + raw(code, values)


def check_copies(program):
    n, local = 320, 80
    x = [i * i - 1000 for i in range(n)]
    (r,) = run(program, "reverse", (n,), (local,),
               ["buffer:i32=@" + raw("i", x), "buffer:i32:%d" % n, "local:%d" % (4 * local), "local:%d" % (4 * local)],
               {1: "i"})
    wanted = [v for g in range(0, n, local) for v in reversed(x[g:g + local])]
    check(list(r) == wanted, "reverse: %s ..., not %s ..." % (list(r[:8]), wanted[:8]))
    bytes_ = [i * 5 % 251 - 100 for i in range(3 * n)]
    (r,) = run(program, "gather", (n,), (local,),
               ["buffer:i8=@" + raw("b", [max(-128, min(127, b)) for b in bytes_]), "buffer:i8:%d" % (2 * n), "local:%d" % local],
               {1: "b"})
    check(list(r[::2]) == [max(-128, min(127, b)) for b in bytes_[::3]], "gather: wrong elements")
    check(not any(r[1::2]), "gather: wrote between the elements")


def check_new_atomics(program):
    n, local = 256, 64
    p, ticket = run(program, "new_atomics", (n,), (local,), ["buffer:i32:2", "buffer:u32:%d" % n, "local:4"],
                    {0: "i", 1: "I"})
    for g in range(0, n, local):
        check(sorted(ticket[g:g + local]) == list(range(local)), "new_atomics: tickets of a group are not all different")
    check(list(p) == [n // local * (local * (local - 1) // 2), 2 * n], "new_atomics: sums are %s" % list(p))


def main():
    for std in ("CL1.2", "CL3.0"):
        for level in ("-O0", "-O2"):
            program = os.path.join(TMP, "machine%s%s.riscv" % (std, level))
            tool("cc", level, "-cl-std=" + std, "-o", program, os.path.join(SOURCE, "tests/builtins/machine.cl"))
            check_ids(program, std == "CL3.0")
            check_atomics(program)
            check_copies(program)
            if std == "CL3.0":
                check_new_atomics(program)
    for line in failures[:40]:
        print(line)
    sys.exit("%d failures" % len(failures) if failures else 0)


main()
