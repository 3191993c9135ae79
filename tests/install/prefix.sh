#!/bin/bash
# An installation stands by itself, also after it was moved: cy, programs in C and C++ that use the library, OpenCL programs.
set -euo pipefail
vecadd=$CY_TMP/vecadd
fail() {
    echo "error: $1" >&2
    exit 1
}
expect() { # expect WHAT EXPECTED COMMAND...
    local what=$1 expected=$2 got
    shift 2
    got=$("$@") || fail "$what: status $?"
    [ "$got" = "$expected" ] || fail "$what: $got"
}
cmake --install "$CY_BUILD" --prefix "$CY_TMP/first" >"$CY_TMP/log"
cp "$CY_BUILD/bin/examples/vecadd" "$vecadd"
added="Chengying Ventus added 1000 pairs, 0 of them wrong"
run_vecadd() { env -u CHENGYING_LIBRARY OCL_ICD_VENDORS="$prefix/etc/OpenCL/vendors" OPENCL_VENDOR_PATH="$prefix/etc/OpenCL/vendors" "$vecadd"; }
sums="85344, an object"

try() { # what users do with an installation in $prefix
    local lib
    lib=$(dirname "$(find "$prefix" -name libchengying.so.1)")
    expect "cy cc" "" "$prefix/bin/cy" cc -o "$CY_TMP/mandelbrot.riscv" examples/kernels/mandelbrot.cl
    "$prefix/bin/cy" run examples/asm/vecadd.s --global 32 --arg buffer:f32:32=iota --arg buffer:f32:32=iota \
        --arg buffer:f32:32 --print 2:4 | grep -q '0 2 4 6' || fail "cy run"
    expect "cy exec" "$added" "$prefix/bin/cy" exec -- "$vecadd"
    export PKG_CONFIG_PATH=$lib/pkgconfig
    gcc -std=c99 -Wall -Wextra -Wpedantic -Werror tests/install/program.c -o "$CY_TMP/c" $(pkg-config --cflags --libs chengying)
    g++ -x c++ -std=c++11 -Wall -Wextra tests/install/program.c -o "$CY_TMP/cxx" $(pkg-config --cflags --libs chengying)
    expect "a program in C" "$sums" env LD_LIBRARY_PATH="$lib" "$CY_TMP/c"
    expect "a program in C++" "$sums" env LD_LIBRARY_PATH="$lib" "$CY_TMP/cxx"
    cmake -S tests/install/project -B "$CY_TMP/project" --fresh -DCMAKE_PREFIX_PATH="$prefix" >"$CY_TMP/log"
    cmake --build "$CY_TMP/project" >"$CY_TMP/log"
    expect "find_package" "$sums" "$CY_TMP/project/program"
    man --warnings -l "$prefix/share/man/man1/cy-run.1" 2>&1 >/dev/null | grep . && fail "cy-run.1"
    [ "$(find "$prefix"/share/man/man1 -name '*.1' | wc -l)" = $((1 + $(grep -cE '^(SUB)?COMMAND' tools/commands.def))) ] ||
        fail "manual pages"
    bash -c 'source "$1/share/bash-completion/completions/cy" && complete -p cy' - "$prefix" >/dev/null || fail "completions"
}

prefix=$CY_TMP/first
[ "$(cat "$prefix/etc/OpenCL/vendors/chengying.icd")" = "$(find "$prefix" -name libchengying_cl.so.1)" ] ||
    fail "the vendors file does not name the library"
expect "a program by the vendors file" "$added" run_vecadd
for header in "$prefix"/include/chengying/*.h; do # each alone
    for language in 'c -std=c99' 'c++ -std=c++11'; do
        printf '#include <chengying/%s>\nextern int x;\n' "${header##*/}" | gcc -x $language -fsyntax-only -Wall -Wextra -Wpedantic -Werror \
            -I "$prefix/include" - || fail "$header does not compile as ${language% *}"
    done
done
[ "$(ls "$prefix/include/chengying" | wc -l)" = "$(ls include/chengying | wc -l)" ] || fail "headers are missing"
try

# Nothing in it names its place, or the build's.
prefix=$CY_TMP/second
mv "$CY_TMP/first" "$prefix"
try
trace() {
    strace -f -qq -e trace=%file -o "$CY_TMP/trace" "$@" >/dev/null 2>&1 || fail "$*"
    ! grep -E "\"$CY_BUILD/(bin|lib|share)/" "$CY_TMP/trace" || fail "it uses the build directory"
    grep -qF "\"$prefix/" "$CY_TMP/trace" || fail "the trace is empty"
}
trace "$prefix/bin/cy" cc --no-cache -o /dev/null examples/kernels/mandelbrot.cl
trace "$prefix/bin/cy" exec -- "$vecadd"

# DESTDIR is where the files go, not what they say.  For /usr the loader looks into /etc.
stage() { DESTDIR=$CY_TMP/stage cmake --install "$CY_BUILD" --prefix "$1" >"$CY_TMP/log"; }
stage /opt/chengying
grep -qx '/opt/chengying/lib.*/libchengying_cl\.so\.1' "$CY_TMP/stage/opt/chengying/etc/OpenCL/vendors/chengying.icd" ||
    fail "the staged vendors file names the stage"
stage /usr
[ "$(cat "$CY_TMP/stage/etc/OpenCL/vendors/chengying.icd")" = libchengying_cl.so.1 ] || fail "the vendors file of /usr"
! grep -rlF -e "$CY_TMP" -e "$CY_BUILD" "$CY_TMP/stage" --include='*.cmake' --include='*.pc' --include='*.icd' || fail "a place is named"

# `make install` builds what users need and no more.
cmake --preset install -B "$CY_TMP/build" >"$CY_TMP/log"
ninja -C "$CY_TMP/build" -t targets all >"$CY_TMP/targets"
grep -q '^bin/cy:' "$CY_TMP/targets" || fail "cy is not built"
! grep -E '^(tests/|bin/(examples/|bench))' "$CY_TMP/targets" || fail "tests are built"
