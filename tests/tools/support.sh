#!/bin/bash
# The test support itself: failed checks are reported and returned, a missing tool fails with its package.
failures=0
expect() { # expect WHAT GOT EXPECTED
    [ "$2" = "$3" ] || { printf 'failed: %s\n--- got\n%s\n--- expected\n%s\n' "$1" "$2" "$3"; failures=$((failures + 1)); }
}

got=$("$CY_BUILD/tests/test_tools_failing" 2>&1; echo "status $?")
expect "failing checks" "$(sed 's|^.*/failing.c|failing.c|' <<<"$got")" "\
failing.c:6: failed: 1 + 1 == 3
failing.c:7: failed: 40 + 2 is 42 (0x2a), expected -1 (0xffffffffffffffff)
failing.c:8: failed: \"one\"
  got:      one
  expected: two
failing.c:9: failed: NULL
  got:      (null)
  expected: two
1 passed, 4 failed
status 1"

empty=$CY_TMP/empty
mkdir -p "$empty"
got=$(CY_TMP='' bash tests/support/run.sh no-such-tool -- true 2>&1; echo "status $?")
expect "missing tool" "$got" "\
error: this test needs 'no-such-tool', which is not installed: run scripts/setup.sh
status 1"
got=$(CY_TMP='' bash tests/support/run.sh bash -- sh -c 'exit 7' 2>&1; echo "status $?")
expect "status passes through" "$got" "status 7"

# A missing tool of a known package: a path that has only what run.sh itself needs.
for tool in awk dirname; do ln -s "$(command -v $tool)" "$empty/$tool"; done
got=$(CY_TMP='' PATH=$empty "$BASH" tests/support/run.sh llvm-mc-19 -- true 2>&1; echo "status $?")
expect "missing package" "$got" "\
error: this test needs 'llvm-mc-19', which is not installed: run scripts/setup.sh (Debian package llvm-19)
status 1"

# Every program that a test declares after NEEDS has a package.
needed=$(tr '\n' ' ' <<<"$(cat tests/*/CMakeLists.txt)" | grep -oE 'NEEDS( +[^ A-Z)$][^ )]*)+' | tr ' ' '\n' | grep -v NEEDS | sort -u)
[ -n "$needed" ] || expect "tests with NEEDS" "none" "some"
for tool in $needed; do
    grep -qE "^[^#]*:.* ${tool//+/\\+}( |$)" scripts/packages*.txt || expect "package of $tool" "none" "a row of scripts/packages*.txt"
done
[ $failures = 0 ] && echo "all passed"
exit $failures
