"""`cy replay`: recordings made here, replayed; final memory against Python, the commit log against the rules of its format
and against a warp-by-warp recomputation of what the kernel must have loaded and stored."""
import os
import re
import struct
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]
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
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def cy(*arguments, expect=0):
    done = subprocess.run([CY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(done.returncode == expect, f"cy {' '.join(arguments)}: status {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode(), done.stderr.decode()


def words(data):
    data = data + b"\0" * (-len(data) % 4)
    return [w for (w,) in struct.iter_unpack("<I", data)]


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def record(name, launch, buffers, start_pc=0x80000000):
    """Writes NAME.metadata and NAME.data; buffers: (base, bytes, allocated)."""
    values = ([] if start_pc is None else [start_pc]) + launch + [len(buffers)]
    values += [base for base, _, _ in buffers] + [len(data) for _, data, _ in buffers] + [size for _, _, size in buffers]
    write(name + ".metadata", "".join(f"{v & 0xffffffff:08x}\n{v >> 32:08x}\n" for v in values))
    write(name + ".data", "".join(f"{w:08x}\n" for _, data, _ in buffers for w in words(data)))
    return path(name + ".metadata")


def elf_segments(file):
    data = open(file, "rb").read()
    entry, phoff = struct.unpack_from("<II", data, 24)
    size, count = struct.unpack_from("<HH", data, 42)
    for i in range(count):
        kind, offset, address, _, filesz, memsz, flags, _ = struct.unpack_from("<8I", data, phoff + i * size)
        if kind == 1:
            yield address, data[offset : offset + filesz] + b"\0" * (memsz - filesz), flags
    assert entry


def symbol(file, name):
    table = subprocess.run(["readelf", "-sW", file], stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in table.splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[7] == name:
            return int(fields[1], 16)
    raise KeyError(name)


KERNEL = """
    .text
    .globl k
    .type k, @function
k:                              # c[i] = a[i] + b[i]; the last one counts workgroups in .data
    lw      t0, 0(a0)
    lw      t1, 4(a0)
    lw      t2, 8(a0)
    csrr    t3, CSR_GIDX
    csrr    t4, CSR_NUMW
    csrr    t5, CSR_NUMT
    mul     t4, t4, t5
    mul     t3, t3, t4
    csrr    t4, CSR_TID
    add     t3, t3, t4
    vid.v   v0
    vadd.vx v40, v0, t3         # takes a prefix
    vsll.vi v1, v40, 2
    vadd.vx v2, v1, t0
    vadd.vx v3, v1, t1
    vadd.vx v4, v1, t2
    vlw12.v v5, 0(v2)
    vlw12.v v6, 0(v3)
    vfadd.vv v7, v5, v6
    barrier x0, x0, 0
    vsw12.v v7, 0(v4)
    la      t6, count
    lw      t5, 0(t6)
    addi    t5, t5, 1
    sw      t5, 0(t6)
    sb      t5, 4(t6)
    sh      t5, 6(t6)
    ret
    .size k, .-k
    .data
count: .word 100
       .word 0
"""
A, B, C, KNL, ARGS, PDS = 0x90000000, 0x90001000, 0x90002000, 0x90003000, 0x90004000, 0x90100000


def build():
    write("k.s", KERNEL)
    cy("as", "-o", path("k.o"), path("k.s"))
    cy("ld", "-o", path("k.riscv"), path("k.o"))
    return path("k.riscv")


def launch_values(groups, threads, warps, knl=KNL):
    return [0, groups, 1, 1, threads, warps, knl, 4096, 1024, 32, 48, PDS]


def metadata(elf):
    return struct.pack("<14I", symbol(elf, "k"), ARGS, 1, 64, 1, 1, 16, 1, 1, 0, 0, 0, 0, 0)


def buffers(elf, code=True):
    a, b = [1.5 * i for i in range(64)], [100.0 - i for i in range(64)]
    result = [(A, floats(a), 4096), (B, floats(b), 4096), (C, bytes(256), 4096), (KNL, metadata(elf), 4096),
              (ARGS, struct.pack("<3I", A, B, C), 4096)]
    if code:
        result += [(address, data, (len(data) + 4095) & ~4095) for address, data, flags in elf_segments(elf)]
    return result, a, b


def check_memory(directory, name, a, b):
    raw = open(f"{directory}/{name}_{C:08x}.bin", "rb").read()
    got = struct.unpack("<64f", raw)
    check(list(got) == [x + y for x, y in zip(a, b)], f"{name}: c is not a + b")
    text = open(f"{directory}/{name}_{C:08x}.txt", encoding="utf-8").read().split()
    check([int(w, 16) for w in text] == words(raw), f"{name}: text and raw dump differ")


LINE = re.compile(
    r"core *(\d+): 3 0x([0-9a-f]{8}) \(0x([0-9a-f]{8})\)"
    r"(?: x(\d+) +0x([0-9a-f]{8}))?(?: v(\d+) +([0-9a-f]{8}) 0x((?:[0-9a-f]{8} ?)+?))?((?: mem 0x[0-9a-f]{8}(?: 0x[0-9a-f]+)?)*)")


def check_log(file, threads, warps, groups, a, b):
    lines = open(file, encoding="utf-8").read().splitlines()
    parsed = [LINE.fullmatch(line) for line in lines]
    check(all(parsed), f"lines that are not of the format: {[l for l, p in zip(lines, parsed) if not p][:3]}")
    if not all(parsed):
        return
    check(all(line.startswith(f"core{int(p[1]):4}: 3 ") for line, p in zip(lines, parsed)), "the core column is not %4d")
    per_warp = {}
    for p in parsed:
        per_warp.setdefault(int(p[1]), []).append(p)
    check(sorted(per_warp) == list(range(warps * groups)), f"warps {sorted(per_warp)}")
    mask = f"{(1 << threads) - 1:08x}"
    for number, events in per_warp.items():
        first = number // warps * warps * threads + number % warps * threads
        vector = [p for p in events if p[6]]
        check(all(p[7] == mask for p in vector), "active mask")
        ids = next(p for p in vector if p[6] == "40")
        check([int(x, 16) for x in ids[8].split()] == [first + i for i in reversed(range(threads))], "v40, highest lane first")
        loads = [p for p in vector if "mem" in p[9]]
        check(len(loads) == 2, "two vector loads")
        check(loads[0][9] == "".join(f" mem 0x{A + 4 * (first + i):08x}" for i in range(threads)), "addresses of a, ascending")
        total = [w for i in range(threads) for w in words(floats([a[first + i] + b[first + i]]))]
        stores = [p for p in events if not p[6] and p[9].count("mem") == threads and threads > 1]
        check(len(stores) == 1 and stores[0][9] ==
              "".join(f" mem 0x{C + 4 * (first + i):08x} 0x{total[i]:08x}" for i in range(threads)), "stores to c")
    narrow = [p[9] for p in per_warp[0] if not p[6] and not p[4] and "mem" in p[9]][-3:]
    check([len(text.split("0x")[-1]) for text in narrow] == [8, 2, 4], f"widths of sw, sb (without zeros), sh: {narrow}")
    return lines


def check_turns(lines, warps):
    """Until the barrier, the warps of a workgroup run round-robin: one instruction each, lowest first."""
    order = [int(line[4:8]) for line in lines][: 12 * warps]
    check(order == [i % warps for i in range(12 * warps)], f"turns: {order[:24]}")


def check_barrier(lines, warps):
    """Behind the barrier the last warp is a turn ahead of the others: 3 0 1 2 3 0 1 2 ..."""
    at = next(i for i, line in enumerate(lines) if line.count(" mem ") == 4 and " v" not in line)
    order = [int(line[4:8]) for line in lines[at : at + 8]]
    check(order == [warps - 1] + list(range(warps)) + list(range(7 - warps)), f"order after the barrier: {order}")


def test_shapes(elf):
    for threads, warps, groups in ((4, 4, 4), (8, 2, 4), (16, 1, 4), (32, 2, 1), (32, 1, 2)):
        name = f"add_{threads}"
        contents, a, b = buffers(elf)
        file = record(name, launch_values(groups, threads, warps), contents)
        out, _ = cy("replay", "--trace", path("logs"), "--dump", path("dump"), file)
        check(out.startswith(f"{name}: {groups} x 1 x 1 workgroups of {warps} warps x {threads} threads, "), out)
        check_memory(path("dump"), name, a, b)
        lines = check_log(path(f"logs/{name}.log"), threads, warps, groups, a, b)
        if lines:
            check_turns(lines, warps)
            if warps == 4:
                check_barrier(lines, warps)


def test_engines(elf):
    """Every engine gives the same memory and the same log; where the interpreter does the work, that is said."""
    contents, a, b = buffers(elf)
    for engine in ("interp", "jit", "auto"):
        file = record("engine", launch_values(4, 8, 2), contents)
        out, err = cy("replay", "--engine", engine, "--trace", path(engine), "--dump", path(engine), file)
        check(out.startswith("engine: 4 x 1 x 1 workgroups"), out)
        check(("the interpreter replayed this" in err) == (engine == "jit"), err)
        check_memory(path(engine), "engine", a, b)
        check(open(path(f"{engine}/engine.log")).read() == open(path("interp/engine.log")).read(), f"log of {engine}")
    _, err = cy("replay", "--engine", "fast", file, expect=2)
    check("--engine is interp, jit or auto, not 'fast'" in err, err)


def test_stats(elf):
    """What the kernel's text and its log say: alone, with a log, and timed."""
    contents, _, _ = buffers(elf)
    file = record("stats", launch_values(4, 8, 2), contents)
    plain, _ = cy("replay", file)
    cy("replay", "-q", "--trace", path("statlogs"), file)
    log = [LINE.fullmatch(line) for line in open(path("statlogs/stats.log"), encoding="utf-8").read().splitlines()]
    loads, stores = (sum(1 for p in log if p[9] and bool(p[4] or p[6]) == loaded) for loaded in (True, False))
    for more in [], ["--trace", path("statlogs")], ["--timing"]:
        out, _ = cy("replay", "--stats", *more, file)
        check(out.startswith(plain), f"{more}: the line of the launch: {out}")
        rows = {line[:46].strip(): line[46:].split() for line in out.splitlines()[1:]}
        check(rows["warp instructions"][0] == re.search(r"(\d+) instructions", plain)[1], f"{more}: instructions {out}")
        check(rows["lanes active"][:3] == ["8.00", "of", "8"], f"{more}: lanes {out}")
        check(rows["barriers executed"][0] == "8" and rows["barriers executed"][-2] == "4", f"{more}: barriers {out}")
        check(re.search(rf"global +loads +{loads} ", out) and re.search(rf"global +stores +{stores} ", out), f"{more}: traffic {out}")
        check(rows["workgroups"] == "4 with 8 warps, 64 work-items".split(), f"{more}: work-items {out}")
    out, _ = cy("replay", "--stats", file, file)
    check(out.count("warp instructions") == 2 and len(set(re.findall("warp instructions +\\d+", out))) == 1, f"each launch has its own: {out}")


def test_old_file_and_elf(elf):
    """No start pc in the file; code and data only in the ELF, loaded again before every launch."""
    contents, a, b = buffers(elf, code=False)
    first = record("old_0", launch_values(4, 8, 2), contents, start_pc=None)
    second = record("old_1", launch_values(4, 8, 2), [(C, bytes(256), 4096)], start_pc=None) # the others are still there
    cy("replay", "-e", elf, "--dump", path("old"), "-q", first, second)
    check_memory(path("old"), "old_0", a, b)
    check_memory(path("old"), "old_1", a, b)
    check(os.path.exists(path(f"old/old_1_{A:08x}.bin")), "buffers of earlier launches are dumped too")
    # the count of workgroups begins anew with every launch; eight warps count without a race: one instruction in turn
    cy("replay", "-e", elf, "--trace", path("oldlog"), first)
    stores = re.findall(rf"mem 0x{symbol(elf, 'count'):08x} 0x([0-9a-f]+)$", open(path("oldlog/old_0.log")).read(), re.M)
    check([int(s, 16) for s in stores] == [101, 101, 102, 102, 103, 103, 104, 104], f"counts {stores}")


def test_mistakes(elf):
    contents, _, _ = buffers(elf)
    good = record("good", launch_values(1, 8, 1), contents)
    text = open(good, encoding="utf-8").read().splitlines()
    write("bad.data", open(path("good.data"), encoding="utf-8").read())

    def bad(lines, message):
        write("bad.metadata", "\n".join(lines) + "\n")
        _, err = cy("replay", path("bad.metadata"), expect=1)
        check(message in err, f"'{message}' not in: {err}")

    bad(text[:-1], "lines are not two per value")
    bad(text[:4] + ["xyz"] + text[5:], "bad.metadata:5:1: error: expected up to eight hexadecimal digits")
    bad(text[:10] + ["00000005"] + text[11:], "threads per warp must be 4, 8, 16, 32 or 64 (5)")
    bad(text[:4] + ["00000000"] + text[5:], "a dimension of the grid is 0")
    write("bad.data", "00000000\n")
    bad(text, "1 words, but the buffers of")
    os.remove(path("bad.data"))
    bad(text, "bad.data")
    contents[3] = (KNL, struct.pack("<2I", 0x12340000, ARGS), 4096)
    fault = record("fault", launch_values(1, 8, 1), contents)
    _, err = cy("replay", "-e", elf, fault, expect=1)
    check("fault: instruction fetch outside the code: to 0x12340000" in err and "workgroup (0, 0, 0), warp 0" in err, err)


def main():
    elf = build()
    test_shapes(elf)
    test_engines(elf)
    test_stats(elf)
    test_old_file_and_elf(elf)
    test_mistakes(elf)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
