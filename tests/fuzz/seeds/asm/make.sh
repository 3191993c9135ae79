#!/bin/bash
# The sources of the other tests, right and wrong ones; the large and endless ones are left out.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
for file in "$here"/asm/same/*.s "$here"/asm/expect/*.s "$here"/asm/errors/*.s; do
    name=${file%/*}
    cp "$file" "$1/${name##*/}_${file##*/}"
done
rm -f "$1"/same_branches.s "$1"/errors_expansion*.s "$1"/errors_branches.s
