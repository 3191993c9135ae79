#!/usr/bin/env python3
"""Integers of every width, as LLVM's optimiser creates them: the same text, with _BitInt and clang's generic functions, compiled
by `cy cc` for the machine and by clang for the host, must compute the same.

    CY_WIDTHS=all    every width from 2 to 128; without it the awkward ones"""
import ctypes
import os
import random
import re
import struct
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
ITEMS = 64
AWKWARD = (2, 3, 5, 8, 9, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 96, 100, 128)
WIDTHS = range(2, 129) if os.environ.get("CY_WIDTHS") == "all" else AWKWARD

# T is the type, N its width; u, v, s are operands, n and m amounts below the width.
COMMON = ["u + v", "u - v", "u * v", "u & ~v", "(u << n) ^ v", "u >> n", "u < v", "u >= v", "u == v", "u != (T)(v | 1)",
          "u > v ? u : v", "u < 0 ? -u : u", "(u + v) >> m", "(T)(u * 3) <= (T)(v * 5)", "((T)-u) | v",
          "(_BitInt(19))u + (_BitInt(35))v", "(unsigned _BitInt(45))u * v", "n > m ? u : v",
          "__builtin_add_overflow(u, v, &r) ? 77 : r", "__builtin_sub_overflow(u, v, &r) ? 78 : r",
          "u * v + (u >> 1)"]
UNSIGNED = ["(u << n) | (u >> (N - 1 - n) >> 1)", "(u >> n) | (v << (N - 1 - n) << 1)", "u > v ? u - v : 0",
            "(T)(u + v) < u ? (T)-1 : u + v"]
GENERIC = ["__builtin_popcountg(u)", "__builtin_clzg(u, 999)", "__builtin_ctzg(u, 998)"]
SHORT = ["__builtin_mul_overflow(u, v, &r) ? 79 : r", "u / (v | 1)", "u % (v | 1)", "(T)(u >> m) / 7",
         "u % (T)3"]
# Types with their own functions.
FIXED = {8: "char", 16: "short", 32: "int", 64: "long"}
NAMED = ["__builtin_elementwise_add_sat(s, q)", "__builtin_elementwise_sub_sat(s, q)", "__builtin_elementwise_add_sat(u, v)",
         "__builtin_elementwise_sub_sat(u, v)", "__builtin_elementwise_abs(s)", "__builtin_elementwise_max(s, q)",
         "__builtin_elementwise_min(u, v)", "__builtin_elementwise_bitreverse(u)", "__builtin_rotateleftN(u, v)",
         "__builtin_rotaterightN(u, v)", "__builtin_bitreverseN(u)"]
SWAPS = ["__builtin_bswapN(u)"]


def expressions(width, is_unsigned):
    list_ = COMMON + (UNSIGNED + GENERIC if is_unsigned else []) + (SHORT if width <= 64 else [])
    if width in FIXED and is_unsigned:
        list_ = list_ + NAMED + (SWAPS if width > 8 else [])
    if width > 64 and width & (width - 1): # OpenCL C takes shifts modulo the width: that would be a division
        list_ = [e for e in list_ if "<<" not in e and ">>" not in e]
    return list_


def function(width, is_unsigned):
    """The body of one width: loads operands, stores 128 bits of every result."""
    named = width in FIXED and is_unsigned
    base = "unsigned " + FIXED[width] if named else ("unsigned " if is_unsigned else "") + "_BitInt(%d)" % width
    other = "signed " + FIXED[width] if named else base
    lines = ["    typedef %s T; T r;" % base,
             "    T u = (T)((W)in[4 * i] | (W)in[4 * i + 1] << 64), v = (T)((W)in[4 * i + 2] | (W)in[4 * i + 3] << 64);",
             "    %s s = (%s)u, q = (%s)v; int n = in[4 * i + 2] %% %d, m = in[4 * i] %% %d;" % (other, other, other, width, width)]
    for k, text in enumerate(expressions(width, is_unsigned)):
        text = re.sub(r"\bN\b|(?<=[a-z])N\b", str(width), text)
        lines.append("    { W w = (W)(%s); out[2 * (i * COUNT + %d)] = (U)w; out[2 * (i * COUNT + %d) + 1] = (U)(w >> 64); }" %
                     (text, k, k))
    return "\n".join(lines), len(expressions(width, is_unsigned))


def program(kind, parts):
    text = ["typedef _BitInt(128) W; typedef unsigned long U;"]
    for name, (body, count) in parts.items():
        text.append("#undef COUNT\n#define COUNT %d" % count)
        if kind == "device":
            text.append("kernel void %s(global const U *in, global U *out)\n{\n    int i = get_global_id(0);\n%s\n}" % (name, body))
        else:
            text.append("void %s(int i, const U *in, U *out)\n{\n%s\n}" % (name, body))
    return "\n".join(text) + "\n"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: status %d\n%s" % (" ".join(command), done.returncode, done.stderr[:3000]))


def operands(rng):
    """Patterns of 128 bits: random, short, and around the ends of every width."""
    out = []
    for _ in range(2 * ITEMS):
        kind, width = rng.randrange(4), rng.choice(WIDTHS)
        value = rng.getrandbits(128) if kind < 2 else rng.getrandbits(rng.choice((4, 33, 66))) if kind == 2 else \
            (1 << rng.choice((width - 1, width))) + rng.randrange(-2, 3)
        value &= (1 << 128) - 1
        out += [value & (1 << 64) - 1, value >> 64]
    return out


def main():
    parts = {"%s%d" % ("u" if u else "s", w): function(w, u) for w in WIDTHS for u in (True, False)}
    data = operands(random.Random(1))
    files = {k: os.path.join(TMP, k) for k in ("host.c", "host.so", "device.cl", "in", "out")}
    for kind, name in (("host", "host.c"), ("device", "device.cl")):
        with open(files[name], "w") as out:
            out.write(program(kind, parts))
    with open(files["in"], "wb") as out:
        out.write(struct.pack("<%dQ" % len(data), *data))
    run("clang-19", "-w", "-O1", "-fwrapv", "-fPIC", "-shared", "-o", files["host.so"], files["host.c"])
    host = ctypes.CDLL(files["host.so"])
    values = (ctypes.c_uint64 * len(data))(*data)
    failures, checked = 0, 0
    for level in ("-O0", "-O2"):
        binary = os.path.join(TMP, "device%s.riscv" % level)
        run(CY, "cc", level, "-w", "-fwrapv", "-o", binary, files["device.cl"])
        for name, (body, count) in parts.items():
            expected = (ctypes.c_uint64 * (2 * ITEMS * count))()
            for i in range(ITEMS):
                getattr(host, name)(i, values, expected)
            run(CY, "run", binary, "-k", name, "--global", str(ITEMS), "-l", "32", "-a", "buffer:u8=@" + files["in"], "-a",
                "buffer:u8:%d" % (16 * ITEMS * count), "-o", "1=" + files["out"], "--no-progress")
            got = struct.unpack("<%dQ" % (2 * ITEMS * count), open(files["out"], "rb").read())
            wrong = set(k // 2 % count for k in range(2 * ITEMS * count) if got[k] != expected[k])
            for e in sorted(wrong):
                text = expressions(int(name[1:]), name[0] == "u")[e]
                print("%s %s: %s" % (level, name, text))
            failures += len(wrong)
            checked += count
    print("%d expressions, %d wrong" % (checked, failures))
    sys.exit(1 if failures else 0)


main()
