#!/bin/bash
# setup.sh [LIST...]: installs the packages of these lists of scripts/ that are missing: by default what building, testing and using
# need.  When none is missing, it needs neither network nor root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ $# -gt 0 ] || set -- packages-build.txt packages-use.txt packages-test.txt

if ! command -v dpkg-query >/dev/null; then
    echo "note: not a Debian system; install the counterparts of the packages in scripts/ yourself: $*" >&2
    exit 0
fi

missing=()
architecture=$(dpkg --print-architecture)
while read -r package only _; do
    case $package in '' | '#'*) continue ;; esac
    case $only in "[$architecture]") ;; '['*) continue ;; esac
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done < <(cat "$@" | sort -u -s -k 1,1)

[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing: ${missing[*]}"
root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "error: installing packages needs root or sudo; run as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo)
fi
apt_get() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; }
apt_get update
apt_get install -y --no-install-recommends "${missing[@]}"
