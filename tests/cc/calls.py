#!/usr/bin/env python3
"""What is called and what is inlined, recursion, and programs that would be too big if everything was inlined."""

import os
import resource
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def compile(text, *options, status=0):
    with open(os.path.join(TMP, "calls.cl"), "w") as file:
        file.write(text)
    command = [CY, "cc", "--stats", *options, "-o", "calls.riscv", "calls.cl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TMP)
    check(done.returncode == status, f"{options}: ended with {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def functions(stats):
    """Instructions by name: those of kernels, those of functions."""
    tables, current = {"kernel": {}, "function": {}}, None
    for line in stats.splitlines():
        words = line.split()
        if words[0] in tables and words[1] == "insns":
            current = tables[words[0]]
        else:
            current[words[0]] = int(words[1])
    return tables["kernel"], tables["function"]


def run(*args):
    done = subprocess.run([CY, "run", "calls.riscv", *args], capture_output=True, text=True, cwd=TMP)
    check(done.returncode == 0, f"{args}: {done.stderr}")
    return done.stdout


RECURSIVE = """int odd(int n);
int even(int n)
{
    return n ? odd(n - 1) : 1;
}
int odd(int n)
{
    return n ? even(n - 1) : 0;
}
kernel void k(global int *o) { o[0] = even(o[1]); }
"""
DIRECT = "kernel void k(global int *o);\n\nint fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }\n" \
         "kernel void k(global int *o) { o[0] = fact(o[1]); }\n"


def check_recursion():
    for options in ((), ("-O0",), ("-cl-opt-disable",), ("--no-inline",)):
        text = compile(RECURSIVE, *options, status=1)
        check(text == "calls.cl:2: error: 'even' calls itself: recursion is not allowed in OpenCL C\n", text)
        text = compile(DIRECT, *options, status=1)
        check(text == "calls.cl:3: error: 'fact' calls itself: recursion is not allowed in OpenCL C\n", text)


CHOICE = """int small(int x) { return x * 3; }
__attribute__((noinline)) int marked(int x) { return x ^ 5; }
__attribute__((always_inline)) int never(int x) { return x + 9; }
kernel void helper(global int *o) { o[get_global_id(0)] += 100; }
kernel void k(global int *o)
{
    int i = get_global_id(0);
    o[i] = small(i) + marked(i) + never(i);
    helper(o);
}
"""


def check_choice():
    for options, expected in (((), {"marked"}), (("--no-inline",), {"marked", "small"}),
                              (("-fno-inline",), {"marked", "small"}), (("-O0",), {"marked", "small"}),
                              (("-cl-opt-disable",), {"marked", "small"})):
        kernels, called = functions(compile(CHOICE, *options))
        check(set(kernels) == {"k", "helper"} and set(called) == expected, f"{options}: {called}")
        text = run("--kernel", "k", "--global", "8", "--local", "8", "--arg", "buffer:i32:8", "--print", "0")
        values = [i * 3 + (i ^ 5) + i + 9 + 100 for i in range(8)]
        check(" ".join(map(str, values)) in " ".join(text.split()), f"{options}: {text}")


def check_size():
    """A big function called often is not copied; a chain of doubling calls would be copied without end."""
    steps = "\n".join(f"    x = (x << {n % 7 + 1}) ^ (x >> {n % 5 + 1}) ^ (x * {2 * n + 1}u);" for n in range(400))
    calls = "\n".join(f"    r += big(r + {n});" for n in range(300))
    text = f"uint big(uint x)\n{{\n{steps}\n    return x;\n}}\nkernel void k(global uint *o)\n{{\n    uint r = o[0];\n{calls}\n" \
           "    o[get_global_id(0)] = r;\n}\n"
    kernels, called = functions(compile(text))
    check("big" in called and kernels["k"] < 3000, f"{kernels} {called}")
    doubling = "uint f0(uint x) { return x * 7 + (x >> 3); }\n" + "".join(
        f"uint f{n}(uint x) {{ return f{n - 1}(x) ^ f{n - 1}(x + {n}) * 3; }}\n" for n in range(1, 19))
    text = doubling + "kernel void k(global uint *o) { o[get_global_id(0)] = f18(get_global_id(0)); }\n"
    kernels, called = functions(compile(text))
    check(called and sum(kernels.values()) + sum(called.values()) < 60000, f"{kernels} {called}")
    memory = {}

    def f(n, x):
        if (n, x) not in memory:
            memory[n, x] = (x * 7 + (x >> 3) if n == 0 else f(n - 1, x) ^ f(n - 1, (x + n) & 0xffffffff) * 3) & 0xffffffff
        return memory[n, x]

    text = run("--kernel", "k", "--global", "4", "--local", "4", "--arg", "buffer:u32:4", "--print", "0")
    check(" ".join(str(f(18, x)) for x in range(4)) in " ".join(text.split()), f"doubling: {text}")


def check_unused():
    """Nothing is copied into functions that no kernel calls, as source files bring along that include everything."""
    text = "uint f0(uint x) { return x * 7; }\n" + "".join(
        f"uint f{n}(uint x) {{ return f{n - 1}(x) ^ f{n - 1}(x + {n}) * 3; }}\n" for n in range(1, 18)
    ) + "kernel void k(global uint *o)\n{\n" + "    o[0] = f0(o[1]);\n" * 120 + "}\n"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    compile(text, "--no-cache")
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    check(seconds < 4, f"unused functions: {seconds} s")


def chain(count):
    """Functions that call each other, each twice."""
    return "int f0(int x) { return x + 1; }\n" + "".join(
        f"int f{n}(int x) {{ return x & 1 ? f{n - 1}(x * 3) + {n} : f{n - 1}(x + {n}); }}\n" for n in range(1, count + 1)
    ) + f"kernel void k(global int *o) {{ o[get_global_id(0)] = f{count}(get_global_id(0)); }}\n"


def check_depth():
    """Calls nested deeply; too deeply is an error, not a compiler that does not come back."""
    compile(chain(40), "-O0")

    def f(n, x):
        return x + 1 if n == 0 else f(n - 1, x * 3) + n if x & 1 else f(n - 1, x + n)

    text = run("--kernel", "k", "--global", "4", "--local", "4", "--arg", "buffer:i32:4", "--print", "0")
    values = [(f(40, x) + 2**31) % 2**32 - 2**31 for x in range(4)]
    check(" ".join(map(str, values)) in " ".join(text.split()), f"deep: {text} {values}")
    text = compile(chain(200), "-O0", status=1)
    check("is too big: calls are nested more than 48 deep" in text, text)


check_recursion()
check_choice()
check_size()
check_unused()
check_depth()
sys.exit(1 if failures else 0)
