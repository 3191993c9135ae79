#!/bin/sh
# index.sh SUFFIX FILE.bc... > index: a line `function module` for each function of the library, without the mangled
# parameters, sorted; `module` is the name of a file without .bc.  SUFFIX is that of LLVM's tools.
set -eu
suffix=$1
shift
for file; do
    module=${file##*/}
    llvm-nm"$suffix" --defined-only --extern-only --just-symbol-name "$file" | awk -v module="${module%.bc}" '
        match($0, /^_Z[0-9]+/) { $0 = substr($0, RLENGTH + 1, substr($0, 3, RLENGTH - 2)) }
        { print $0, module }'
done | LC_ALL=C sort -u
