#!/usr/bin/env python3
"""The built-in functions on the machine: every function of scalars and vectors that clang's header declares is compiled by
`cy cc`, run by `cy run` on random and awkward operands, and must give what the library gives on the host, where the other
tests measure it; bit by bit, but a NaN is a NaN.

    CY_BUILTINS=all        every function (minutes); without it one in CY_BUILTINS (default 40) of them, a different
                           choice each day
    device.py NAME...      all the functions of these names"""
import ctypes
import glob
import os
import random
import re
import struct
import subprocess
import sys
import time

sys.argv, wanted = sys.argv[:1], sys.argv[1:]
import resolve  # the declarations

CY, BUILD, TMP = (os.environ[k] for k in ("CY", "CY_BUILD", "CY_TMP"))
ITEMS = 64
CHUNK = 12
SCALARS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4,
           "double": 8}
# Of a floating-point type: its letter and that of its bits for struct, the infinity's bits, the sign's, the quiet one.
REALS = {"float": ("f", "I", 0x7f800000, 1 << 31, 1 << 22), "double": ("d", "Q", 0x7ff << 52, 1 << 63, 1 << 51)}
ANY_ZERO = re.compile(r"(fmin|fmax|min|max|clamp|maxmag|minmag|smoothstep)$")
# Which work-item it is, and what the machine does with it, is not for the host to say.
SKIPPED = re.compile(r"(get_\w+|barrier|work_group_\w+|\w*mem_fence|atomic\w*|atom_\w+|async\w*|wait_group_events|prefetch|"
                     r"native_\w+|half_\w+)$")


def parts(type_name):
    """(element, components) of a scalar or vector type, or None."""
    match = re.match(r"(?:const )?([a-z]+?)(2|3|4|8|16)?$", type_name)
    if not match or match.group(1) not in SCALARS:
        return None
    return match.group(1), int(match.group(2) or 1)


def size(type_name):
    element, count = parts(type_name)
    return SCALARS[element] * count


def functions():
    for result, name, types in resolve.declarations("CL1.2"):
        if not SKIPPED.match(name) and types and all(map(parts, [result] + types)):
            yield result, name, types


# ---- operands ----

def element_bytes(rng, element, tame):
    width = SCALARS[element]
    if element in REALS:
        letter, bits_letter, _, _, quiet_bit = REALS[element]
        if tame:
            return struct.pack("<" + letter, rng.uniform(0, 120))
        kind = rng.randrange(4)
        if kind == 0:
            return struct.pack("<" + bits_letter, rng.getrandbits(8 * width) | (quiet_bit if rng.random() < 0.5 else 0))
        if kind == 1:
            return struct.pack("<" + letter, rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, float("inf"), float("-inf"),
                                                 float("nan"), 2.0 ** -149, 2.0 ** 23, -2.5, 127.5, 65536.0]))
        return struct.pack("<" + letter, rng.uniform(-20, 20))
    bits = 8 * width
    value = rng.choice([rng.getrandbits(bits), rng.randrange(-40, 40), 1 << rng.randrange(bits), -1 << rng.randrange(bits)])
    return (value & ((1 << bits) - 1)).to_bytes(width, "little")


