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

# generation 2, whose program is another one: the same verdicts
for words, status, text in ((["commits"], 0, r"\d+ instructions agree\n"),
                            (["commits", "plant"], 1, r"after 1000 instructions that agree:\ndifference: (.*\n)*.*lane 2: ours .*, theirs (.*\n)*"),
                            (["jit"], 0, r"the other engine ran .*\n\d+ instructions, every store as the other engine left it\n"),
                            (["jit", "plant"], 1, r"the other engine ran .*\n  lane \d+ stores \d+ to out\[\d+\], .*\n.*\n")):
    done = subprocess.run([f"{BUILD}/bin/examples/cosim", *words, "gen2"], capture_output=True, text=True, check=False)
    count += 1
    if not re.fullmatch(text, done.stdout) or done.stderr or done.returncode != status:
        failures += 1
        print(f"{words} gen2 (status {done.returncode}):\n{done.stdout}{done.stderr}")
print(f"{count - failures} passed, {failures} failed")
sys.exit(failures or count != 8)
