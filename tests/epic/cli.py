"""`cy epic pack` and `cy epic run`: inputs, pictures, dumps, messages."""
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zlib

CY, SOURCE, TMP = os.environ["CY"], os.environ["CY_SOURCE"], os.environ["CY_TMP"]
EXAMPLES = os.path.join(SOURCE, "examples", "epic")
failures = checks = 0


def check(condition, *details):
    global failures, checks
    checks += 1
    if not condition:
        failures += 1
        print(f"cli.py:{sys._getframe(1).f_lineno}: failed", *details, sep="\n  ")


def cy(*arguments, status=0, env=None):
    """Standard output and standard error of one command, which must end with this status."""
    done = subprocess.run([CY, "epic", *arguments], cwd=TMP, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=120, check=False, env=dict(os.environ, **(env or {})))
    out, err = done.stdout.decode(), done.stderr.decode()
    check(done.returncode == status, f"cy epic {' '.join(arguments)}: status {done.returncode}", out, err)
    return out, err


def path(name):
    return os.path.join(TMP, name)


def write(name, text):
    with open(path(name), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return name


def read(name):
    with open(path(name), "rb") as file:
        return file.read()


def png_pixels(name):
    """Width, height and the RGB bytes of an 8-bit RGB PNG, by the specification."""
    data = read(name)
    check(data[:8] == b"\x89PNG\r\n\x1a\n")
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        check(struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body))
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            check((depth, color) == (8, 2))
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, stride, rows, above = zlib.decompress(packed), width * 3, [], bytes(width * 3)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for x in range(stride):
            left = line[x - 3] if x >= 3 else 0
            corner = above[x - 3] if x >= 3 else 0
            estimate = left + above[x] - corner
            distances = abs(estimate - left), abs(estimate - above[x]), abs(estimate - corner)
            paeth = left if distances[0] <= min(distances[1:]) else above[x] if distances[1] <= distances[2] else corner
            line[x] = (line[x] + (0, left, above[x], (left + above[x]) // 2, paeth)[kind]) & 255
        above = bytes(line)
        rows.append(above)
    return width, height, b"".join(rows)


def rgb(words):
    """The bytes that a picture of these memory bytes has."""
    return b"".join(bytes((words[i + 2], words[i + 1], words[i])) for i in range(0, len(words), 4))


def gif_frames(name):
    """The frames of a GIF as netpbm reads them."""
    ppm = subprocess.run(["giftopnm", "-image=all", path(name)], stdout=subprocess.PIPE, check=True).stdout
    frames = []
    while ppm:
        header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", ppm)
        size = int(header.group(1)) * int(header.group(2)) * 3
        frames.append(ppm[header.end() : header.end() + size])
        ppm = ppm[header.end() + size :]
    return frames


def test_inputs():
    """A source, its object, its executable and its stream do the same."""
    source = os.path.join(EXAMPLES, "mandelbrot.s")
    subprocess.run([CY, "as", "--march=epic", "-o", path("m.o"), source], check=True)
    subprocess.run([CY, "ld", "--base", "0x800", "-o", path("m.exe"), path("m.o")], check=True)
    cy("pack", source, "-o", "m.stream", "--slot", "3", "--addr", "0x200")
    cy("pack", "m.o", "--addr", "0x200", "--slot", "3", "-o", "m2.stream")
    cy("pack", "--slot", "3", "m.exe", "-o", "m3.stream")
    words = struct.unpack(f"<{len(read('m.stream')) // 4}I", read("m.stream"))
    check(words[0] == 0xA0000000 | 3 << 24 | 0x200, hex(words[0]))
    check(set(words[1:-1:2]) == {0xA8000000} and words[-1] == 0xB0000000)
    check(read("m.stream") == read("m2.stream") == read("m3.stream"))
    pictures = set()
    for name in (source, "m.o", "m.exe", "m.stream"):
        cy("run", name, "--blocks", "240", "--png", "m.png")
        pictures.add(read("m.png"))
    check(len(pictures) == 1)
    cy("pack", "m.exe", "--addr", "0x100", status=1)


def test_pictures():
    """PNG and GIF show what memory holds."""
    source = os.path.join(EXAMPLES, "cube.s")
    cy("run", source, "--blocks", "3", "--mem", "16M", "--frames", "cube", "--gif", "cube.gif", "--png", "cube.png",
       "--save", "cube.raw@0:921600")
    raw = read("cube.raw")
    check(sorted(os.listdir(path("cube"))) == ["frame-0000.png", "frame-0001.png", "frame-0002.png"])
    frames = [rgb(raw[i : i + 307200]) for i in range(0, 921600, 307200)]
    for number, frame in enumerate(frames):
        check(png_pixels(f"cube/frame-000{number}.png") == (320, 240, frame))
    check(read("cube.png") == read("cube/frame-0002.png"))
    check(gif_frames("cube.gif") == frames)
    # More colours than a GIF has: near, though not the same.
    cy("run", os.path.join(EXAMPLES, "triangle.s"), "--blocks", "240", "--gif", "t.gif", "--save", "t.raw@0:307200")
    near, exact = gif_frames("t.gif")[0], rgb(read("t.raw"))
    worst = max(abs(a - b) for a, b in zip(near, exact))
    check(len(near) == len(exact) and 0 < worst < 24, worst)
    # Enlarged; a different geometry.
    write("dot.s", "li r4, 0x123456\naddi r5, r0, 20\nsw r4, (r5)\ndisp r0\nexit\n")
    cy("run", "dot.s", "--width", "4", "--height", "2", "--png", "dot.png", "--scale", "3")
    width, height, pixels = png_pixels("dot.png")
    expected = b"".join((b"\0" * 9 + b"\x12\x34\x56" * 3 + b"\0" * 18 if y >= 3 else b"\0" * 36) for y in range(6))
    check((width, height, pixels) == (12, 6, expected), pixels)
    out, err = cy("run", write("none.s", "exit\n"), "--png", "none.png")
    check("no frame was shown" in err and not os.path.exists(path("none.png")), err)


def test_memory():
    """--load, --dump-mem, --save, and sections that are not code."""
    write("in.bin", struct.pack("<4I", 1, 2, 3, 4))
    write("sum.s", """
        slli    r4, %ThreadIdx, 2
        addi    r5, r4, 0x100
        lw      r6, (r5)
        la      r7, table
        add     r7, r7, r4
        lw      r7, (r7)
        add     r6, r6, r7
        addi    r4, r4, 0x200
        sw      r6, (r4)
        exit
        .data
        .word   0
table:  .word   10, 20, 30, 40
""")
    out, _ = cy("run", "sum.s", "--lanes", "4", "--load", "in.bin@0x100", "--dump-mem", "0x200:5", "--dump-mem",
                "0x100004:1", "--save", "out.bin@0x200:16")
    check(out == "00000200: 0000000b 00000016 00000021 0000002c 00000000\n00100004: 0000000a\n", out)
    check(struct.unpack("<4I", read("out.bin")) == (11, 22, 33, 44))
    out, _ = cy("run", "sum.s", "--lanes", "4", "--load", "in.bin@0x100", "--data", "0x8000", "--dump-mem", "0x8004:1")
    check(out == "00008004: 0000000a\n", out)
    _, err = cy("pack", "sum.s", status=1)
    check("it has data, which a command stream cannot carry" in err, err)
    _, err = cy("run", "sum.s", "--data", "0x400000", status=1)
    check("its data at 0x400000 does not fit in memory" in err, err)
    _, err = cy("run", "sum.s", "--load", "in.bin@0x3ffff4", status=1)
    check("its 16 bytes do not fit in memory at 0x3ffff4" in err, err)
    _, err = cy("run", "dot.s", "--dump-mem", "0x3ffffc:2", status=1)
    check("--dump-mem: not enough memory at 0x3ffffc" in err, err)


def test_launches():
    """Several programs, several launches, symbols from the command line."""
    write("put.s", ".ifndef VALUE\n.equ VALUE, 1\n.endif\nslli r4, r1, 2\nlw r5, (r4)\nmuli r5, r5, 10\n"
                   "addi r5, r5, VALUE\nsw r5, (r4)\nexit\n")
    cy("pack", "put.s", "-D", "VALUE=7", "--slot", "5", "--addr", "0x1000", "-o", "seven.stream")
    out, _ = cy("run", "put.s", "seven.stream", "--launch", "0:2", "--launch", "5:1", "--repeat", "2", "--lanes", "1",
                "--dump-mem", "0:3")
    check(out == "00000000: 000006b5 0000000b 00000000\n", out)  # 1, 17, 171, 1717
    out, _ = cy("run", "seven.stream", "--dump-mem", "0:1", "--lanes", "1")
    check(out == "00000000: 00000007\n", out)
    _, err = cy("run", "put.s", "--program", "4", status=1)
    check("launch of program 4: there is no program in this slot" in err, err)
    _, err = cy("run", *["put.s"] * 9, status=1)
    check("all 8 program slots are taken" in err, err)


def test_messages():
    """Whatever is wrong is named."""
    # A fault names the line of the source, even inside a macro and after an .include.
    write("inc.s", "addi r9, r9, 1\naddi r9, r9, 1\n")
    write("fault.s", '# a comment\n\n        .macro  touch r\n        addi    r8, r8, 1\n        lw      \\r, (\\r)\n'
                     '        .endm\n        .include "inc.s"\nstart:  addi    r5, r0, 2\n        touch   r5\n        exit\n')
    _, err = cy("run", "fault.s", "--blocks", "2", status=1)
    check(err == "error: fault.s:9: misaligned address: address 0x00000002 is not a multiple of 4 (block 0, core 0, lane 0, "
                 "pc 0x00000010: lw r5, (r5))\n", err)
    _, err = cy("run", write("off.s", "addi r4, r0, 1\n"), status=1)
    check(err.startswith("error: off.s:1: end of the program: "), err)
    _, err = cy("run", write("loop.s", "jump .\n"), "--watchdog", "1000", status=1)
    check("loop.s:1: watchdog: issued 1000 instructions and has not ended" in err, err)
    _, err = cy("run", "loop.s", "--timeout", "0.05", "--watchdog", "0", status=1)
    check("watchdog: the launch took more than 0.05 seconds" in err, err)
    _, err = cy("run", write("bad.s", "  adx r4, r0, 1\n"), status=1)
    check("bad.s:1:3: error: " in err and "^" in err, err)
    # What the FPGA does not have.
    write("fpga.s", "or r4, r5, r6\nexit\n")
    _, err = cy("run", "fpga.s", "--march=epic-fpga", status=1)
    check("fpga.s:1:1: error: " in err, err)
    cy("pack", "fpga.s", "-o", "fpga.stream")
    _, err = cy("run", "fpga.stream", "-march=epic-fpga", status=1)
    check("illegal instruction: 0x000320a4 is an instruction that the FPGA does not have" in err, err)
    # Streams.
    good = read("fpga.stream")
    _, err = cy("run", write("short.stream", good[:-4]), status=1)
    check(err == "short.stream: error: word 5: the stream ends inside program 0: xend is missing\n", err)
    _, err = cy("run", write("odd.stream", good + b"x"), status=1)
    check("a command stream consists of words, but there are 25 bytes" in err, err)
    _, err = cy("run", write("twice.stream", good + good), status=1)
    check(err == "twice.stream: error: word 6: program 0 is opened twice\n", err)
    _, err = cy("run", "nowhere.stream", status=1)
    check("nowhere.stream: error: cannot open" in err, err)
    # Not for this machine; nothing in it; started in the middle.
    subprocess.run([CY, "as", "-o", path("v.o"), "-"], input=b"nop\n", check=True)
    _, err = cy("run", "v.o", status=1)
    check("v.o: error: not for EpicGPU" in err, err)
    _, err = cy("run", write("empty.s", ""), status=1)
    check("empty.s: error: there is no code in it" in err, err)
    _, err = cy("run", write("mid.s", ".globl _start\nexit\n_start: exit\n"), status=1)
    check("a program starts at its first word, 0x0, but its entry is at 0x4" in err, err)
    # The command line.
    for arguments, text in (
        ([], "which command"), (["fly"], "unknown command 'fly'"), (["run"], "no input file"),
        (["pack", "a.s", "b.s"], "one file at a time"), (["run", "--lanes", "65", "a.s"], "--lanes needs a number from 1 to 64"),
        (["run", "--mem", "6", "a.s"], "--mem needs a multiple of 4"), (["run", "--launch", "9:1", "a.s"], "--launch needs"),
        (["run", "--dump-mem", "5", "a.s"], "--dump-mem needs ADDRESS:WORDS"), (["run", "--load", "f", "a.s"], "--load needs FILE@ADDRESS"),
        (["run", "--march=ventus", "a.s"], "--march is epic or epic-fpga"), (["pack", "--slot", "8", "a.s"], "--slot needs a number from 0 to 7"),
        (["run", "--timeout", "x", "a.s"], "--timeout needs"), (["run", "--watchdog", "-1", "a.s"], "--watchdog needs"),
    ):
        _, err = cy(*arguments, status=2)
        check(text in err, arguments, err)
    for arguments in (["--help"], ["run", "--help"], ["pack", "--help"]):
        out, _ = cy(*arguments)
        check(out.startswith("usage: cy epic"), out)


def test_looking():
    """--trace, --stats, --time."""
    write("look.s", "slti r4, r3, 2\n@p addi r5, r3, 7\nsz r3, (r0)\n@p sw r5, (r0)\nbranch last\naddi r6, r0, 1\nlast: exit\n")
    out, _ = cy("run", "look.s", "--lanes", "4", "--trace")
    lines = out.splitlines()
    check(len(lines) == 7, out)
    check(re.split(r"\s{2,}", lines[0]) == ["block 0 core 0", "00000000", "****", "slti r4, r3, 2", "r4 = 1 1 0 0"], lines[0])
    check(re.split(r"\s{2,}", lines[1]) == ["block 0 core 0", "00000004", "**--", "@p addi r5, r3, 7", "r5 = 7 8"], lines[1])
    check(re.split(r"\s{2,}", lines[5].rstrip()) == ["block 0 core 0", "00000014", ".***", "addi r6, r0, 1", "r6 = 1 1 1"], lines[5])
    out, _ = cy("run", "look.s", "--stats", "--time", "--blocks", "2")
    for pattern in (r"^blocks +2$", r"^instructions +14$", r"^lane instructions +111 +99.1% of the lanes active$",
                    r"^depth tests passed +1$", r"^rejected by depth +15$", r"^pixels drawn +1 ", r"^  EpicGPU integer +6 instructions +35 lanes$",
                    r"^lane instructions +[\d.]+ million per second$"):
        check(re.search(pattern, out, re.MULTILINE), pattern, out)


def catches(pid, number):
    with open(f"/proc/{pid}/status") as status:
        caught = next(line for line in status if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


def test_view():
    """A window: without a display an error; with one it shows, waits and closes."""
    _, err = cy("run", os.path.join(EXAMPLES, "triangle.s"), "--view", status=1,
                env={"SDL_VIDEODRIVER": "x11", "DISPLAY": ":97", "WAYLAND_DISPLAY": ""})
    if "built without SDL2" in err:
        return
    check("--view: there is no display to open a window on" in err, err)
    env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    done = subprocess.run([CY, "epic", "run", os.path.join(EXAMPLES, "triangle.s"), "--view"], capture_output=True, text=True,
                          env=env, timeout=60)
    check(done.returncode == 1 and "--view: there is no display to open a window on" in done.stderr, done.returncode, done.stderr)
    shown = subprocess.Popen([CY, "epic", "run", os.path.join(EXAMPLES, "life.s"), "-D", "GENERATIONS=3", "--view"], cwd=TMP,
                             stderr=subprocess.PIPE, env=dict(os.environ, SDL_VIDEODRIVER="dummy"))
    while shown.poll() is None and not catches(shown.pid, signal.SIGINT):
        time.sleep(0.05)
    time.sleep(0.5)
    check(shown.poll() is None)  # it waits for its user
    shown.send_signal(signal.SIGINT)
    _, err = shown.communicate(timeout=60)
    check(shown.returncode == 0 and err == b"", shown.returncode, err)


for test in (test_inputs, test_pictures, test_memory, test_launches, test_messages, test_looking, test_view):
    test()
print(f"{checks} checks, {failures} failed")
sys.exit(1 if failures else 0)
