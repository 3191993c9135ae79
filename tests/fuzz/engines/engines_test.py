#!/usr/bin/env python3
"""Programs that do differ are found, attributed, and made small: pointers of the two generations have different sizes."""
import os
import sys
import tempfile
from dataclasses import replace

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import opencl
import reduce
from configuration import ORACLE, draw, pairs
from engines import difference
from program import kind_of

SEED = 7
GEN2 = replace(ORACLE, generation="gen2")


def check(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def with_fault(line):
    """A program with a line at the end of its last kernel."""
    program = opencl.generate(SEED)
    at = program.source.rindex("[gid] = h;")
    at = program.source.rindex("\n", 0, at)
    return program.with_source(program.source[:at] + f"\n{line}" + program.source[at:])


def run(programs, configuration):
    with tempfile.TemporaryDirectory(prefix="engines") as folder:
        return opencl.run(programs, configuration, folder)


def main():
    right, wrong = opencl.generate(SEED + 1), with_fault("    h ^= sizeof(in);")
    expected, got = run([right, wrong], ORACLE), run([right, wrong], GEN2)
    check(not difference(expected[0], got[0], ORACLE, GEN2, right), "a program that is right differs")
    check("differs at" in difference(expected[1], got[1], ORACLE, GEN2, wrong), "a program that is wrong does not differ")
    check(expected[0].words and not expected[0].fault, "the interpreter gives nothing")

    checked = replace(ORACLE, attached="check")
    for result in run([with_fault("    h ^= in[1000000 + (lid & 1)];")], checked):
        check("reports" in difference(expected[1], result, ORACLE, checked, wrong), "check does not report an access outside of a buffer")

    counted = replace(ORACLE, attached="counting")
    result = run([right], counted)[0]
    check(result.instructions > 10 and result.items and "vadd.vv" in result.rows or "vadd.vx" in result.rows, "nothing is counted")
    fewer = replace(result, instructions=result.instructions - 1)
    jit = replace(counted, engine="jit")
    check("counts" in difference(result, fewer, counted, jit, right), "a wrong count is not seen")

    with tempfile.TemporaryDirectory() as folder:
        check(reduce.reduce_program(opencl, wrong, ORACLE, GEN2, False, folder, seconds=240) == 0, "not reduced")
        smallest = opencl.read(os.path.join(folder, "reduced.cl"))
    lines = [line for line in smallest.source.splitlines() if line.strip()]
    print("\n".join(lines))
    check(len(lines) <= 15 and "sizeof" in smallest.source, f"{len(lines)} lines are left")

    for seed in range(200):
        oracle, drawn, is_raw = draw(seed, ["sse2", "avx2"], 4)
        check(drawn == draw(seed, ["sse2", "avx2"], 4)[1] and len(drawn) >= 4, "configurations depend on more than the seed")
        check(not is_raw or len({(c.optimise, c.generation) for c in [oracle, *drawn]}) == 1, "NaNs of different machine code are compared")
        check(all(len(set(pairs(c))) == 36 for c in drawn), "pairs")
    try:
        kind_of("spirv")
    except ValueError as error:
        check("SPIR-V" in str(error), "no word about SPIR-V")
    else:
        check(False, "there are no programs in SPIR-V yet")
    print("ok")


main()
