#!/bin/bash
# EpicGPU: the examples, on one host thread and on as many as the machine has cores; and wider cores.
# Pixels are those of the frames shown; a lane instruction is one instruction in one lane.
set -euo pipefail
run() { # name, options...
    local name=$1
    shift
    "$CY" epic run --time "$@" | awk -v name="$name" '
        /^time/ { threads = $4 }
        /^frames/ { frames = $2 }
        /^pixels/ { pixels = $2 }
        /^instructions/ { issued = $2 }
        /^lane/ { lanes = $3 }
        END { printf "%-34s %3d %10.1f %10.2f %10.1f %10.1f\n", name, threads, frames, pixels, issued, lanes }'
}
printf '%-34s %3s %10s %10s %10s %10s\n' example thr frames/s Mpixel/s Minsn/s Mlane/s
for threads in 1 4; do
    run "triangle 320x240" examples/epic/triangle.s --blocks 240 --repeat 200 --threads $threads
    run "mandelbrot 320x240" examples/epic/mandelbrot.s --blocks 240 --repeat 20 --threads $threads
    run "cube 320x240, 48 frames" examples/epic/cube.s --blocks 48 --mem 16M --repeat 4 --threads $threads
    run "life 320x240, 60 frames" examples/epic/life.s --threads $threads
done
run "cube, cores of 32 lanes" examples/epic/cube.s --blocks 48 --mem 16M --repeat 4 --threads 1 --lanes 32
run "mandelbrot, cores of 64 lanes" examples/epic/mandelbrot.s --blocks 240 --repeat 20 --threads 1 --lanes 64
