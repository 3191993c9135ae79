"""For test scripts: checks that are counted, so that one run shows all failures.

    sys.path.insert(0, os.path.join(os.environ["CY_SOURCE"], "tests", "support"))
    from checks import check, finish

    check(1 + 1 == 2, "arithmetic")
    finish()
"""
import sys

_failed = []


def check(condition, text):
    if not condition:
        _failed.append(text)
        print("failed:", text)


def finish():
    sys.exit(1 if _failed else 0)
