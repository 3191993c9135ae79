#!/bin/bash
# An installation stands by itself: a program finds our platform through its vendors file, and `cy` finds its libraries.
set -euo pipefail
prefix=$CY_TMP/prefix
vecadd=$CY_BUILD/bin/examples/vecadd
expected="Chengying Ventus added 1000 pairs, 0 of them wrong"
fail() {
    echo "error: $1" >&2
    exit 1
}
cmake --install "$CY_BUILD" --prefix "$prefix" >"$CY_TMP/log"
vendors=$prefix/etc/OpenCL/vendors
[ "$(cat "$vendors/chengying.icd")" = "$(ls "$prefix"/lib*/libchengying_cl.so "$prefix"/lib/*/libchengying_cl.so 2>/dev/null)" ] ||
    fail "the vendors file does not name the library"

# The directory of vendors files, in the words of both loaders; nothing of the build tree in sight.
[ "$(env -u CHENGYING_LIBRARY OCL_ICD_VENDORS="$vendors" OPENCL_VENDOR_PATH="$vendors" "$vecadd")" = "$expected" ] ||
    fail "a program does not run by the vendors file"
[ "$("$prefix/bin/cy" exec -- "$vecadd")" = "$expected" ] || fail "cy exec does not find the installed library"
"$prefix/bin/cy" cc -o "$CY_TMP/mandelbrot.riscv" examples/kernels/mandelbrot.cl || fail "the installed cy does not compile"

# Nothing in it names its place.
mv "$prefix" "$CY_TMP/moved"
[ "$("$CY_TMP/moved/bin/cy" exec -- "$vecadd")" = "$expected" ] || fail "an installation that was moved does not run"

# DESTDIR is where the files go, not what the vendors file says.
DESTDIR=$CY_TMP/stage cmake --install "$CY_BUILD" --prefix /opt/chengying >"$CY_TMP/log"
grep -q '^/opt/chengying/lib.*/libchengying_cl\.so$' "$CY_TMP/stage/opt/chengying/etc/OpenCL/vendors/chengying.icd" ||
    fail "the staged vendors file names the stage"
