"""`cy run` from the shell: arguments, files, printing, statistics, errors."""
import os
import re
import struct
import subprocess
import sys

CY, TMP, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
passed = failed = 0


def check(condition, text):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("failed:", text)


def path(name):
    return os.path.join(TMP, name)


def write(name, text):
    with open(path(name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path(name)


def run(*arguments, expect=0):
    done = subprocess.run([CY, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(done.returncode == expect, f"cy run {' '.join(arguments)}: status {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


AXPY = """
    .text
    .globl axpy
    .type axpy, @function
axpy:                           # y[i] = a * x[i] + y[i]
    lw t0, 0(a0)
    lw t1, 4(a0)
    lw t2, 8(a0)
    csrr t3, CSR_KNL
    lw t4, 24(t3)
    csrr t5, CSR_GIDX
    mul t4, t4, t5
    csrr t5, CSR_TID
    add t4, t4, t5
    vid.v v0
    vadd.vx v0, v0, t4
    vsll.vi v0, v0, 2
    vadd.vx v1, v0, t0
    vadd.vx v2, v0, t1
    vlw12.v v3, 0(v1)
    vlw12.v v4, 0(v2)
    vfmacc.vf v4, t2, v3
    vsw12.v v4, 0(v2)
    ret
    .size axpy, .-axpy
    .ventus_kernel axpy
"""
# every work-item copies its 16 argument bytes from a0 + 4 on to out + 16 * id
DUMP = """
    .text
    .globl dump
    .type dump, @function
dump:
    lw t0, 0(a0)
    vid.v v0
    vsll.vi v1, v0, 2
    vadd.vx v2, v1, a0
    vadd.vx v3, v1, t0
    vlw12.v v4, 8(v2)
    vsw12.v v4, 0(v3)
    ret
    .size dump, .-dump
    .ventus_kernel dump
"""
SPIN = """
    .text
    .globl spin
    .type spin, @function
spin:
    j spin
    .size spin, .-spin
    .ventus_kernel spin
    .globl other
    .type other, @function
other:
    ret
    .size other, .-other
    .ventus_kernel other
"""


def test_example():
    out, _ = run(write("axpy.s", AXPY), "--kernel", "axpy", "--global", "1024", "--local", "256",
                 "--arg", "buffer:f32:1024=iota", "--arg", "buffer:f32:1024=ones", "--arg", "3.5", "--print", "1")
    values = [float(v) for line in out.splitlines()[1:] for v in line.split(":")[1].split()]
    check(out.startswith("argument 1: f32[1024]\n"), out[:40])
    check(values == [3.5 * i + 1 for i in range(1024)], "3.5 x + 1")
    out, _ = run(path("axpy.s"), "--global", "1024", "--arg", "buffer:f32:1024=iota", "--arg", "buffer:f32:1024",
                 "--arg", "f32:2", "--print", "1:5")
    check(out == "argument 1: f32[1024]\n     0: 0 2 4 6 8\n", out)


def test_elf_and_object():
    for command in (["as", "-o", path("a.o"), path("axpy.s")], ["ld", "-o", path("a.riscv"), path("a.o")]):
        subprocess.run([CY, *command], check=True)
    for file in ("a.o", "a.riscv"):
        out, _ = run(path(file), "--global", "8", "-a", "buffer:f32:8=iota", "-a", "buffer:f32:8=zeros", "-a", "1.0", "-p", "1")
        check(out == "argument 1: f32[8]\n     0: 0 1 2 3 4 5 6 7\n", out)
    out, _ = run("--list", path("a.riscv"))
    check(re.fullmatch(r"axpy +at 0x[0-9a-f]{8} +32 vGPRs +32 sGPRs .*\n", out), out)


def npy(descr, values, code):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def test_files():
    x = [0.5 * i for i in range(64)]
    write("x.npy", npy("<f4", x, "f"))
    write("x.txt", "\n".join(str(v) for v in x))
    write("x.bin", struct.pack("<64f", *x))
    for file in ("x.npy", "x.txt", "x.bin"):
        run(path("axpy.s"), "--global", "64", "-l", "64", "-a", f"buffer:f32=@{path(file)}", "-a", "buffer:f32:64", "-a", "f32:2",
            *sum((["--out", f"1={path('y' + end)}"] for end in (".npy", ".txt", ".bin")), []))
        expected = [2 * v for v in x]
        check(open(path("y.bin"), "rb").read() == struct.pack("<64f", *expected), f"{file}: raw")
        check([float(v) for v in open(path("y.txt")).read().split()] == expected, f"{file}: text")
        check(open(path("y.npy"), "rb").read() == npy("<f4", expected, "f"), f"{file}: npy")
    # a file that is shorter than its buffer leaves the rest zero
    out, _ = run(path("axpy.s"), "--global", "80", "-l", "16", "-a", f"buffer:f32:80=@{path('x.bin')}", "-a", "buffer:f32:80=7",
                 "-a", "f32:1", "-p", "1:66")
    check(out.splitlines()[-1].split() == ["64:", "7", "7"], out)


def test_values():
    """How arguments are packed, and the types a bare number takes."""
    write("dump.s", DUMP)
    rows = [
        ("7", [7]), ("-1", [0xFFFFFFFF]), ("0xffffffff", [0xFFFFFFFF]), ("3.5", [0x40600000]), ("1e3", [0x447A0000]),
        ("5000000000", [0x2A05F200, 1]), ("f16:1.5", [0x3E00]), ("f16:0.1", [0x2E66]), ("f16:65504", [0x7BFF]),
        ("f16:6e-8", [1]), ("f64:1", [0, 0x3FF00000]), ("i8:-1", [0xFF]), ("u16:65535", [0xFFFF]),
    ]
    for argument, expected in rows: # the dumped bytes start at 8, the offset of the third argument
        out, _ = run(path("dump.s"), "--global", "2", "-l", "2", "-a", "buffer:u32:2", "-a", "0", "-a", argument, "-p", "0")
        got = [int(v) for v in out.splitlines()[1].split(":")[1].split()]
        check(got[: len(expected)] == expected, f"{argument}: {got}")
    # a vector of four is aligned to 16
    out, _ = run(path("dump.s"), "--global", "8", "-l", "8", "-a", "buffer:u32:8", "-a", "0", "-a", "i32:1,2,3,4", "-p", "0")
    check([int(v) for v in out.splitlines()[1].split(":")[1].split()][2:6] == [1, 2, 3, 4], out)
    out, _ = run(path("dump.s"), "--global", "4", "-l", "4", "-a", "buffer:u32:4", "-a", "0", "-a", "local:64", "-a", "local:4", "-p", "0")
    local = [int(v) for v in out.splitlines()[1].split(":")[1].split()]
    check(0x70000000 <= local[0] < local[1] < 0x80000000 and local[1] - local[0] >= 64, out)


def test_initial_values():
    for how, expected in (("zeros", [0] * 4), ("ones", [1] * 4), ("iota", [0, 1, 2, 3]), ("-5", [-5] * 4)):
        out, _ = run(path("dump.s"), "--global", "1", "-a", "buffer:i32:1", "-a", f"buffer:i32:4={how}", "-p", "1")
        check([int(v) for v in out.splitlines()[1].split(":")[1].split()] == expected, f"{how}: {out}")
    once, _ = run(path("dump.s"), "--global", "1", "-a", "buffer:i32:1", "-a", "buffer:u8:100=random:5", "-p", "1")
    again, _ = run(path("dump.s"), "--global", "1", "-a", "buffer:i32:1", "-a", "buffer:u8:100=random:5", "-p", "1")
    other, _ = run(path("dump.s"), "--global", "1", "-a", "buffer:i32:1", "-a", "buffer:u8:100=random:6", "-p", "1")
    check(once == again != other, "seeds")
    out, _ = run(path("dump.s"), "--global", "1", "-a", "buffer:i32:1", "-a", "buffer:f32:100=random", "-p", "1")
    values = [float(v) for line in out.splitlines()[1:] for v in line.split(":")[1].split()]
    check(all(0 <= v < 1 for v in values) and len(set(values)) > 90, "random floats are in [0, 1)")


def test_stats_and_trace():
    out, _ = run(path("axpy.s"), "--global", "100", "-l", "32", "-a", "buffer:f32:128=iota", "-a", "buffer:f32:128", "-a", "1.0",
                 "--stats", "--trace", path("trace.log"), "--threads", "16")
    table = {line.split()[0]: line for line in out.splitlines()}
    check("lanes active" in out and re.search(r"workgroups +4  with 7 warps, 100 work-items", out), out)
    check(re.search(r"global +loads", out) and re.search(r"global +stores +7 +400 ", out), out)
    total = int(re.search(r"^warp instructions +(\d+)$", out, re.M)[1])
    parts = [int(n) for n in re.findall(r"^  [a-z]+ .* (\d+) +[0-9.]+ %$", out, re.M)]
    check(sum(parts) == total and total > 0, f"classes add up to {sum(parts)} of {total}")
    log = open(path("trace.log")).read().splitlines()
    check(all(re.match(r"core +\d+: 3 0x[0-9a-f]{8} \(0x[0-9a-f]{8}\) ", line) for line in log), "trace lines")
    check(any(line.startswith("core   7:") for line in log) is False and any(line.startswith("core   6:") for line in log),
          "warps are numbered in dispatch order")
    check("valu" in table, "class rows")


def test_machine_options():
    write("m.conf", "preset = rtl\nsms = 1\n")
    arguments = [path("axpy.s"), "--global", "64", "-l", "64", "-a", "buffer:f32:64=iota", "-a", "buffer:f32:64", "-a", "1.0"]
    out, _ = run("--config", path("m.conf"), "--stats", *arguments)
    check(re.search(r"workgroups +1  with 8 warps, 64 work-items", out), out)
    _, err = run("--config", path("m.conf"), "--set", "warps=4", *arguments, expect=1)
    check("needs 8 warps of 8 threads; an SM has 4" in err, err)
    write("bad.conf", "sms = 1\nthread = 8\n")
    _, err = run("--config", path("bad.conf"), *arguments, expect=1)
    check(f"{path('bad.conf')}:2:1: error: unknown setting 'thread'; did you mean 'threads'?" in err and "^~~~~~" in err, err)
    _, err = run("--sms", "many", *arguments, expect=1)
    check("'sms' needs a number" in err, err)


def test_mistakes():
    spin = write("spin.s", SPIN)
    for arguments, status, text in (
        ([], 2, "no input file"),
        ([spin], 2, "--global X[,Y[,Z]] is missing"),
        ([spin, "--global", "1,2,3,4"], 2, "up to three numbers"),
        ([spin, "--global", "x"], 2, "up to three numbers"),
        ([spin, "--global", "1", "-p", "0"], 2, "argument 0 is not a buffer"),
        ([spin, "--global", "1", "-a", "7", "-p", "0"], 2, "argument 0 is not a buffer"),
        ([spin, "--global", "1", "-a", "x"], 1, "'x' is not a number of type f32"),
        ([spin, "--global", "1", "-a", "buffer:f33:4"], 1, "TYPE is one of"),
        ([spin, "--global", "1", "-a", "buffer:f32"], 1, "a buffer is buffer:TYPE:COUNT"),
        ([spin, "--global", "1", "-a", "buffer:f32:0"], 1, "number of elements"),
        ([spin, "--global", "1", "-a", "buffer:i8:4=300"], 1, "a number of the type or @FILE after '='"),
        ([spin, "--global", "1", "-a", "i8:300"], 1, "'300' is not a number of type i8"),
        ([spin, "--global", "1", "-a", "local:x"], 1, "local memory is local:BYTES"),
        ([spin, "--global", "1", "-a", "buffer:f32=@" + path("nothing.npy")], 1, "nothing.npy"),
        ([spin, "--global", "1"], 1, "several kernels, choose one with --kernel: spin, other"),
        ([spin, "--global", "1", "-k", "spln"], 1, "no kernel 'spln'; there are spin, other"),
        ([path("nofile.s"), "--global", "1"], 1, "nofile.s"),
        ([write("wrong.s", "    vad.vv v1, v2, v3\n"), "--global", "1"], 1, "did you mean 'vadd.vv'?"),
        ([spin, "-k", "spin", "--global", "1", "--set", "watchdog-instructions=1000"], 1, "the launch ran too long"),
        ([spin, "-k", "other", "--global", "1", "--set", "memory=1M", "-a", "buffer:f32:1000000"], 1, "out of device memory"),
    ):
        _, err = run(*arguments, expect=status)
        check(text in err, f"{arguments}: '{text}' not in: {err}")
    write("x.npy", npy("<f8", [1.0], "d"))
    _, err = run(spin, "-k", "other", "--global", "1", "-a", f"buffer:f32=@{path('x.npy')}", expect=1)
    check("the array is of type '<f8', not of f32 ('<f4')" in err, err)
    write("x.txt", "1 2\n3 four\n")
    _, err = run(spin, "-k", "other", "--global", "1", "-a", f"buffer:f32=@{path('x.txt')}", expect=1)
    check("x.txt:2:3: error: not a number of type f32" in err, err)


def test_progress():
    """A run of over two seconds says how far it is, on standard error."""
    _, err = run(path("spin.s"), "-k", "spin", "--global", "1", "--set", "watchdog-seconds=3", expect=1)
    check(re.search(r"^0 of 1 workgroups \(0 %\), \d+ million instructions, 2\.\d s$", err, re.M), err)


def test_sources():
    """OpenCL C is compiled, .S goes through the preprocessor; an offset of zeros is an offset."""
    kernel = "kernel void twice(global uint *x) { x[get_global_id(0)] *= 2; }\n"
    out, _ = run(write("twice.cl", kernel), "--global", "4", "--offset", "0,0,0", "-a", "buffer:u32:4=iota", "-p", "0")
    check("0 2 4 6" in out, out)
    out, _ = run(path("twice.cl"), "--global", "2", "--offset", "2", "-a", "buffer:u32:4=iota", "-p", "0")
    check("0 1 4 6" in out, out)
    _, err = run(write("bad.cl", "kernel void k(global int *x) { x = y; }\n"), "--global", "1", expect=1)
    check("bad.cl:1:36: error: use of undeclared identifier 'y'" in err, err)
    write("axpy.S", "#define RESULT axpy\n" + AXPY.replace("globl axpy", "globl RESULT"))
    out, _ = run(path("axpy.S"), "--list")
    check(out.startswith("axpy "), out)


SIGNATURES = """typedef struct { int a; float b; } pair;
kernel void scale(global float *out, global const float *restrict in, float factor, uint n, local int *scratch)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = in[i] * factor;
}
kernel void mixed(global int *out, float3 v, long l, pair p, constant uchar4 *c)
{
    out[0] = (int)v.z, out[1] = (int)l, out[2] = p.a, out[3] = (int)p.b, out[4] = c[0].z;
}
kernel void nothing(void) { }
kernel void wild(global int *p)
{
    int i = get_global_id(0);
    if (i == 5)
        p[1 << 28] = 1;
}
"""


def test_signature():
    """Arguments are checked against the kernel's declaration; numbers take its types."""
    source = write("signatures.cl", SIGNATURES)
    scale = "kernel void scale(global float *out, global const float *restrict in, float factor, uint n, local int *scratch)"
    mixed = "kernel void mixed(global int *out, float3 v, long l, pair p, constant uchar4 *c)"
    floats, local = "buffer:f32:8=iota", "local:64"
    for kernel, arguments, text in (
        ("scale", [floats], "takes 5 arguments, but 1 is given"),
        ("scale", [floats] * 6, "takes 5 arguments, but 6 are given"),
        ("scale", [floats, "buffer:i32:8", "2", "8", local], "parameter 1, which takes buffer:f32:COUNT"),
        ("scale", [floats, "buffer:f64:8", "2", "8", local], "parameter 1, which takes buffer:f32:COUNT"),
        ("scale", [floats, "7", "2", "8", local], "parameter 1, which takes buffer:f32:COUNT"),
        ("scale", [floats, floats, "i32:2", "8", local], "parameter 2, which takes f32:NUMBER"),
        ("scale", [floats, floats, "f64:2", "8", local], "parameter 2, which takes f32:NUMBER"),
        ("scale", [floats, floats, "1,2", "8", local], "parameter 2, which takes f32:NUMBER"),
        ("scale", [floats, floats, "2", "8.5", local], "'8.5' does not fit parameter 3, which takes u32:NUMBER"),
        ("scale", [floats, floats, "2", "8", "64"], "parameter 4, which takes local:BYTES"),
        ("scale", [floats, floats, "2", "8", floats], "parameter 4, which takes local:BYTES"),
        ("scale", [local, floats, "2", "8", local], "parameter 0, which takes buffer:f32:COUNT"),
        ("mixed", ["buffer:i32:8", "1,2", "3", "i32:1,2", "buffer:u8:4"], "which takes f32:NUMBER,... (3 numbers)"),
        ("mixed", ["buffer:i32:8", "1,2,3", "3", "i32:1,2,3", "buffer:u8:4"], "which takes 8 bytes"),
        ("mixed", ["buffer:i32:8", "1,2,3", "i32:3", "i32:1,2", "buffer:u8:4"], "which takes i64:NUMBER"),
        ("nothing", ["1"], "takes 0 arguments, but 1 is given with --arg; the kernel is\n  kernel void nothing(void)\n"),
    ):
        words = [word for argument in arguments for word in ("-a", argument)]
        _, err = run(source, "-k", kernel, "--global", "8", *words, expect=1)
        check(text in err and {"scale": scale, "mixed": mixed, "nothing": "(void)"}[kernel] in err, f"{arguments}: {err}")
    out, _ = run(source, "-k", "scale", "--global", "8", "-a", "buffer:f32:8", "-a", floats, "-a", "2", "-a", "i32:8", "-a", local,
                 "-p", "0")
    check("0 2 4 6 8 10 12 14" in out, out)
    out, _ = run(source, "-k", "mixed", "--global", "1", "-a", "buffer:u32:5", "-a", "1,2,3.5", "-a", "77", "-a",
                 "i32:5,0x40e00000", "-a", "buffer:u8:4=9", "-p", "0")
    check("3 77 5 7 9" in out, out)
    run(source, "-k", "nothing", "--global", "1")
    for words, place in ([], source), (["-g"], source):
        _, err = run(source, *words, "-k", "wild", "--global", "8", "-a", "buffer:i32:8", expect=1)
        check(f"source    {place}:17\n" in err and "wild+0x" in err, err)


FLOW = """kernel void flow(global int *p)
{
    local int here[16];
    int i = get_local_id(0);
    if (i < 4)
        p[i] = i * 3;
    here[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i] += here[i ^ 1];
}
"""


def test_trace():
    """The full trace has every instruction by name, and without its comments it is the commit log."""
    launch = [write("flow.cl", FLOW), "--global", "16", "--local", "16", "--threads", "8", "-a", "buffer:i32:16"]
    full, _ = run(*launch, "--trace", "-")
    commit, _ = run(*launch, "--trace", "-", "--trace-format", "commit")
    run(*launch, "--trace", path("flow.log"))
    stats, _ = run(*launch, "--stats")
    check(full == open(path("flow.log")).read(), "the same in a file")
    lines = full.splitlines()
    total = int(re.search(r"^warp instructions +(\d+)$", stats, re.M)[1])
    check(len(lines) == total, f"{len(lines)} lines for {total} instructions")
    commits = []
    for line in lines:
        match = re.match(r"(core +\d+: 3 0x[0-9a-f]{8} \(0x[0-9a-f]{8}\))(.*?) ; ([a-z][a-z0-9._]*)( .*)?$", line)
        check(match, line)
        if match and match[2]:
            commits.append(match[1] + match[2])
    check(commits == commit.splitlines(), "what is committed is the commit log")
    check("; " not in commit, "the commit log has no comments")
    split = [line for line in lines if re.search(r" ; vb\w+ .* ; taken [0-9a-f]{8} of 000000ff ; mask 000000ff -> [0-9a-f]{8}$", line)]
    check(len(split) == 1, f"one branch splits the first warp: {split}")
    joins = [line for line in lines if re.search(r" ; join .* ; to 0x[0-9a-f]{8} ; mask [0-9a-f]{8} -> [0-9a-f]{8}$", line)]
    check(len(joins) == 2 and joins[-1].endswith("-> 000000ff"), joins)
    check(len([line for line in lines if re.search(r" ; barrier .* ; waits for its workgroup$", line)]) == 2, "barriers")
    check(any(re.search(r" ; (jr t1|b\w+ .*) ; taken, to 0x800", line) for line in lines), "jumps say where")
    check(len([line for line in lines if re.search(r" ; endprg( |$)", line)]) == 2, "both ends")
    _, err = run(*launch, "--trace", "-", "--trace-format", "long", expect=2)
    check("--trace-format is full or commit, not 'long'" in err, err)


def main():
    test_example()
    test_sources()
    test_elf_and_object()
    test_files()
    test_values()
    test_initial_values()
    test_stats_and_trace()
    test_signature()
    test_trace()
    test_machine_options()
    test_mistakes()
    test_progress()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
