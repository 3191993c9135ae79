#!/usr/bin/env python3
"""printf: every conversion, flag and length, scalars and vectors, with and without optimisation.  The expected lines are what
another implementation printed, except where this one has other sizes."""
import array
import math
import os
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]

# i = {42, -7, -1, 98}, f = {3.14159274, -2.5, 123456.789, NaN, 1e-40}, l = {-1234567890123, 0x123456789abcdef, 511}
CASES = [
    (r'"%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%i|%u|%o|%#o|%x|%X|%#x|%#X", i[0], i[0], i[0], i[0], i[0], i[0], i[0], i[0], i[1], '
     r'i[2], i[0], i[0], i[1], i[1], i[0], i[0]',
     "42|   42|42   |00042|+42| 42|042|     042|-7|4294967295|52|052|fffffff9|FFFFFFF9|0x2a|0X2A"),
    (r'"%hhd|%hhu|%hd|%hu|%hhx|%hx", (char)i[1], (uchar)i[1], (short)i[1], (ushort)i[1], (uchar)i[1], (ushort)i[1]',
     "-7|249|-7|65529|f9|fff9"),
    (r'"%ld|%lu|%lx|%lX|%#lo|%20ld|%-20ld|%020ld", l[0], (ulong)l[0], l[1], l[1], l[2], l[0], l[0], l[0]',
     "-1234567890123|18446742839141661493|123456789abcdef|123456789ABCDEF|0777|      -1234567890123|-1234567890123      |"
     "-0000001234567890123"),
    (r'"%f|%e|%g|%a|%F|%E|%G|%A", f[0], f[0], f[0], f[0], f[0], f[0], f[0], f[0]',
     "3.141593|3.141593e+00|3.14159|0x1.921fb6p+1|3.141593|3.141593E+00|3.14159|0X1.921FB6P+1"),
    (r'"%10.2f|%-10.2f|%+.1f|% f|%010.3f|%#.0f|%.0f|%#g|%.10g|%5.1e", f[1], f[1], f[1], f[1], f[1], f[1], f[1], f[1], f[2], f[2]',
     "     -2.50|-2.50     |-2.5|-2.500000|-00002.500|-2.|-2|-2.50000|123456.7891|1.2e+05"),
    (r'"%f %f %f %f %e %g %a", INFINITY, -INFINITY, f[3], -0.0f, f[4], f[4], f[4]',
     "inf -inf nan -0.000000 9.999946e-41 9.99995e-41 0x1.16c2p-133"),
    (r'''"%c%c%c|%5c|%-5c|", 'a', i[3], 'c', 'x', 'y' ''', "abc|    x|y    |"),
    (r'"%s|%10s|%-10s|%.3s|%s", "string", "right", "left", "truncated", ""', "string|     right|left      |tru|"),
    (r'"%s %s", i[0] ? "one" : "other", names[i[3] & 1]', "one first"),
    (r'"%s|%8s|%.2s|", (constant char *)0, (constant char *)0, (constant char *)0', "(null)|  (null)||"),
    (r'"%%|100%%"', "%|100%"),
    (r'"\ttab\\ \"quote\" \x41"', '\ttab\\ "quote" A'),
    (r'"%v4hlf|%v2hlg|%5.1v4hlf|%-8v2hle|", (float4)(1.5f, -2.25f, 3, 1e10f), (float2)(0.1f, 1e-7f), (float4)(1, 2, 3, 4), '
     r'(float2)(1, 2)',
     "1.500000,-2.250000,3.000000,10000000000.000000|0.1,1e-07|  1.0,  2.0,  3.0,  4.0|1.000000e+00,2.000000e+00|"),
    (r'"%#v4hhx|%05v2hld|%+v2hld|%v4hho|%v4hlX", (uchar4)(1, 2, 255, 0), (int2)(-3, 4), (int2)(3, -4), (uchar4)(8, 9, 10, 11), '
     r'(int4)(-1, 255, 16, 0)', "0x1,0x2,0xff,0|-0003,00004|+3,-4|10,11,12,13|FFFFFFFF,FF,10,0"),
    (r'"%v3hld|%v8hd|%v16hhd|%v2ld|%v2lu", (int3)(7, 8, 9), (short8)(1, 2, 3, 4, 5, -6, 7, 8), '
     r'(char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -15), (long2)(1l << 40, -5), (ulong2)(1, 2)',
     "7,8,9|1,2,3,4,5,-6,7,8|0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,-15|1099511627776,-5|1,2"),
    (r'''"%d %s %f %c %ld %v2hld end", i[0], "mixed", f[0], 'q', l[0], (int2)(5, 6)''', "42 mixed 3.141593 q -1234567890123 5,6 end"),
    # conversions that are too wide or too narrow for their argument do not affect those after it
    (r'"%lu %d %ld %x %d", get_global_size(0), (int)l[2], i[1], l[1], 5', "4 511 -7 89abcdef 5"),
    (r'"%d", printf("inner ")', "inner 0"),
]


def main():
    source, program = os.path.join(TMP, "printf.cl"), os.path.join(TMP, "printf.riscv")
    with open(source, "w") as out:
        out.write("constant char *constant names[] = {\"first\", \"second\"};\n"
                  "kernel void k(global const int *i, global const float *f, global const long *l)\n{\n"
                  "    if (get_global_id(0))\n        return;\n")
        for arguments, _ in CASES:
            out.write("    printf(%s);\n    printf(\"\\n\");\n" % arguments)
        out.write("}\n")
    data = []
    for code, kind, values in (("i", "i32", (42, -7, -1, 98)), ("f", "f32", (3.14159274, -2.5, 123456.789, math.nan, 1e-40)),
                               ("q", "i64", (-1234567890123, 0x123456789abcdef, 511))):
        file = os.path.join(TMP, kind)
        with open(file, "wb") as out:
            array.array(code, values).tofile(out)
        data += ["-a", "buffer:%s=@%s" % (kind, file)]
    failures = 0
    for level in ("-O0", "-O2"):
        for command in (["cc", "-w", level, "-o", program, source],
                        ["run", program, "--global", "4", "-l", "4", "--no-progress"] + data):
            done = subprocess.run([CY] + command, capture_output=True, text=True)
            if done.returncode:
                sys.exit("cy %s: %s" % (" ".join(command), done.stderr))
        lines = done.stdout.splitlines()
        if len(lines) < len(CASES):
            sys.exit("%d lines are missing: %s" % (len(CASES) - len(lines), done.stdout))
        for (arguments, expected), got in zip(CASES, lines):
            if got != expected:
                print("%s %s\n  prints   %s\n  expected %s" % (level, arguments, got, expected))
                failures += 1
    print("%d lines, %d wrong" % (2 * len(CASES), failures))
    sys.exit(1 if failures else 0)


main()
