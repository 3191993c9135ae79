#!/bin/bash
# The format check fails on a badly laid out file, and passes once clang-format has fixed it.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
cp "$here/../../.clang-format" "$CY_TMP"
mkdir -p "$CY_TMP"/{src,tools,tests,include}
printf 'int   f(void) {return 1;}\n' >"$CY_TMP/src/bad.c"
if bash "$here/format.sh" "$CY_TMP"; then
    echo "failed: a badly laid out file passed"
    exit 1
fi
(cd "$CY_TMP" && clang-format -i src/bad.c)
bash "$here/format.sh" "$CY_TMP"
