#!/usr/bin/env python3
"""Leela Zero, a Go engine, on our platform: the evaluation of two positions by a network of random weights, against the engine's
code for the host.  Before that it looks for the fastest of some 290 variants of its matrix multiplication."""
import os
import random
import subprocess
import sys
from pathlib import Path

from client import on_our_platform

BOARD = 19 * 19
CHANNELS = 16
INPUTS = 18
HIDDEN = 256
COMMANDS = "heatmap\nplay b D4\nplay w Q16\nheatmap\nquit\n"


def weights():
    """The lines of a weights file with one residual block."""
    numbers = random.Random(7)

    def line(count, spread=0.1, middle=0.0):
        return " ".join(f"{middle + spread * numbers.uniform(-1, 1):.5f}" for _ in range(count))

    def convolution(inputs, outputs, size, spread):
        """Weights, biases, and the means and variances of the normalisation after it."""
        return [line(inputs * outputs * size * size, spread), line(outputs), line(outputs), line(outputs, 0.3, 1.0)]

    tower = convolution(INPUTS, CHANNELS, 3, 0.15) + 2 * convolution(CHANNELS, CHANNELS, 3, 0.15)
    policy = convolution(CHANNELS, 2, 1, 0.4) + [line(2 * BOARD * (BOARD + 1), 0.6), line(BOARD + 1)]
    value = convolution(CHANNELS, 1, 1, 0.4) + [line(BOARD * HIDDEN, 0.4), line(HIDDEN), line(HIDDEN, 0.4), line(1)]
    return ["1", *tower, *policy, *value]


def opinions(file, *options):
    """For both positions: the thousandths that each point gets, and the chance of winning."""
    command = ["/usr/games/leelaz", "--gtp", "--weights", file, "--threads", "1", "--noponder", *options]
    run = subprocess.run(command, input=COMMANDS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    points, chances = [], []
    for line in run.stdout.splitlines():
        words = line.split()
        if len(words) == 19 and all(word.isdigit() for word in words):
            points += map(int, words)
        elif words[:1] == ["winrate:"]:
            chances.append(float(words[1]))
    if len(points) != 2 * BOARD or len(chances) != 2:
        sys.exit(f"{run.stdout}\nerror: no opinion on two positions")
    return points, chances


on_our_platform()
file = Path(os.environ["CY_TMP"]) / "weights"
file.write_text("\n".join(weights()) + "\n")
points, chances = opinions(file, "--precision", "single")
host_points, host_chances = opinions(file, "--cpu-only")
apart = max(abs(a - b) for a, b in zip(points, host_points))
chance_apart = max(abs(a - b) for a, b in zip(chances, host_chances))
print(f"Leela Zero: {len(points)} points differ by at most {apart} thousandths, the chances by {chance_apart:.6f}")
if apart > 1 or chance_apart > 1e-4 or max(host_points) < 10:
    sys.exit("error: the network thinks differently on our device")
