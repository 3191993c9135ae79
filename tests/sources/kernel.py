"""A kernel with a header, that reads one element too many, and what tools say of it."""
SOURCE = """#include "more.h"
kernel void average(global const float *in, global float *out, int n)
{
    int gid = get_global_id(0);
    float sum = 0;
    for (int i = gid; i <= gid + 1; i++)
        sum += pick(in, i, n);
    out[gid] = sum / 2;
}
"""
HEADER = """inline float pick(global const float *in, int i, int n)
{
    return i > n ? 0 : in[i];
}
"""
WRONG = "    3 |     return i > n ? 0 : in[i];\n"
ADD = "sum += pick(in, i, n);"


def write(directory):
    """The header in a directory that may go."""
    (directory / "inc").mkdir(exist_ok=True)
    (directory / "k.cl").write_text(SOURCE, encoding="ascii")
    (directory / "inc" / "more.h").write_text(HEADER, encoding="ascii")


def texts(profile):
    """The lines of a profile's only kernel, by the last part of the file's name."""
    kernel, = profile["kernels"]
    return {(line["file"].split("/")[-1], line["line"]): line["text"] for line in kernel["source_lines"] if "line" in line}
