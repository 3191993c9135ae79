#!/bin/bash
# demo.sh CY: the main job.  Compiles an OpenCL kernel and runs it on the machine; assembles, links and shows an example,
# and checks that what was disassembled assembles to the same bytes; then runs an OpenCL host program that paints a picture.
set -euo pipefail
cy=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run() { # shows the command as a user would type it, and runs it
    echo "\$ cy $*" | sed "s|$scratch/||g"
    "$cy" "$@"
}
run cc --stats -o "$scratch/mandelbrot.riscv" examples/kernels/mandelbrot.cl
run run "$scratch/mandelbrot.riscv" --kernel mandelbrot --global 78,25 --local 78,1 --arg buffer:u8:1950 --arg i32:40 \
    --out 0="$scratch/picture.bin" --stats
cat "$scratch/picture.bin"

run as -o "$scratch/vecadd.o" examples/asm/vecadd.s
run ld -o "$scratch/vecadd.riscv" "$scratch/vecadd.o"
run dis "$scratch/vecadd.riscv" | sed "s|$scratch/||g"

echo '$ cy dis --as vecadd.o | cy as -o again.o -'
"$cy" dis --as "$scratch/vecadd.o" | "$cy" as -o "$scratch/again.o" -
for object in vecadd again; do
    "$cy" dis -s "$scratch/$object.o" | sed 1,2d >"$scratch/$object.contents"
done
cmp "$scratch/vecadd.contents" "$scratch/again.contents"
echo "the same bytes again"

picture=$(dirname "$cy")/../mandelbrot.png
echo '$ cy exec --stats -- build/bin/examples/mandelbrot mandelbrot.png'
"$cy" exec --stats -- "$(dirname "$cy")/examples/mandelbrot" "$(realpath "$picture")"

page=$(realpath -m "$(dirname "$cy")/../mandelbrot.html")
echo '$ cy run --html mandelbrot.html examples/kernels/mandelbrot.cl ...'
"$cy" run --html "$page" examples/kernels/mandelbrot.cl --global 78,25 --local 78,1 --arg buffer:u8:1950 --arg i32:40
echo "every step of the small picture, in a browser: $page"
