#!/usr/bin/env python3
"""Kernels that are large in one respect compile without superlinear work: each has 20
seconds of CPU time, many times what it needs."""
import os
import resource
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
HEAD = "kernel void f(global int *a, int x)\n{\n    int g = get_global_id(0), t = a[g];\n"

SOURCES = {
    "1000 kernels": "".join(f"kernel void f{i}(global int *a) {{ a[get_global_id(0)] = {i}; }}\n" for i in range(1000)),
    "1000 nested ifs": HEAD + "".join(f"if (a[g + {i}] > {i}) {{ a[g + {i + 2000}] = {i};\n" for i in range(1000)) +
                       "}" * 1000 + "}\n",
    "1000 ifs": HEAD + "".join(f"if (t & {1 << i % 20}) t += x * {i}; else t ^= {3 * i};\n" for i in range(1000)) +
                "a[g] = t; }\n",
    "1000 loops": HEAD + "".join(f"for (int i = 0; i < a[{i}]; i++) t += a[i + g] * {i + 3};\n" for i in range(1000)) +
                  "a[g] = t; }\n",
    "300 loops by calls": "void h(global int *a, int k) { for (int i = 0; i < k; i++) a[i] += k; }\n" + HEAD +
                          "".join(f"h(a + {i}, a[{i}]);\n" for i in range(300)) + "}\n",
    "1000 cases": HEAD + "switch (t) {\n" + "".join(f"case {3 * i}: a[{i}] = t * {i}; break;\n" for i in range(1000)) +
                  "}}\n",
    "1000 live values": HEAD + "".join(f"int v{i} = a[g * 1000 + {i}];\n" for i in range(1000)) +
                        "barrier(CLK_GLOBAL_MEM_FENCE);\n" +
                        "".join(f"a[g * 1000 + {i}] = v{i * 7 % 1000} * v{i};\n" for i in range(1000)) + "}\n",
    "one expression of 2000 terms": HEAD + "a[0] = x" + "".join(f" + (a[{i + 1}] ^ (x * {i}))" for i in range(2000)) +
                                    ";}\n",
    "20000 statements": HEAD + "".join(f"t = t * {2 * i + 3} + x; a[{i % 1024}] = t;\n" for i in range(10000)) + "}\n",
    "a macro of 64 KiB": "#define ONE t = t * 3 + x;\n#define TWO ONE ONE ONE ONE ONE ONE ONE ONE\n"
                         "#define THREE TWO TWO TWO TWO TWO TWO TWO TWO\n"
                         "#define FOUR THREE THREE THREE THREE THREE THREE THREE THREE\n"
                         "#define ALL FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR\n" + HEAD + "ALL a[g] = t; }\n",
}

failed = False
for name, source in SOURCES.items():
    path = f"{TMP}/large.cl"
    with open(path, "w") as file:
        file.write(source)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([CY, "cc", "-w", "-o", f"{TMP}/large.riscv", path], capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    print(f"{name:<30}{seconds:>6.2f} s  {'' if done.returncode == 0 else 'failed: ' + done.stderr[:300]}")
    failed |= done.returncode != 0
sys.exit(failed)
