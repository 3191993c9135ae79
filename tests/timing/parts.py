"""The parts of the model one by one: small programs of kinds that the measured rows do not have, against what the RTL's source and
traces say about each part (docs/timing-facts.md).  What a thing costs is the difference between two programs that have more and less
of it, so that launch, prologue and end cancel."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
from checks import check, finish  # noqa: E402

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
KERNEL = """
        .text
        .ventus_kernel k, pds=0, lds=8192
k:      lw      a1, 0(a0)               # the buffer
        csrr    t0, tid
        vid.v   v1
        vadd.vx v1, v1, t0
        vsll.vi v2, v1, 2
        vadd.vx v3, v2, a1              # v3: the work-item's word
        vsll.vi v4, v1, 3
        vadd.vx v4, v4, a1              # v4: a line of its own
        vmv.v.x v5, a1                  # v5: one word for all
        csrr    t1, lds
        vsll.vi v6, v1, 2
        vadd.vx v6, v6, t1              # v6: a word of its own in local memory,
        vsll.vi v7, v1, 7
        vadd.vx v7, v7, t1              # v7: and one in the bank of the others'
        li      s2, 7
        li      s3, 3
        li      s8, 8
        vmv.v.i v20, 7
        vmv.v.i v22, 1
        vmv.v.i v23, 5
        vmv.v.i v21, 3
        li      s1, {turns}
        .balign 8
turn:
{body}
        addi    s1, s1, -1
        bnez    s1, turn
last:   ret
        .size   k, . - k
