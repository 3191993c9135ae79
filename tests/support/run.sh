#!/bin/bash
# run.sh [tool...] -- command [argument...]
# Runs one test.  Fails, with the package to install, when a tool that the test needs is missing; empties $CY_TMP.
here=$(dirname "${BASH_SOURCE[0]}")
missing=0
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    if ! command -v "$1" >/dev/null; then
        package=$(awk -v tool="$1" '/^[^#]/ { for (i = 3; i <= NF && $i != "#"; i++) if ($i == tool) print $1 }' \
            "$here"/../../scripts/packages*.txt)
        echo "error: this test needs '$1', which is not installed: run scripts/setup.sh${package:+ (Debian package $package)}" >&2
        missing=1
    fi
    shift
done
[ $missing = 0 ] || exit 1
shift
if [ -n "$CY_TMP" ]; then
    rm -rf "$CY_TMP"
    mkdir -p "$CY_TMP" || exit 1
fi
exec "$@"
