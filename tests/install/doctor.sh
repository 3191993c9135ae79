#!/bin/bash
# `cy doctor` is content with an installation, and names each thing that was broken, with its remedy.
set -euo pipefail
failures=0
prefix=$CY_TMP/prefix
cmake --install "$CY_BUILD" --prefix "$prefix" >"$CY_TMP/log"
lib=$(dirname "$(find "$prefix" -name libchengying.so.1)")
export OCL_ICD_VENDORS=$prefix/etc/OpenCL/vendors CHENGYING_CACHE_DIR=$CY_TMP/cache
unset CHENGYING_CACHE
doctor() { "$prefix/bin/cy" doctor; }
fail() { # fail WHAT
    printf 'failed: %s\n%s\n' "$1" "$out"
    failures=$((failures + 1))
}
finds() { # finds WHAT PATTERN REMEDY COMMAND...: one problem, two lines of it
    local what=$1 pattern=$2 remedy=$3 status=0
    shift 3
    out=$("$@" 2>&1) || status=$?
    [ $status = 1 ] && [ "$(grep -c '^BAD ' <<<"$out")" = 1 ] && grep -qx '1 problem' <<<"$out" || fail "$what: status $status"
    grep -A 1 "^BAD *$pattern" <<<"$out" | grep -q "^      fix: .*$remedy" || fail "$what: not found, or no remedy"
}
without() { # without FILE COMMAND...
    mv "$1" "$CY_TMP/aside"
    "${@:2}" || { mv "$CY_TMP/aside" "$1"; return 1; }
    mv "$CY_TMP/aside" "$1"
}

out=$(doctor) || fail "a whole installation"
! grep -qE 'BAD|problem' <<<"$out" || fail "a whole installation"
level=$("$CY_BUILD/bin/cy" run --stats examples/asm/vecadd.s --global 32 --arg buffer:f32:32 --arg buffer:f32:32 --arg buffer:f32:32 |
    sed -n 's/.*engine[a-z ]*  *\([a-z0-9]*\)$/\1/p')
for expected in "cy .*$prefix/bin/cy" "library .*libchengying.so.1" "library .*libchengying_cl.so.1" "device library .*ventus" \
    "clang .*clang" "compile server .*compile-server" "cache .*$CY_TMP/cache" "engine .*${level:-[a-z]}" "kernel .*correct results" \
    "OpenCL loader .*libOpenCL.so.1" "OpenCL vendors .*: chengying.icd" "OpenCL platforms .*Chengying" \
    "environment .*CHENGYING_CACHE_DIR=$CY_TMP/cache"; do
    grep -q "^ok  *$expected" <<<"$out" || fail "no line '$expected'"
done

mkdir "$CY_TMP/empty" "$CY_TMP/loader"
echo rubbish >"$CY_TMP/loader/libOpenCL.so.1"
printf '#!/bin/sh\nexit 0\n' >"$CY_TMP/ends"
chmod +x "$CY_TMP/ends"
finds "no device library" "device library .*not next to" "make install" without "$prefix/share/chengying" doctor
finds "no library" "library .*libchengying.so.1 is not in" "make install" without "$lib/libchengying.so.1" doctor
finds "no clang" "clang .*CHENGYING_CLANG\|clang .*none" "install the package clang-19" env CHENGYING_CLANG=/none "$prefix/bin/cy" doctor
finds "no compile server" "compile server .*cannot run" "make install" without "$lib/chengying/compile-server" doctor
cp "$lib/chengying/compile-server" "$CY_TMP/server"
cp "$CY_TMP/ends" "$lib/chengying/compile-server"
finds "a compile server that ends" "compile server .*without an answer\|compile server .*ended before" "make install" doctor
cp "$CY_TMP/server" "$lib/chengying/compile-server"
finds "a compiler that crashes" "compile server .*signal 11" "make install" env CHENGYING_COMPILER_FAULT=crash@isel TMPDIR="$CY_TMP" "$prefix/bin/cy" doctor
finds "a cache that cannot be written" "cache .*$CY_TMP/log/x cannot" "CHENGYING_CACHE_DIR" env CHENGYING_CACHE_DIR="$CY_TMP/log/x" "$prefix/bin/cy" doctor
finds "no loader" "OpenCL loader .*libOpenCL" "ocl-icd-libopencl1" env LD_LIBRARY_PATH="$CY_TMP/loader" "$prefix/bin/cy" doctor
finds "not registered" "OpenCL platforms .*Chengying is not among them" "export OCL_ICD_VENDORS=.*libchengying_cl.so.1" \
    env OCL_ICD_VENDORS="$CY_TMP/empty" "$prefix/bin/cy" doctor
finds "no address space" "kernel .*does not run" "ulimit -v" prlimit --as=3000000000 "$prefix/bin/cy" doctor
out=$(env CHENGYING_CACHE=0 "$prefix/bin/cy" doctor) && grep -q "^ok  *cache  *off" <<<"$out" || fail "no cache is no problem"

# The remedy of a library that is not registered works.
line=$(env OCL_ICD_VENDORS="$CY_TMP/empty" "$prefix/bin/cy" doctor | sed -n 's/^      fix: \(export [^,]*\), .*/\1/p') || true
out=$(eval "$line" && doctor) || fail "after '$line'"
[ $failures = 0 ] && echo "all passed"
exit $failures