"""


def cycles(body, turns=8, warps=1, threads=4, settings=(), groups=1, sms=1):
    path = os.path.join(TMP, "k.s")
    with open(path, "w", encoding="ascii") as file:
        file.write(KERNEL.format(body=body, turns=turns))
    preset = [setting.split("=")[1] for setting in settings if setting.startswith("timing=")] or ["ventus-verilog"]
    words = [CY, "run", path, "-k", "k", f"--timing={preset[0]}", "--no-progress", "--threads", str(threads), "--warps", "8", "--sms", str(sms),
             "--global", str(warps * threads * groups), "--local", str(warps * threads), "--arg", "buffer:i32:65536"]
    for setting in settings:
        words += [] if setting.startswith("timing=") else ["--set", setting]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=20)
    found = re.search(r"^cycles: (\d+)$", done.stdout, re.M)
    check(found and done.returncode == 0, f"{body[:80]!r}: {done.stdout}{done.stderr}")
    return int(found[1]) if found else 0


def turn(body, turns, **how):
    """Cycles of one turn of a loop that fits the instruction cache."""
    return (cycles(body, 3 * turns, **how) - cycles(body, turns, **how)) / (2 * turns)


def each(line, copies=8, turns=8, **how):
    """Cycles of one copy of a line in such a loop; {r} is another register in every copy."""
    many, few = ("\n".join(line.replace("{r}", f"x{24 + i % 8}").replace("{v}", f"v{8 + i % 8}") for i in range(n))
                 for n in (2 * copies, copies))
    return (turn(many, turns, **how) - turn(few, turns, **how)) / copies


def expect(what, found, low, high):
    print(f"{what:64} {found:9.2f}   {low} to {high}")
    check(low <= found <= high, f"{what}: {found:.2f} cycles, not {low} to {high}")


def dependent_instructions():
    """Issue to dependent issue: 2 + operands + their banks, the unit, 1; and every second instruction waits for its pair to open."""
    pair = 0.5
    for what, line, cycles_of_unit, operands, banks in (
            ("addi", "addi s4, s4, 1", 1, 1, 1), ("add, one register twice", "add s4, s4, s4", 1, 2, 1),
            ("add, two banks", "add s4, s4, s3", 1, 2, 2), ("mul", "mul s4, s4, s4", 3, 2, 1),
            ("csrr, which reads x0", "csrr s4, tid", 1, 1, 1), ("vadd.vv, one bank", "vadd.vv v8, v8, v12", 1, 2, 1),
            ("vadd.vv, two banks", "vadd.vv v8, v8, v9", 1, 2, 2), ("vadd.vx, a scalar and a vector bank", "vadd.vx v8, v8, s8", 1, 2, 2),
            ("vmul.vv", "vmul.vv v8, v8, v8", 3, 2, 1), ("vmacc.vv, two banks", "vmacc.vv v8, v12, v17", 3, 3, 2),
            ("vfadd.vv", "vfadd.vv v8, v8, v8", 3, 2, 1), ("vfmin.vv", "vfmin.vv v8, v8, v8", 2, 2, 1),
            ("vfmadd.vv, one bank", "vfmadd.vv v8, v12, v16", 5, 3, 1), ("vfmadd.vv, three banks", "vfmadd.vv v8, v13, v18", 5, 3, 3),
            ("vfsqrt.v, 4 lanes one after the other", "vfsqrt.v v8, v8", 46, 1, 1), ("vfdiv.vv", "vfdiv.vv v8, v20, v20", 46, 2, 1),
            ("divu, 3 bits by 2", "divu s4, s2, s3", 2 + 5 + 3 - 2, 2, 2),
            ("vftta.vv, which reads what it adds to", "vftta.vv v8, v20, v20", 8, 3, 1)):
        known = 2 + operands + banks + cycles_of_unit + 1 + pair
        expect(what, each(line, copies=4), known, known)


def control():
    expect("jal to the next pair", each("jal zero, 9f\nnop\n9:"), 8, 8.5)
    expect("beq taken", each("beq zero, zero, 9f\nnop\n9:"), 11, 11.5)
    expect("bne not taken", each("bne zero, zero, last"), 7, 9)
    expect("barrier, 1 warp", each("barrier"), 3, 4)
    expect("barrier, 2 warps", each("barrier", warps=2), 4, 6)
    expect("barrier, 8 warps", each("barrier", warps=8), 11, 14)
    # odd lanes take the branch; both paths reconverge at the join
    branch = "auipc t1, 0\nsetrpc zero, t1, 24\nvbeq v{n}, v22, 8f\nvadd.vi v8, v8, 1\nbeq zero, zero, 9f\n8: nop\n9: join zero, zero, 0"
    none, some = (each(branch.format(n=n), copies=3) for n in (23, 1))
    expect("a divergent branch costs more than one that no lane takes", some - none, 5, 40)


def many_warps():
    """One operand per cycle reaches the collectors; an operand that is alone in its bank can take two."""
    expect("addi, 8 warps, per instruction", each("addi {r}, {r}, 1", warps=8) / 8, 1.4, 2.5)
    expect("vadd.vv, 8 warps, per instruction", each("vadd.vv v8, v20, v21", warps=8) / 8, 2, 4)
    expect("vfmadd.vv, 8 warps, per instruction", each("vfmadd.vv v8, v20, v21", warps=8) / 8, 3, 5)
    expect("vfdiv.vv, 8 warps share one unit", each("vfdiv.vv v8, v20, v21", copies=2, warps=8) / 8, 45, 48)
    mix = each("vfdiv.vv v8, v20, v21\nvadd.vi v9, v9, 1\nvadd.vi v10, v10, 1\nvadd.vi v11, v11, 1", copies=2, warps=8) / 8
    expect("vfdiv.vv and three additions: the latter are hidden", mix, 45, 50)
    scalar = each("addi {r}, {r}, 1\nvadd.vi {v}, {v}, 1", warps=8) / 8
    expect("a scalar and a vector instruction, 8 warps", scalar, 2.5, 6)


def loads():
    large = ("l1d_sets=128", )  # all warps' lines fit
    for lines, line, threads in ((1, "vlw12.v v8, 0(v5)", 4), (2, "vlw12.v v8, 0(v3)", 4), (4, "vlw12.v v8, 0(v4)", 4),
                                 (8, "vlw12.v v8, 0(v4)", 8)):
        warps = 8 if threads == 4 else 4
        expect(f"hit of {lines} lines, {warps} warps: lines + 3", each(line, warps=warps, threads=threads, settings=large) / warps, lines + 2,
               lines + 5)
    chase = "lw t1, 0(a1)\nadd a1, a1, t1\naddi a1, a1, {step}"  # the words are 0
    hit = each(chase.format(step=0), copies=4)
    for latency in (1, 4, 40, 1000, 100000):
        miss = each(chase.format(step=8), copies=4, turns=4, settings=(f"memory_latency={latency}", ))
        expect(f"a load that misses, {latency} cycles of memory: more than a hit", miss - hit, latency + 9, latency + 13)


def misses():
    """Four lines are missing at a time, so as many share a latency; with one request in memory at a time, none do."""
    stream = "vlw12.v v8, 0(v4)\nvadd.vi v4, v4, 15\nvadd.vi v4, v4, 15\nvadd.vi v4, v4, 2"
    known = (("4 lines missing at a time", (), 1.0), ("1", ("l1d_mshrs=1", ), 4.0), ("2", ("l1d_mshrs=2", ), 2.0),
             ("4, but 1 at the L2", ("l2_mshrs=1", ), 4.0), ("4, but memory takes 1", ("memory_outstanding=1", ), 4.0))
    for what, settings, latencies in known:
        found = each(stream, copies=3, turns=4, settings=("memory_latency=1000", *settings)) / 1000
        expect(f"4 new lines, {what}: memory latencies", found, latencies, latencies + 0.1 * latencies)
    wide = each(stream.replace("v4, v4, 2", "v4, v4, 2\n" + "vadd.vi v4, v4, 8\n" * 4), copies=3, turns=4, threads=8,
                settings=("memory_latency=1000", )) / 1000
    expect("8 new lines, 4 missing at a time: memory latencies", wide, 2, 2.2)


def stores():
    """A second store to a line waits until the L2 has answered the first."""
    for latency, low, high in ((4, 11, 16), (40, 45, 56)):
        found = each("vsw12.v v20, 0(v3)", copies=4, settings=(f"memory_latency={latency}", ))
        expect(f"stores to the same 2 lines, memory latency {latency}", found, low, high)
    expect("stores that hit write the L1D only", each("vlw12.v v8, 0(v3)\nvsw12.v v20, 0(v3)", settings=("memory_latency=1000", ), copies=3), 5, 30)


def atomics():
    """Done by the L2: each dependent one waits for memory, where the L2 never hits."""
    line = "vmv.v.i v9, 1\namoadd.w v8, v9, (v5)\nvadd.vi v10, v8, 0"
    expect("atomic addition, result used", each(line, copies=2, settings=("memory_latency=1000", )), 1000, 1050)


def code():
    """Straight code, every instruction new: cycles per instruction by the notes, 5.4, 8.0 and 13.3."""
    for latency, known in ((4, 5.4), (20, 8.0), (40, 13.3)):
        few, many = (cycles("\n".join(["addi x{}, x0, 1".format(24 + i % 8) for i in range(n)]), turns=1,
                            settings=(f"memory_latency={latency}", )) for n in (64, 320))
        expect(f"cold code, memory latency {latency}", (many - few) / 256, 0.8 * known, 1.2 * known)
    fits, thrashes = (turn("\n".join(["addi x{}, x0, 1".format(24 + i % 8) for i in range(n)]), 10, settings=("memory_latency=20", )) / n
                      for n in (100, 180))
    expect("a loop of 408 bytes fits the instruction cache", fits, 5, 6)
    expect("a loop of 728 bytes does not: more cycles per instruction", thrashes - fits, 0.5, 20)


def workgroups():
    empty = "nop"
    one, many = (cycles(empty, turns=1, groups=groups) for groups in (1, 41))
    two = cycles(empty, turns=1, groups=41, sms=2)
    check(many > two > one, f"41 workgroups on one SM {many} cycles, on two {two}; one workgroup {one}")
    slow = cycles(empty, turns=1, groups=41, sms=2, settings=("dispatch_interval=500", ))
    expect("40 workgroups at an interval of 500 cycles, per workgroup", (slow - one) / 40, 490, 510)
    last = cycles(empty, turns=1, warps=8, groups=9), cycles(empty, turns=1, warps=8, groups=1)
    expect("workgroups that fill an SM follow one another, per workgroup", (last[0] - last[1]) / 8, 60, last[1])


def chisel():
    """Two issue slots, and as many instructions leave the collectors.  Fetches of two words, most of which come too early, limit
    scalar code of 8 warps; with wider ones both slots are used."""
    line, preset = "addi {r}, x0, 1", ("timing=ventus-chisel", )
    verilog, newer = each(line, warps=8) / 8, each(line, warps=8, settings=preset) / 8
    check(newer < verilog, f"ventus-chisel: an instruction of 8 warps in {newer:.2f} cycles, {verilog:.2f} on the Verilog")
    for slots, low, high in ((1, 0.95, 1.1), (2, 0.45, 0.8)):
        settings = (*preset, "fetch_bytes=16", f"issue_width={slots}")
        expect(f"ventus-chisel, wide fetches, {slots} issue slots: an instruction", each(line, warps=8, settings=settings) / 8, low, high)
    wide = each("vlw12.v v8, 0(v4)", warps=8, threads=16, settings=preset) / 8
    expect("ventus-chisel: 16 lanes of 8 bytes are one line", wide, 3, 6)
    free, conflicts = (each(f"vlw12.v v8, 0({v})", copies=4, threads=32, settings=preset) for v in ("v6", "v7"))
    expect("ventus-chisel: 32 words of one bank of local memory, more cycles", conflicts - free, 31, 31)


def main():
    dependent_instructions()
    control()
    many_warps()
    loads()
    misses()
    stores()
    atomics()
    code()
    workgroups()
    chisel()
    finish()


main()
