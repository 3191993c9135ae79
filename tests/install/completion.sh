#!/bin/bash
# The completion scripts are loaded by their shells and offer what the command line takes.
failures=0
cd "$CY_TMP" || exit 1
for shell in bash zsh fish; do "$CY" help --completion $shell >cy.$shell || exit 1; done
mkdir -p files/folder && touch files/kernel.cl

expect() { # expect SHELL LINE WORD...: the words are offered for the line, no others
    local shell=$1 line=$2 got
    shift 2
    got=$(offers_$shell "$line" | sort -u | xargs)
    [ "$got" = "$(printf '%s\n' "$@" | sort -u | xargs)" ] ||
        { printf 'failed: %s: %s\n  got:      %s\n  expected: %s\n' $shell "$line" "$got" "$*"; failures=$((failures + 1)); }
}
offers_bash() { # as readline calls it: the line in words, "=" by itself
    bash -c 'source ./cy.bash
        read -ra COMP_WORDS <<<"${1//=/ = }"
        [[ $1 == *" " || $1 == *= ]] && [[ $1 != *= ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _cy && printf "%s\n" "${COMPREPLY[@]}"' - "$1"
}
offers_fish() { HOME=$CY_TMP fish --no-config -c 'source ./cy.fish; complete -C "$argv[1]"' "$1" | cut -f 1; }
# zsh completes only in a terminal: one is played, the candidates are those that compadd gets.
offers_zsh() {
    rm -f ready
    : >offers
    HOME=$CY_TMP zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1= PS2=; fpath=($PWD/zfunctions \$fpath); autoload -Uz compinit; compinit -u -d ./zcompdump
            compadd() { local -a words; builtin compadd -O words \"\$@\"; print -rl -- \$words >>offers; builtin compadd \"\$@\" }
            zle-line-init() { : >>ready }; zle -N zle-line-init"
        until [[ -e ready ]]; do sleep 0.05; done
        zpty -w -n shell "$1"$'"'\\t'"'
        zpty -w -n shell $'"'\\C-u'"'"print end >>offers"$'"'\\n'"'
        for ((i = 0; i < 200; i++)) { grep -q "^end$" offers && break; sleep 0.05 }
        zpty -d shell' - "$1"
    sed '/^end$/,$d' offers
}
mkdir zfunctions && cp cy.zsh zfunctions/_cy

commands=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$CY_SOURCE/tools/commands.def")
for shell in bash zsh fish; do
    expect $shell "cy re" replay
    expect $shell "cy epic " pack run
    expect $shell "cy as -march " ventus ventus-gen2 epic epic-fpga
    expect $shell "cy epic run -march " epic epic-fpga
    expect $shell "cy run --preset r" rtl rtl32
    expect $shell "cy run --preset=r" $([ $shell = fish ] && echo --preset=rtl --preset=rtl32 || echo rtl rtl32)
    expect $shell "cy cc --run-pass si" simplify
    expect $shell "cy run --engine " interp jit auto
    expect $shell "cy run --timing --no-st" --no-start
    expect $shell "cy cc --stop" --stop-after
    expect $shell "cy help --completion f" fish
    expect $shell "cy help rep" replay
    expect $shell "cy cc files/k" $([ $shell = zsh ] && echo files kernel.cl || echo files/kernel.cl)
    expect $shell "cy cc -I files/f" $(case $shell in bash) echo files/folder ;; zsh) echo files folder ;; fish) echo files/folder/ ;; esac)
    expect $shell "cy isa v"
done
expect bash "cy " $commands --help --version
expect bash "cy exec -- clinf" clinfo
[ $failures = 0 ] && echo "all passed"
exit $failures
