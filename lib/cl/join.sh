#!/bin/sh
# join.sh OUTPUT SUFFIX FILE.ll...: one module of all of the library's, from the FILE.ll.strong of finish.sh: LLVM's linker
# would drop functions that are already linkonce_odr.
set -eu
output=$1 suffix=$2
shift 2
strong=$(for file; do echo "$file.strong"; done)
llvm-link"$suffix" -S $strong | sed -e 's/^define dso_local /define linkonce_odr /' | llvm-as"$suffix" -o "$output"
