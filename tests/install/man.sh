#!/bin/bash
# There is a manual page for every command, which man and mandoc read without a warning and which names every option.
set -euo pipefail
failures=0
fail() { echo "failed: $1"; failures=$((failures + 1)); }
pages=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p; s/^SUBCOMMAND(\([a-z]*\), \([a-z]*\),.*/\1 \2/p' tools/commands.def)
[ "$(wc -l <<<"$pages")" -ge 13 ] || fail "commands.def has no rows"
while read -r page; do
    file=$CY_TMP/cy${page:+-${page// /-}}.1
    "$CY" help --man $page >"$file"
    warnings=$(mandoc -T lint -W warning "$file" || true) && [ -z "$warnings" ] || fail "mandoc: $warnings"
    warnings=$(LC_ALL=C.UTF-8 MANWIDTH=200 man --warnings -E UTF-8 -l "$file" 2>&1 >"$CY_TMP/text") && [ -z "$warnings" ] ||
        fail "man: cy $page: $warnings"
    [ -z "$page" ] && continue
    # What --help says is in the page: all options, the examples as they are.
    "$CY" $page --help >"$CY_TMP/help"
    for option in $(sed -n 's/^  \(-.\)\?\(, \|    \)\?\(--\?[a-z-]*\)\?.*/\1 \3/p' "$CY_TMP/help"); do
        grep -qE -- "^ *(-., )?$option\b" "$CY_TMP/text" || fail "cy $page: $option is missing"
    done
    while read -r line; do
        grep -qF -- "$line" "$CY_TMP/text" || fail "cy $page: the example is missing: $line"
    done < <(sed -n '/^examples:/,$s/^  *//p' "$CY_TMP/help")
    grep -q "^NAME" "$CY_TMP/text" && grep -qF "cy-${page// /-} - " "$CY_TMP/text" || fail "cy $page: no NAME"
done <<<"
$pages"
"$CY" help --man >"$CY_TMP/cy.1"
for name in $(sed -n 's/^ENVIRONMENT("\([A-Z_]*\)",.*/\1/p' src/base/environment.def); do
    grep -rqF "\"$name\"" src tools --include=*.c || fail "nothing reads $name"
    grep -q "$name" "$CY_TMP/cy.1" || fail "cy(1) does not name $name"
done
# Every variable that is read is listed; these are not for users.
hidden=$(sed -n 's/^INTERNAL("\([A-Z_]*\)")$/\1/p' src/base/environment.def | paste -sd'|')
for name in $(grep -rhoE '"CHENGYING_[A-Z_]+"' src --include=*.c | tr -d '"' | sort -u | grep -vxE "$hidden"); do
    grep -q "\"$name\"" src/base/environment.def || fail "src/base/environment.def does not list $name"
done
[ $failures = 0 ] && echo "$(wc -l <<<"$pages") pages"
exit $failures