def quiet(data, element):
    """Signaling NaNs are made quiet: OpenCL C has none."""
    _, letter, infinity, sign, quiet_bit = REALS[element]
    words = list(struct.unpack("<%d%s" % (len(data) // SCALARS[element], letter), data))
    return struct.pack("<%d%s" % (len(words), letter),
                       *(w | quiet_bit if w & (sign - 1) > infinity else w for w in words))


def operands(rng, type_name, tame):
    element, count = parts(type_name)
    data = b"".join(element_bytes(rng, element, tame) for _ in range(ITEMS * count))
    return quiet(data, element) if element in REALS else data


# ---- sources ----

def access(pointer, type_name):
    element, count = parts(type_name)
    if count == 1:
        return "((%s const %s *)(%s))[i]" % ("SPACE", element, pointer)
    return "vload%d(i, (SPACE const %s *)(%s))" % (count, element, pointer)


def body(functions_, offsets):
    lines = []
    for (result, name, types), (ins, out) in zip(functions_, offsets):
        call = "%s(%s)" % (name, ", ".join(access("in + %d" % o, t) for o, t in zip(ins, types)))
        element, count = parts(result)
        to = "(SPACE %s *)(out + %d)" % (element, out)
        lines.append("    (%s)[i] = %s;" % (to, call) if count == 1 else "    vstore%d(%s, i, %s);" % (count, call, to))
    return "\n".join(lines)


def layout(functions_):
    """Offsets of operands and results, all aligned as the largest type is."""
    at_in = at_out = 0
    offsets = []
    step = lambda n: (n + 127) // 128 * 128
    for result, _, types in functions_:
        ins = []
        for t in types:
            ins.append(at_in)
            at_in += step(size(t) * ITEMS)
        offsets.append((ins, at_out))
        at_out += step(size(result) * ITEMS)
    return offsets, at_in, at_out


def host_library(chunks):
    """All chunks as functions of the host, in one shared library with the device library."""
    source, target = os.path.join(TMP, "host.cl"), os.path.join(TMP, "host.so")
    with open(source, "w") as out:
        out.write("#define SPACE __generic\n")
        for k, chunk in enumerate(chunks):
            out.write("void chunk%d(uint i, const uchar *in, uchar *out)\n{\n%s\n}\n" % (k, body(chunk, layout(chunk)[0])))
    resolve.checked(resolve.CLANG, "-x", "cl", "-cl-std=CL3.0", "-fPIC", "-O0", "-ffp-contract=off", "-w", "-Xclang",
                    resolve.extensions(), "-c", "-o", target + ".o", source)
    directory = os.path.join(TMP, "objects") # of the other tests, without what was compiled for sanitizers
    os.makedirs(directory, exist_ok=True)
    resolve.checked("ar", "x", "--output=" + directory, os.path.join(BUILD, "lib/libbuiltins_host.a"))
    objects = glob.glob(os.path.join(directory, "*.cl.o"))
    resolve.checked(resolve.CLANG, "-O1", "-fPIC", "-shared", "-o", target, target + ".o", *objects,
                    "-I", os.path.join(resolve.SOURCE, "src"), os.path.join(resolve.SOURCE, "tests/builtins/intrinsics.c"), "-lm")
    return ctypes.CDLL(target)


def run_device(k, chunk, data, bytes_out):
    """The results of the machine, or the message."""
    stem = os.path.join(TMP, "chunk%d" % k)
    with open(stem + ".cl", "w") as out:
        out.write("#define SPACE __global\nkernel void k(__global const uchar *in, __global uchar *out)\n{\n"
                  "    uint i = get_global_id(0);\n%s\n}\n" % body(chunk, layout(chunk)[0]))
    with open(stem + ".in", "wb") as out:
        out.write(data)
    done = resolve.run(CY, "cc", "-w", "-o", stem + ".riscv", stem + ".cl")
    if done.returncode == 0:
        done = resolve.run(CY, "run", stem + ".riscv", "--global", str(ITEMS), "-l", "32", "-a", "buffer:u8=@" + stem + ".in",
                           "-a", "buffer:u8:%d" % bytes_out, "-o", "1=" + stem + ".out", "--no-progress")
    if done.returncode:
        return None, done.stderr.strip().splitlines()[:1] or ["status %d" % done.returncode]
    return open(stem + ".out", "rb").read(), None


def same(element, name, got, expected):
    if got == expected:
        return True
    if element not in REALS:
        return False
    _, letter, infinity, sign, _ = REALS[element]
    form = "<%d%s" % (len(got) // SCALARS[element], letter)
    for a, b in zip(struct.unpack(form, got), struct.unpack(form, expected)):
        nan = a & (sign - 1) > infinity and b & (sign - 1) > infinity
        zero = not (a | b) & (sign - 1) and ANY_ZERO.match(name)
        if a != b and not nan and not zero:
            return False
    return True


def compare(chunk, offsets, got, expected):
    failures = []
    for (result, name, types), (_, out) in zip(chunk, offsets):
        width, element = size(result), parts(result)[0]
        for i in range(ITEMS):
            a, b = (d[out + i * width:out + (i + 1) * width] for d in (got, expected))
            if not same(element, name, a, b):
                failures.append("%s(%s): work-item %d has %s, the host %s" % (name, ", ".join(types), i, a.hex(), b.hex()))
                break
    return failures


def check_chunk(k, chunk, host, rng):
    offsets, bytes_in, bytes_out = layout(chunk)
    data = bytearray(bytes_in)
    for (result, name, types), (ins, _) in zip(chunk, offsets):
        # A conversion out of range is whatever it is.
        tame = name.startswith("convert_") and "_sat" not in name and parts(result)[0] not in REALS
        for o, t in zip(ins, types):
            operand = operands(rng, t, tame)
            data[o:o + len(operand)] = operand
    got, message = run_device(k, chunk, data, bytes_out)
    if message:
        if len(chunk) > 1: # which one is it?
            return sum((check_chunk(k, [f], None, rng) for f in chunk), [])
        return ["%s(%s): %s" % (chunk[0][1], ", ".join(chunk[0][2]), message[0])]
    if not host:
        return []
    into, expected = ctypes.create_string_buffer(bytes(data), bytes_in), ctypes.create_string_buffer(bytes_out)
    for i in range(ITEMS):
        getattr(host, "chunk%d" % k)(i, into, expected)
    return compare(chunk, offsets, got, expected.raw)


def main():
    asked = os.environ.get("CY_BUILTINS", "40")
    day = int(time.time()) // 86400
    rng = random.Random(day)
    chosen = list(functions())
    total = len(chosen)
    if wanted:
        chosen = [f for f in chosen if f[1] in wanted]
    elif asked != "all":
        chosen = rng.sample(chosen, total // int(asked))
    chunks = [chosen[i:i + CHUNK] for i in range(0, len(chosen), CHUNK)]
    host = host_library(chunks)
    failures = []
    for k, chunk in enumerate(chunks):
        failures += check_chunk(k, chunk, host, rng)
    print("%d of %d functions (day %d): %d wrong" % (len(chosen), total, day, len(failures)))
    for line in failures[:int(os.environ.get("CY_SHOWN", "60"))]:
        print(line)
    sys.exit(1 if failures else 0)


main()
