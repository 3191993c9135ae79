#!/usr/bin/env python3
"""The page in Chromium: it loads without a word on the console, keys and clicks move what they should, and what is drawn has the
colours that the trace says.

    page.py [--quick] [--update]      the most important checks only; records the small picture that the page is compared with
"""
import json
import os
import re
import subprocess
import sys

from browser import Browser
from cytrace import Trace

CY, SCRATCH, SOURCE = os.environ["CY"], os.environ["CY_TMP"], os.environ["CY_SOURCE"]
REFERENCE = os.path.join(SOURCE, "tests/view/mandelbrot.cells")
COLUMNS, LINES = 48, 25
MANDELBROT = ["--preset", "rtl32", "examples/kernels/mandelbrot.cl", "--global", "78,25", "--local", "78,1", "--arg",
              "buffer:u8:1950", "--arg", "i32:40"]
SUMS = ["--timing=ventus-chisel", "--preset", "rtl32", "examples/slow/sums2.cl", "--global", "512", "--local", "32", "--arg",
        "buffer:f32:65536=random", "--arg", "buffer:f32:512", "--arg", "128"]
ISSUED, MASKED = (0, 114, 178), (211, 218, 227)
failures = checks = 0


def check(ok, what):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print("FAILED:", what)


def equal(got, want, what):
    check(got == want, f"{what}: {got!r}, not {want!r}")


def near(a, b, most=12):
    return all(abs(x - y) <= most for x, y in zip(a, b))


def path(name):
    return os.path.join(SCRATCH, name)


