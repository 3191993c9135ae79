#!/bin/bash
# demo.sh CY: the main job.  Assembles an example, shows its code, and checks that disassembling and assembling again
# gives the same bytes.
set -euo pipefail
cy=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=examples/asm/vecadd.s

has() { "$cy" --help | grep -q "^  $1 "; }
if [ ! -f $source ] || ! has as || ! has dis; then
    "$cy" --version
    exit 0
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run() { echo "\$ cy $*" | sed "s|$scratch/||g"; "$cy" "$@"; }

run as -o "$scratch/vecadd.o" $source
run dis "$scratch/vecadd.o"
