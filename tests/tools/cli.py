"""The command line of `cy` as a user sees it: help, version, unknown commands and options, exit statuses."""
import os
import subprocess
import sys

CY = os.environ["CY"]
MINI = os.path.join(os.environ["CY_BUILD"], "tests", "test_tools_options")  # the parser alone, with a known table
ALL_COMMANDS = [
    line.split("(")[1].split(",")[0]
    for line in open("tools/commands.def", encoding="utf-8")
    if line.startswith("COMMAND(")
]
failures = 0
checks = 0


def run(*words, stdout=subprocess.PIPE):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def check(what, got, expected):
    global failures, checks
    checks += 1
    if got != expected:
        failures += 1
        print(f"failed: {what}\n  got:      {got!r}\n  expected: {expected!r}")


MINI_HELP = """usage: cy as [options] FILE...

Summary.

options:
  -o, --output=FILE  write to FILE
  -D NAME=VALUE      define a symbol
      -march=TARGET  instruction set
  -l, --listing      print a listing
  -v, --verbose-with-a-very-long-name
                     two
                     lines
  -h, --help         print this help

Epilogue.
"""
MINI_ERRORS = [
    (["--ouput=x"], "unknown option '--ouput'; did you mean '--output'?"),
    (["--listin", "x"], "unknown option '--listin'; did you mean '--listing'?"),
    (["-marhc=x"], "unknown option '-marhc'; did you mean '-march'?"),
    (["--hlep"], "unknown option '--hlep'; did you mean '--help'?"),
    (["--frobnicate"], "unknown option '--frobnicate'"),
    (["-x"], "unknown option '-x'"),
    (["-lx"], "unknown option '-x'"),
    (["-o"], "option '-o' needs an argument: FILE"),
    (["-lo"], "option '-o' needs an argument: FILE"),
    (["--output"], "option '--output' needs an argument: FILE"),
    (["-march"], "option '-march' needs an argument: TARGET"),
    (["--listing=3"], "option '--listing' takes no argument"),
]


def test_parser():
    for words in (["--help"], ["-h"], ["-lh"], ["a.s", "--help"]):
        check(words, run(MINI, *words), (0, MINI_HELP, ""))
    for words, message in MINI_ERRORS:
        check(words, run(MINI, *words), (2, "", f"cy as: error: {message}; try 'cy as --help'\n"))


def test_front():
    status, out, err = run(CY, "--help")
    check("--help status", (status, err), (0, ""))
    for command in ALL_COMMANDS:
        check(f"{command} in --help", f"\n  {command:8} " in out, True)
    for words in (["-h"], ["help"]):
        check(words, run(CY, *words), (0, out, ""))
    check("no command: help on standard error, usage status", run(CY), (2, "", out))
    version = run(CY, "--version")
    check("--version", (version[0], version[1].startswith("cy (Chengying) "), version[2]), (0, True, ""))
    check("-V", run(CY, "-V"), version)
    check("option", run(CY, "--frob"), (2, "", "cy: error: unknown option '--frob'; try 'cy --help'\n"))
    check("command", run(CY, "frobnicate"), (2, "", "cy: error: unknown command 'frobnicate'; try 'cy --help'\n"))
    check("help of no command", run(CY, "help", "frobnicate"), run(CY, "frobnicate"))
    if "dis" in ALL_COMMANDS:
        check("near", run(CY, "dsi"), (2, "", "cy: error: unknown command 'dsi'; did you mean 'dis'?\n"))
    with open("/dev/full", "w", encoding="utf-8") as full:
        status, _, err = run(CY, "--version", stdout=full)
    check("full disk", (status, "cannot write to standard output" in err), (1, True))


def test_commands():
    """Every command explains itself, and refuses options it does not have."""
    for command in ALL_COMMANDS:
        status, out, err = run(CY, command, "--help")
        check(f"{command} --help", (status, out.startswith(f"usage: cy {command} "), err), (0, True, ""))
        check(f"help {command}", run(CY, "help", command), (status, out, err))
        status, out, err = run(CY, command, "--frobnicate")
        expected = f"cy {command}: error: unknown option '--frobnicate'"
        check(f"{command} --frobnicate", (status, out, err[: len(expected)]), (2, "", expected))
        status, out, err = run(CY, command, "no-such-file")
        check(f"{command} no-such-file", (status in (1, 2), out, err.count("error:")), (True, "", 1))
        if command in ("as", "dis", "ld"):
            check(f"{command} no-such-file is an input", (status, "no-such-file" in err), (1, True))


test_parser()
test_front()
test_commands()
print(f"{checks - failures} passed, {failures} failed")
sys.exit(1 if failures else 0)
