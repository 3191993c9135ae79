#!/bin/bash
# deb.sh: installs the packages of build-deb/ (make deb) into a clean Debian 12, which apt makes from this machine's sources, uses
# them there and takes them out again.
set -euo pipefail
program=$CY_SOURCE/tests/install/program.c
fail() {
    echo "error: $1" >&2
    exit 1
}

in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/try DEBIAN_FRONTEND=noninteractive "$@"; }
expect() { # expect WHAT EXPECTED COMMAND...
    local what=$1 expected=$2 got
    shift 2
    got=$(in_root "$@") || fail "$what: status $?: $got"
    [ "$got" = "$expected" ] || fail "$what: $got"
}
try() {
    mkdir "$root/try"
    cp "$CY_SOURCE"/build-deb/*.deb "$root/try/"
    rm -f "$root"/try/*-dbgsym_*
    cp "$program" "$CY_BUILD/bin/examples/vecadd" "$CY_SOURCE/examples/kernels/mandelbrot.cl" "$root/try/"
    in_root sh -c 'apt-get -qq -y --no-install-recommends install /try/*.deb clinfo pkg-config >/try/log 2>&1' ||
        fail "installing: $(tail -n 5 "$root/try/log")"
    expect "clinfo" "Platform #0: Chengying
 +-- Device #0: Chengying Ventus
 \`-- Device #1: Chengying Ventus gen2" clinfo -l
    in_root cy doctor || fail "cy doctor"
    in_root cy run /try/mandelbrot.cl --global 78,25 --local 78,1 --arg buffer:u8:1950 --arg i32:40 --out 0=/try/picture
    grep -qF ':@@@@@;,' "$root/try/picture" || fail "cy run: no picture"
    expect "an OpenCL program" "Chengying Ventus added 1000 pairs, 0 of them wrong" /try/vecadd
    in_root sh -c 'clang-19 -o /try/program /try/program.c $(pkg-config --cflags --libs chengying)' || fail "the library"
    expect "a program with the library" "85344, an object" /try/program
    for file in man/man1/cy.1.gz man/man1/cy-run.1.gz bash-completion/completions/cy zsh/vendor-completions/_cy \
        fish/vendor_completions.d/cy.fish; do
        [ -s "$root/usr/share/$file" ] || fail "$file is missing"
    done
    in_root sh -c 'dpkg --purge chengying libchengying1 libchengying-dev chengying-opencl-icd >/try/log' || fail "purging"
    left=$(find "$root/usr" "$root/etc" "$root/var/lib/dpkg" -iname '*chengying*') && [ -z "$left" ] || fail "left behind: $left"
}

if [ "${1-}" = --try ]; then
    root=$2
    try
    echo "installed, used, removed"
    exit
fi
ls "$CY_SOURCE"/build-deb/chengying_*.deb >/dev/null || fail "no packages: run make deb"
# The customize hook's $1 is the root.
mmdebstrap --quiet --variant=apt --format=null --customize-hook="bash '$CY_SOURCE/tests/install/deb.sh' --try \"\$1\"" bookworm - 2>&1 |
    tee "$CY_TMP/log"
grep -qx "installed, used, removed" "$CY_TMP/log" || fail "nothing was tried"
