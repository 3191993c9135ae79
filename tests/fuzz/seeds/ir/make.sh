#!/bin/bash
# The inputs of the pass tests.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
for file in "$here"/cc/passes/*/*.ir; do
    name=${file%/*}
    sed '/^--- output$/,$d' "$file" > "$1/${name##*/}_${file##*/}"
done
