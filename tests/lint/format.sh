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
bad=$(printf '%s\0' "${files[@]}" | xargs -0 clang-format --style=file --dry-run 2>&1 |
    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: .*clang-format.*/\1/p' | sort -u)
[ -z "$bad" ] || sed "s/$/: run 'make format'/" <<<"$bad"
echo "${#files[@]} files checked"
[ -z "$bad" ]
