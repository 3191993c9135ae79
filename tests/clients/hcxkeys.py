#!/usr/bin/env python3
"""hcxkeys' wlangenpmkocl on our platform: master keys of a wireless network (PBKDF2) against Python's."""
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from client import on_our_platform

on_our_platform()
tmp = Path(os.environ["CY_TMP"])
words = [f"password{i:04}" for i in range(300)]
(tmp / "words").write_text("\n".join(words) + "\n")
subprocess.run(["wlangenpmkocl", "-e", "network", "-i", tmp / "words", "-A", tmp / "keys"], check=True)
keys = dict(reversed(line.split(":")) for line in (tmp / "keys").read_text().split())
wrong = sum(keys.get(word) != hashlib.pbkdf2_hmac("sha1", word.encode(), b"network", 4096, 32).hex() for word in words)
print(f"hcxkeys: {len(words) - wrong} of {len(words)} keys are right")
sys.exit(1 if wrong else 0)
