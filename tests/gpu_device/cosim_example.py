"""examples/cosim prints what docs/cosim.md shows, and its status says whether the machines differ."""
import os
import re
import subprocess
import sys

BUILD, SOURCE = os.environ["CY_BUILD"], os.environ["CY_SOURCE"]
failures = count = 0
text = open(f"{SOURCE}/docs/cosim.md", encoding="utf-8").read()
for block in re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S):
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        words = command.replace("build/", f"{BUILD}/", 1).split()
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        count += 1
        if done.stdout != shown or done.stderr or done.returncode != ("plant" in words):
            failures += 1
            print(f"$ {command}\nshown:\n{shown}printed (status {done.returncode}):\n{done.stdout}{done.stderr}")
print(f"{count - failures} passed, {failures} failed")
sys.exit(failures or count != 4)
