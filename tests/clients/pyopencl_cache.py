#!/usr/bin/env python3
"""pyopencl's own cache of binaries: in the second run of a program, tools show its source as in the first.  Run without arguments it is the
test, with one the program."""
import os
import subprocess
import sys

SOURCE = """
kernel void average(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float sum = 0;
    for (int i = gid; i <= gid + 1; i++)
        if (i <= n)
            sum += in[i];
    out[gid] = sum / 2;
}
"""
LINE = "            sum += in[i];"


def program():
    import numpy as np
    import pyopencl as cl
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    built = cl.Program(context, SOURCE).build(cache_dir=os.environ["CY_TMP"] + "/kept")
    ones = np.ones(8, dtype=np.float32)
    results = np.empty_like(ones)
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=ones)
    target = cl.Buffer(context, flags.WRITE_ONLY, results.nbytes)
    built.average(queue, (8,), None, source, target, np.int32(8))
    cl.enqueue_copy(queue, results, target)
    print("from source" if built.get_info(cl.program_info.SOURCE) else "from binary", *results[:7])


def run(*words, **environment):
    done = subprocess.run([os.environ["CY"], *words, "--", sys.executable, os.path.abspath(__file__), "program"],
                          env=os.environ | environment, cwd=os.environ["CY_TMP"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def expect(output, *texts):
    for text in texts:
        assert text in output, f"no '{text}' in:\n{output}"


def test(generation):
    device = {"CHENGYING_DEVICES": generation}
    expect(run("exec", **device), "from source 1.0 1.0")
    expect(run("exec", **device), "from binary 1.0 1.0")
    expect(run("check", **device), "from binary", "<source>:8:20: error: read of 4 bytes outside of `in`", f"    8 | {LINE}\n")
    expect(run("profile", **device), "from binary", f"<source>:8  {LINE.strip()}")
    expect(run("debug", "--batch", "--ex", "break average", "--ex", "continue", "--ex", "info locals", "--ex", "detach", **device),
           "from binary", "4\t    int gid = get_global_id(0);", "sum = ")
    expect(run("profile", "--html", "run.html", **device), "from binary")


if len(sys.argv) > 1:
    program()
else:
    test("gen1")
    test("gen2")
