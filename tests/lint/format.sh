#!/bin/bash
# clang-format agrees with the layout of every C file.  Tables (*.def) are laid out by hand.
# The layout depends on the version: Debian 12's clang-format 14 decides (`make format`).
set -euo pipefail
root=${1:-.}
cd "$root"
version=$(clang-format --version)
case $version in
*"version 14."*) ;;
*) echo "error: the layout is that of clang-format 14, found: $version" >&2; exit 1 ;;
esac
readarray -t files < <(for top in src tools tests include; do [ ! -d $top ] || find $top -name "*.[ch]"; done | sort)
bad=0
for file in "${files[@]}"; do
    clang-format --style=file --dry-run -Werror "$file" >/dev/null 2>&1 || { echo "$file: run 'make format'"; bad=1; }
done
echo "${#files[@]} files checked"
exit $bad
