"""What the JSON writer writes, Python's parser reads: strings of any bytes, numbers, nesting."""
import json
import math
import os
import subprocess
import sys

text = subprocess.run([os.environ["CY_BUILD"] + "/tests/test_base_json", "all"], stdout=subprocess.PIPE, check=True).stdout
got = json.loads(text.decode("utf-8", errors="strict"))
borders = bytes.fromhex("001f20225c7f808f909fa0bfc0c1c2dfe0e1ecedeeeff0f1f3f4f5ff")
wanted = [bytes([byte]) for byte in range(256)]
wanted += [(bytes([a, b]) + b"\x80\x80x")[:size] for a in borders for b in borders for size in range(2, 6)]


def readable(data):
    """One U+FFFD for every byte that begins no sequence."""
    out, at = "", 0
    while at < len(data):
        for size in range(1, 5):
            try:
                out += data[at:at + size].decode("utf-8", errors="strict")
                at += size
                break
            except UnicodeDecodeError:
                if size == 4 or at + size >= len(data):
                    out += "\ufffd"
                    at += 1
                    break
    return out


failed = 0
for data, string in zip(wanted, got):
    if string != readable(data):
        failed += 1
        print(data, "became", repr(string), "not", repr(readable(data)))
rest = got[len(wanted):]
if rest != [0.0, -0.0, 1.5, 0.1, 1e300, -2.2250738585072014e-308, 5e-324, None, None, -2**63, 2**64 - 1,
            {'a"b\n': [], "": {}, "last": True}, None] or math.copysign(1, rest[1]) != -1:
    failed += 1
    print(rest)
print(f"{len(got)} values, {failed} wrong")
sys.exit(failed != 0)