def run(*words, ok=True):
    done = subprocess.run([CY, *words], cwd=SOURCE, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout


def check_keys(browser, warps):
    browser.keys("Right", "Right", "Right")
    equal(browser.data()["step"], 3, "three steps")
    browser.keys("Left")
    equal(browser.data()["step"], 2, "a step back")
    browser.keys("Shift+Right")
    equal(browser.data()["step"], 12, "ten steps")
    browser.keys("End")
    equal(browser.data()["step"], len(warps[0]) - 1, "the last step")
    browser.keys("Right")
    equal(browser.data()["step"], len(warps[0]) - 1, "nothing after the last step")
    browser.keys("Home", "Left")
    equal(browser.data()["step"], 0, "nothing before the first step")
    browser.keys("m")
    at = browser.data()
    equal(at["step"], next(i for i, insn in enumerate(warps[0]) if i and insn["accesses"]), "the next access to memory")
    check("line" in browser.text("#memory-head"), "the access is described")
    before = browser.data()
    browser.keys("]")
    check(browser.data()["cycle"] > before["cycle"], "] goes on in time")
    browser.keys("[")
    check(browser.data()["cycle"] <= before["cycle"], "[ goes back in time")
    browser.keys("Down")
    check(browser.data()["warp"] != before["warp"], "another warp")
    browser.keys("?")
    check(browser.run("return document.getElementById('help').open"), "? opens the help")
    check(browser.run("return document.querySelectorAll('#help-stalls dt').length") == 8, "the legend explains 8 states")
    browser.keys("Escape")
    check(not browser.run("return document.getElementById('help').open"), "Escape closes the help")


def check_divergence(browser, trace, order):
    """The SIMT stack and the colours of the lanes after a branch that splits the warp."""
    browser.run("location.hash = ''")
    browser.keys("Home", "d")
    at = browser.data()
    insn = trace.warps[order[at["warp"]]][at["step"]]
    check(insn["stack"], "d finds a divergent branch")
    equal(browser.run("return document.querySelectorAll('#stack .entry').length"), len(insn["stack"]) + 1, "entries of the stack")
    lit = browser.run("return [...document.querySelectorAll('#stack .running .mask i')].map((e) => e.className === 'on' ? 1 : 0)")
    equal(lit, [insn["active"] >> lane & 1 for lane in range(32)], "lanes that run")
    while not insn["accesses"] and not trace.is_vector(insn["pc"]):  # a scalar instruction has another look
        browser.keys("Right")
        at = browser.data()
        insn = trace.warps[order[at["warp"]]][at["step"]]
    x, top, high = browser.run(
        "document.getElementById('lanes-canvas').scrollIntoView({block: 'center'});"
        "const {lanes} = window.cyView, c = lanes.columns.find((one) => one.step === window.cyView.step);"
        "const b = lanes.drawing.canvas.getBoundingClientRect();"
        "return [b.left + c.x + c.wait + lanes.wide / 2, b.top + 16, lanes.high]")
    browser.settle()
    picture = browser.screenshot()
    exists = trace.warps[order[at["warp"]]][0]["active"]
    for lane in range(32):
        if not exists >> lane & 1:
            continue
        active = insn["active"] >> lane & 1
        got = picture.at(x, top + lane * high + high / 2 - 1)
        check(near(got, ISSUED if active else MASKED, 16), f"lane {lane} is {'active' if active else 'masked'}: {got}")


def check_clicks(browser, trace, order):
    # a track of the second SM, in the middle of its first warp
    tracks = browser.run("return window.cyView.launch.tracks.map((t) => [t.sm, t.slot, t.warps[0].at, t.warps[0].begin, t.warps[0].end])")
    at, track = next((i, track) for i, track in enumerate(tracks) if track[0] == 1)
    equal(trace.slots[order[track[2]]], (track[0], track[1]), "the warp is in the slot that the trace says")
    cycle = (track[3] + track[4]) / 2
    x, y = browser.run("const t = window.cyView.timeline, b = t.drawing.canvas.getBoundingClientRect();"
                       "return [b.left + t.x(arguments[0]), b.top + t.rows[arguments[1]] - t.box.scrollTop + 5]", cycle, at)
    browser.click(x, y)
    equal(browser.data()["warp"], track[2], "the warp under the pointer is selected")
    check("SM 1 slot" in browser.text("#now"), "and described")
    check(abs(browser.data()["cycle"] - cycle) < (track[4] - track[3]) / 4, "near the cycle under the pointer")
    # a line of the disassembly
    row, text = browser.run("const r = [...document.querySelectorAll('#assembly-lines .row:not(.cold)')][20];"
                            "return [r.dataset.row, r.querySelector('code').textContent]")
    browser.click_on(f"#assembly-lines .row[data-row='{row}']")
    equal(browser.text("#now .now-insn"), text, "the instruction that was clicked")
    check(browser.run(f"return document.querySelector(\"#assembly-lines .row[data-row='{row}']\").classList.contains('here')"), "is marked")
    browser.click_on("#source-lines .row[data-line='10']")
    equal(browser.run("return document.querySelector('#source-lines .row.here').dataset.line"), "10", "the source line that was clicked")
    for button, by in (("#step-next", 1), ("#step-back", -1)):
        before = browser.data()["step"]
        browser.click_on(button)
        equal(browser.data()["step"], before + by, button)
    span = "return window.cyView.timeline.to - window.cyView.timeline.from"
    before = browser.run(span)
    browser.click_on("#zoom-in")
    check(browser.run(span) < 0.6 * before, "zoom in")
    browser.click_on("#zoom-fit")
    check(abs(browser.run(span) - before) < 1, "whole launch")


def check_search(browser, trace, order):
    browser.keys("Home")
    browser.type("#search", "vfmul")
    texts = {row[0]: row[2] for row in trace.texts["PROG"][0]["rows"]}
    count = sum("vfmul" in texts[insn["pc"]] for warp in trace.warps.values() for insn in warp)
    equal(browser.text("#search-status"), f"{count:,} ×", "how often it is executed")
    browser.keys("Enter")
    check("vfmul" in browser.text("#now .now-insn"), "Enter goes to a match")
    first = browser.data()
    browser.keys("Enter")
    check(browser.data() != first, "and on")
    browser.keys("Shift+Enter")
    equal(browser.data(), first, "and back")
    check(browser.run("return document.querySelectorAll('#assembly-lines .row.match').length") > 0, "matches are marked")
    browser.type("#search", "lanes<4")
    browser.keys("Enter")
    at = browser.data()
    check(bin(trace.warps[order[at["warp"]]][at["step"]]["active"]).count("1") < 4, "lanes<4")
    browser.type("#search", "wait>30")
    browser.keys("Enter")
    words = re.search(r"waited (\d+) cycles", browser.text("#now"))
    check(words and int(words[1]) > 30, "wait>30")
    browser.type("#search", "stall memory")
    browser.keys("Enter")
    check("memory" in browser.text("#now .now-words"), "stall memory")
    browser.type("#search", "warp 7")
    browser.keys("Enter")
    equal(browser.data()["warp"], 7, "warp 7")
    browser.type("#search", "no such thing")
    equal(browser.text("#search-status"), "nothing", "nothing is found")
    browser.keys("Escape")


def check_heat(browser):
    """The shares of source lines are the profile's."""
    run("profile", "--json", path("profile.json"), "--timing", *MANDELBROT)
    with open(path("profile.json"), encoding="utf-8") as file:
        profile = json.load(file)
    lines, total = {}, 0
    for line in profile["kernels"][0]["source_lines"]:
        total += line["cycles"]
        lines[line.get("line", 0)] = lines.get(line.get("line", 0), 0) + line["cycles"]
    for number, cycles in lines.items():
        share = 100 * cycles / total
        if number and share >= 0.06:
            got = browser.run("return document.querySelector(`#source-lines .row[data-line='${arguments[0]}'] .share`).textContent", number)
            check(got and abs(float(got) - share) < 0.06, f"line {number}: {got} %, the profile says {share:.2f} %")
    hot = browser.text("#source-lines .row[data-line='10'] .share")
    browser.click_on("#heat button[value='idle']")
    check(browser.text("#source-lines .row[data-line='10'] .share") != hot, "another heat, other shares")
    browser.click_on("#heat button[value='cycles']")


def check_theme(browser):
    colour = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(colour)
    equal(light, "rgb(243, 245, 248)", "light")
    browser.keys("t")
    equal(browser.run(colour), "rgb(14, 18, 24)", "dark")
    check(sum(browser.screenshot().at(700, 740)) < 120, "the screen is dark")
    browser.click_on("#theme")
    equal(browser.run(colour), light, "light again")


def check_sizes(browser):
    for width in (420, 800, 1100, 2200):
        browser.resize(width, 900)
        check(browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"nothing sticks out at a width of {width}")
        check(browser.run("return document.getElementById('timeline-canvas').width > 300"), f"the timeline is drawn at {width}")
    browser.resize(1440, 900)


def check_picture(browser, update):
    """The whole page next to a small picture of how it should look."""
    browser.open(path("mandelbrot.html") + "#warp=12&step=120")
    browser.settle()
    cells = browser.screenshot().cells(COLUMNS, LINES)
    if update:
        with open(REFERENCE, "w", encoding="ascii") as file:
            file.writelines("".join(f"{r:02x}{g:02x}{b:02x}" for r, g, b in cells[i:i + COLUMNS]) + "\n" for i in range(0, len(cells), COLUMNS))
    with open(REFERENCE, encoding="ascii") as file:
        text = file.read().replace("\n", "")
    wanted = [[int(text[i + k:i + k + 2], 16) for k in (0, 2, 4)] for i in range(0, len(text), 6)]
    equal(len(cells), len(wanted), "cells")
    off = [max(abs(a - b) for a, b in zip(*pair)) for pair in zip(cells, wanted)]
    check(sum(off) / len(off) < 5, f"on average cells differ by {sum(off) / len(off):.1f}")
    check(sum(one > 40 for one in off) < len(off) / 50, f"{sum(one > 40 for one in off)} of {len(off)} cells are different")
    # bank conflicts dominate this kernel: the tracks are yellow
    top = browser.run("const b = document.getElementById('timeline-canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    picture, yellow, seen = browser.screenshot(), 0, 0
    for x in range(int(top[0]) + 90, int(top[0] + top[2]) - 4, 7):
        for y in range(int(top[1]) + 40, int(top[1] + min(top[3], 200)), 3):
            colour = picture.at(x, y)
            seen += 1
            yellow += near(colour, (236, 217, 58), 10)
    check(yellow > seen / 4, f"{yellow} of {seen} points of the timeline are bank conflicts")


def check_memory(browser):
    """The tile of examples/slow/sums2.cl: 32 passes through the banks; loads are coalesced."""
    run("run", "--html", path("sums.html"), *SUMS)
    browser.open(path("sums.html"))
    for line, words in ((9, "1 line of memory: coalesced"), (9, "1 pass through the banks"), (12, "32 passes through the banks")):
        browser.type("#search", f"line {line}")
        for _ in range(40):
            browser.keys("Enter")
            if words in browser.text("#memory-head"):
                break
        check(words in browser.text("#memory-head"), f"line {line}: {browser.text('#memory-head')}, not {words}")
    check(browser.run("return !document.getElementById('memory-canvas').hidden"), "and drawn")
    equal(browser.log(), [], "console")


def check_long_lines(browser):
    """A source line that is wider than its column goes on below: nothing of it is cut or has to be scrolled to."""
    with open(path("long.cl"), "w", encoding="ascii") as file:
        file.write("kernel void sum(global int *out) {\n    int i = get_global_id(0);\n    out[i] = " +
                   " + ".join(f"out[i ^ {k}]" for k in range(1, 20)) + ";\n}\n")
    run("run", "--html", path("long.html"), path("long.cl"), "--global", "32", "--arg", "buffer:i32:32")
    browser.open(path("long.html"))
    for width in (420, 1440):
        browser.resize(width, 900)
        box, short, long, text = browser.run(
            "const rows = [2, 3].map((line) => document.querySelector(`#source-lines .row[data-line='${line}']`));"
            "const box = document.getElementById('source-lines'), range = document.createRange();"
            "range.selectNodeContents(rows[1].querySelector('code'));"
            "return [[box.scrollWidth, box.clientWidth], ...rows.map((row) => row.offsetHeight),"
            "  range.getBoundingClientRect().right - box.getBoundingClientRect().right]")
        check(box[0] <= box[1], f"at {width} the source has to be scrolled: {box}")
        check(text <= 0, f"at {width} a line sticks out by {text}")
        check(long >= 2 * short, f"at {width} a long line is {long} high, a short one {short}")


def check_empty_states(browser):
    run("run", "--html", path("asm.html"), "examples/asm/vecadd.s", "--global", "64", "--arg", "buffer:f32:64=iota", "--arg",
        "buffer:f32:64=ones", "--arg", "buffer:f32:64")
    browser.open(path("asm.html"))
    check("no line table" in browser.text("#source-lines"), "a program without lines says so")
    check("stack is empty" in browser.text("#stack"), "an empty stack says so")
    check("does not access memory" in browser.text("#memory-empty"), "an instruction without an access says so")
    with open(path("fault.cl"), "w", encoding="ascii") as file:
        file.write("kernel void bad(global int *out) { out[get_global_id(0) * 100000000] = 1; }\n")
    run("run", "--html", path("fault.html"), path("fault.cl"), "--global", "64", "--arg", "buffer:i32:64", ok=False)
    browser.open(path("fault.html"))
    check("unmapped memory" in browser.text("#notes"), "a fault is shown")
    check(int(browser.run("return window.cyView.launch.count")) > 5, "and what came before it")
    equal(browser.log(), [], "console")


def main():
    update, quick = "--update" in sys.argv, "--quick" in sys.argv
    page = path("mandelbrot.html")
    printed = run("run", "--cytrace", path("mandelbrot.cytrace"), "--html", page, *MANDELBROT)
    trace = Trace(path("mandelbrot.cytrace"))
    vector = {row[0] for row in trace.texts["PROG"][0]["rows"] if re.search(r"\bv\d+\b", row[2])}
    trace.is_vector = lambda pc: pc in vector
    order = sorted(trace.warps)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    check(not re.search(r"https?://|\bsrc=|@import|<link|\bfetch\(|XMLHttpRequest", text), "the page needs nothing from elsewhere")
    with Browser(SCRATCH) as browser:
        browser.open(page)
        equal(browser.run("return document.body.dataset.state"), "ready", "the page is ready")
        check(f"{int(printed.split()[-1]):,} cycles" in browser.text("#facts"), "the cycles that cy run printed")
        equal(browser.text("#legend"), "issuesno instructionscoreboardbank conflictunit busymemorybarrierdivergence", "legend")
        check_keys(browser, [trace.warps[key] for key in order])
        check_divergence(browser, trace, order)
        check_clicks(browser, trace, order)
        check_picture(browser, update)
        if not quick:
            check_search(browser, trace, order)
            check_heat(browser)
            check_theme(browser)
            check_sizes(browser)
            check_long_lines(browser)
        equal(browser.log(), [], "console")
        if not quick:
            check_memory(browser)
            check_empty_states(browser)
    print(f"{checks - failures} of {checks} checks passed")
    sys.exit(failures > 0)


main()
